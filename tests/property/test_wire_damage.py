"""Damaged bytes are refused: cut, lengthened, flipped, or of another making with a checksum that fits.

Shapes: K kept entries.
"""

import tracemalloc

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import (
    CODES,
    KINDS,
    agreed_on,
    compressed,
    layout_of,
    normal,
    octets_of,
    tensor_of,
    with_checksum,
)

from costbench.errors import WireError
from costbench.training.compressors import RandomK, TopK
from costbench.training.vectors import Block
from costbench.training.wire import Wire

NUMELS = st.lists(st.sampled_from([1, 2, 7, 8, 9, 64, 257]) | st.integers(1, 300), min_size=1, max_size=5)
KEEPS = st.floats(0.001, 1.0)
SEEDS = st.integers(0, 2**31)
LEVELS = st.sampled_from([1, 2, 3, 7, 2**15 - 1])
INT8 = 4
VALUES = st.sampled_from(("float32", "float16", "bfloat16", "int8"))


def refuses(wire, octets):
    with pytest.raises(WireError):
        wire.decode(tensor_of(octets))


def decodes_or_refuses(wire, octets, numel):
    """No other error; what decodes is a vector of the run, and writing it again gives a message of it."""
    try:
        vector, side = wire.decode(tensor_of(octets))
    except WireError:
        return False
    assert vector.dense().numel() == numel
    again, _ = wire.decode(wire.encode(vector, side if len(side) else None).payload)
    if octets[2] != INT8:  # scales that no sender has are rounded to some that one has
        assert torch.equal(again.dense().nan_to_num(), vector.dense().nan_to_num())
    return True


def damaged(octets, data):
    """Cut, lengthened, with a bit flipped, or a byte replaced."""
    where = data.draw(st.integers(0, len(octets) - 1))
    bit = 1 << data.draw(st.integers(0, 7))
    yield octets[:where]
    yield octets + data.draw(st.binary(min_size=1, max_size=20))
    yield octets[:where] + bytes([octets[where] ^ bit]) + octets[where + 1 :]
    yield octets[:where] + octets[where + 1 :]


@given(NUMELS, st.sampled_from(list(KINDS)), KEEPS, LEVELS, st.integers(0, 3), SEEDS, st.data())
@settings(max_examples=150, deadline=None)
def test_damage_to_any_kind_is_refused(numels, kind, keep, levels, side_numbers, seed, data):
    vector, compressor = compressed(kind, numels, keep, levels, seed)
    wire = Wire(numels, compressor)
    side = normal(side_numbers, seed) if side_numbers else None
    for octets in damaged(octets_of(wire.encode(vector, side)), data):
        refuses(wire, octets)


@given(NUMELS, KEEPS, SEEDS, st.sampled_from(CODES), VALUES, st.data())
@settings(max_examples=150, deadline=None)
def test_damage_to_any_position_code_is_refused(numels, keep, seed, codec, values, data):
    compressor = TopK(layout_of(numels), keep, values=values)
    wire = Wire(numels, compressor, codec, values)
    for octets in damaged(octets_of(wire.encode(compressor(normal(sum(numels), seed), 0))), data):
        refuses(wire, octets)


@given(NUMELS, st.data(), SEEDS)
@settings(max_examples=60, deadline=None)
def test_damage_to_a_block_is_refused(numels, data, seed):
    wire, start = Wire(numels), data.draw(st.integers(0, sum(numels)))
    block = Block(start, normal(sum(numels) - start, seed), sum(numels))
    for octets in damaged(octets_of(wire.encode(block)), data):
        refuses(wire, octets)


@pytest.mark.parametrize("codec", ["dense", "auto", *CODES])
def test_every_single_flipped_bit_is_found(codec):
    numels = [40, 3]
    compressor = TopK(layout_of(numels), 0.2)
    wire = Wire(numels, compressor, codec)
    octets = octets_of(wire.encode(compressor(normal(43, 1), 0), torch.ones(1)))
    for bit in range(8 * len(octets)):
        flipped = bytearray(octets)
        flipped[bit // 8] ^= 1 << bit % 8
        refuses(wire, flipped)


@given(NUMELS, KEEPS, SEEDS, st.sampled_from(CODES), VALUES, st.data())
@settings(max_examples=300, deadline=None)
def test_behind_a_fitting_checksum_a_position_code_still_refuses_or_decodes(
    numels, keep, seed, codec, values, data
):
    compressor = TopK(layout_of(numels), keep, values=values)
    wire, agreed = Wire(numels, compressor, codec, values), agreed_on(numels, compressor.kept)
    head = octets_of(wire.encode(compressor(normal(sum(numels), seed), 0)))
    for octets in damaged(head, data):
        if len(octets) >= 8 and octets[:4] == head[:4]:
            decodes_or_refuses(wire, with_checksum(agreed, octets), sum(numels))


@given(st.binary(max_size=200), NUMELS, st.sampled_from(list(KINDS)), KEEPS, LEVELS, st.sampled_from(CODES))
@settings(max_examples=150, deadline=None)
def test_random_bytes_raise_nothing_but_a_wire_error(octets, numels, kind, keep, levels, codec):
    layout = layout_of(numels)
    compressor = KINDS[kind](layout, keep, levels)
    kept, full = RandomK(layout, keep), agreed_on(numels, numels)
    everything = agreed_on([sum(numels)], RandomK(layout, keep, "global").kept)
    agreements = (full, agreed_on(numels, numels, levels), agreed_on(numels, kept.kept), everything)
    for wire in (Wire(numels, compressor), Wire(numels, compressor, codec)):
        decodes_or_refuses(wire, octets, sum(numels))
        for number in range(16):
            for agreed in agreements:
                head = bytes([2, number, 1, 0, 0, 0, 0, 0])
                decodes_or_refuses(wire, with_checksum(agreed, head + octets), sum(numels))


@pytest.mark.parametrize("codec", CODES)
def test_a_bomb_allocates_no_more_than_the_layout_allows(codec):
    """A megabyte of zeros, and of ones, behind the header of a message that has a few bytes."""
    compressor = TopK(layout_of([4096]), 0.01)
    wire = Wire([4096], compressor, codec)
    head = octets_of(wire.encode(compressor(normal(4096, 0), 0)))[: 8 + 4 * 40]
    for filling in (b"\0", b"\xff"):
        bomb = _with_fast_checksum(wire, head[:8], head[8:] + bytes([1]) + filling * 1_000_000)
        tracemalloc.start()
        with pytest.raises(WireError):
            wire.decode(bomb)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 1_300_000, "what is allocated is the message again, and not a multiple of it"


def _with_fast_checksum(wire, head, body):
    """The same as `with_checksum`, of a long message."""
    import google_crc32c

    crc = google_crc32c.extend(google_crc32c.value(b"4096:40"), head[:4] + body)
    return torch.frombuffer(bytearray(head[:4] + crc.to_bytes(4, "little") + body), dtype=torch.uint8)
