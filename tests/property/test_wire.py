"""Messages are real bytes: what they decode to, what each of their bits is for, and what is refused.

Shapes: D parameters, K kept entries, T tensors.
"""

import math
import struct
from dataclasses import fields

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import (
    CODES,
    KINDS,
    compressed,
    layout_of,
    normal,
    octets_of,
    tensor_of,
    with_checksum,
)

from costbench.errors import WireError
from costbench.training.compressors import Qsgd, RandomK, Sign, TopK
from costbench.training.vectors import Block, Dense, Levels, Sparse
from costbench.training.wire import Wire

CODECS = ("dense", "auto", *CODES)
EDGES = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 129, 255, 256, 257, 300]
NUMELS = st.lists(st.sampled_from(EDGES) | st.integers(1, 300), min_size=1, max_size=6)
KEEPS = st.floats(0.001, 1.0)
SIDES = st.integers(0, 3)
SEEDS = st.integers(0, 2**31)
SCOPES = st.sampled_from(("tensor", "global"))
NUMBER_OF = {
    name: number
    for number, name in enumerate(
        ("dense", "packed", "seeded", "sign", "qsgd", "block", "coo16", "coo32", "coo64", "bitmap",
         "golomb-rice", "elias-fano", "elias-gamma", "entropy"), start=1
    )
}  # fmt: skip
LEVELS = st.sampled_from([1, 2, 3, 4, 7, 8, 127, 128, 255, 2**15 - 1])
COMPRESSORS = (st.sampled_from(list(KINDS)), KEEPS, LEVELS)


def top(numels, k, scope="tensor"):
    """Top-k that keeps k of the first tensor, of a length that makes k / n exact enough."""
    compressor = TopK(layout_of(numels), (k + 0.5) / numels[0], scope)
    assert compressor.kept[0] == k
    return compressor


def top_k(numels, keep, seed, scope="tensor"):
    """A sparse vector as an algorithm makes it, and what made it."""
    compressor = TopK(layout_of(numels), keep, scope)
    return compressor(normal(sum(numels), seed), seed), compressor


def side_of(numbers, seed):
    return normal(numbers, seed + 1) if numbers else None


def assert_same(vector, other):
    """Same kind, and every field the same to the bit."""
    assert type(vector) is type(other)
    for field in fields(vector):
        a, b = getattr(vector, field.name), getattr(other, field.name)
        if isinstance(a, torch.Tensor):
            assert a.dtype == b.dtype and torch.equal(a, b), field.name
        else:
            assert a == b, field.name


def assert_decodes_to(wire, message, vector, side):
    decoded, decoded_side = wire.decode(message.payload)
    assert torch.equal(decoded.dense(), vector.dense())
    assert torch.equal(decoded_side, torch.zeros(0) if side is None else side)
    return decoded


def assert_bits_add_up(message, side_numbers, own_side=0):
    bits = message.bits
    assert bits.value + bits.index + bits.side + bits.padding + bits.header == 8 * len(message.payload)
    assert bits.total == 8 * len(message.payload)
    assert bits.side == 32 * side_numbers + own_side
    assert bits.header == 64
    assert 0 <= bits.padding < 8
    assert message.payload[1] == NUMBER_OF[message.codec]
    assert min(bits.value, bits.index) >= 0


@given(NUMELS, *COMPRESSORS, SIDES, SEEDS)
@settings(max_examples=200, deadline=None)
def test_every_kind_of_vector_comes_back_the_same(numels, kind, keep, levels, side_numbers, seed):
    vector, compressor = compressed(kind, numels, keep, levels, seed)
    wire, side = Wire(numels, compressor), side_of(side_numbers, seed)
    message = wire.encode(vector, side)
    decoded = assert_decodes_to(wire, message, vector, side)
    if message.codec != "dense":
        assert_same(decoded, vector)
    scales = 32 * len(numels)
    own_side = {"seeded": 32, "sign": scales, "qsgd": scales, "golomb-rice": 8}.get(message.codec, 0)
    assert_bits_add_up(message, side_numbers, own_side)
    assert message.elements == vector.elements


@given(NUMELS, *COMPRESSORS, SEEDS)
@settings(max_examples=60, deadline=None)
def test_the_dense_codec_carries_every_kind(numels, kind, keep, levels, seed):
    vector, compressor = compressed(kind, numels, keep, levels, seed)
    wire = Wire(numels, compressor, "dense")
    message = wire.encode(vector)
    assert isinstance(assert_decodes_to(wire, message, vector, None), Dense)
    assert message.bits.total == 64 + 32 * sum(numels)


@given(NUMELS, st.data(), SIDES, SEEDS, st.sampled_from(("auto", "dense")))
@settings(max_examples=100, deadline=None)
def test_a_block_comes_back_the_same(numels, data, side_numbers, seed, codec):
    start = data.draw(st.integers(0, sum(numels)))
    length = data.draw(st.integers(0, sum(numels) - start))
    block, side = Block(start, normal(length, seed), sum(numels)), side_of(side_numbers, seed)
    wire = Wire(numels, codec=codec)
    message = wire.encode(block, side)
    assert_same(assert_decodes_to(wire, message, block, side), block)
    assert_bits_add_up(message, side_numbers)
    assert (message.bits.value, message.bits.index) == (32 * length, 64)
    assert message.elements == length


@given(NUMELS, KEEPS, SIDES, SEEDS, st.sampled_from(CODECS), SCOPES)
@settings(max_examples=100, deadline=None)
def test_a_sparse_vector_survives_the_wire(numels, keep, side_numbers, seed, codec, scope):
    vector, compressor = top_k(numels, keep, seed, scope)
    wire, side = Wire(numels, compressor, codec), side_of(side_numbers, seed)
    message = wire.encode(vector, side)
    decoded = assert_decodes_to(wire, message, vector, side)
    assert_bits_add_up(message, side_numbers, 8 if message.codec == "golomb-rice" else 0)
    if isinstance(decoded, Sparse):
        assert torch.equal(decoded.index, vector.index)
        assert torch.equal(decoded.entries, vector.entries)


@given(NUMELS, KEEPS, SIDES, SEEDS, st.sampled_from(CODECS))
@settings(max_examples=100, deadline=None)
def test_a_dense_vector_survives_the_wire_beside_sparse_ones(numels, keep, side_numbers, seed, codec):
    vector = Dense(normal(sum(numels), seed))
    wire, side = Wire(numels, TopK(layout_of(numels), keep), codec), side_of(side_numbers, seed)
    message = wire.encode(vector, side)
    assert_decodes_to(wire, message, vector, side)
    assert_bits_add_up(message, side_numbers)
    assert message.bits.value == 32 * sum(numels)


@given(NUMELS, KEEPS, SEEDS)
@settings(max_examples=100, deadline=None)
def test_a_position_takes_ceil_log2_of_its_tensors_length(numels, keep, seed):
    vector, compressor = top_k(numels, keep, seed)
    bits, counts = Wire(numels, compressor, "packed").encode(vector).bits, compressor.kept
    # ceil(log2 n) as the number of halvings that n - 1 needs: exact where math.log2 would round
    assert bits.index == sum(k * len(f"{n - 1:b}".lstrip("0")) for n, k in zip(numels, counts, strict=True))
    assert bits.value == 32 * sum(counts)
    assert bits.padding == -bits.index % 8


@given(NUMELS, KEEPS, SEEDS, SCOPES, st.sampled_from(("float32", "float16", "int8")))
@settings(max_examples=100, deadline=None)
def test_auto_sends_the_shortest(numels, keep, seed, scope, values):
    vector, compressor = top_k(numels, keep, seed, scope)
    if scope == "global" and values == "int8":
        values = "bfloat16"
    length = {}
    for codec in CODECS:
        message = Wire(numels, compressor, codec, values).encode(vector)
        length[codec] = len(message.payload)
        assert codec in ("auto", message.codec)
    assert length.pop("auto") == min(length.values())


def test_auto_finds_the_code_that_suits():
    """Neighbours: gamma codes; half of all entries at random: a map; all: dense; less: entropy."""
    numel, at_random = 4096, torch.randperm(4096, generator=torch.Generator().manual_seed(0))
    chosen = {
        "elias-gamma": torch.arange(64) + 7,
        "bitmap": at_random[: numel // 2].sort().values,
        "dense": torch.arange(numel),
        "entropy": at_random[:1200].sort().values,
    }
    for codec, index in chosen.items():
        vector = Sparse(index, torch.ones(len(index)), numel)
        assert Wire([numel], top([numel], len(index))).encode(vector).codec == codec


def test_entries_keep_every_bit():
    odd = torch.tensor([math.nan, math.inf, -math.inf, -0.0, 1e-45, 3.4e38])
    wire = Wire([6])
    assert torch.equal(
        wire.decode(wire.encode(Dense(odd)).payload)[0].entries.view(torch.int32), odd.view(torch.int32)
    )


def test_what_is_decoded_shares_no_memory_with_the_message():
    wire = Wire([4], top([4], 2))
    for vector in (Dense(torch.ones(4)), Sparse(torch.tensor([1, 2]), torch.ones(2), 4)):
        payload = wire.encode(vector, torch.ones(1)).payload
        decoded, side = wire.decode(payload)
        payload.zero_()
        assert decoded.entries.eq(1).all()
        assert side.eq(1).all()


def test_a_message_byte_by_byte():
    """Tensors of 5 and 2 entries, 2 and 1 of them kept: [0, 0, -1.5, 0, 2] and [0, 0.25]; side 0.5."""
    vector = Sparse(torch.tensor([2, 4, 6]), torch.tensor([-1.5, 2.0, 0.25]), 7)
    message = Wire([5, 2], top([5, 2], 2), "packed").encode(vector, torch.tensor([0.5]))
    # header: layout 2, codec 2, float32 1, side numbers 1, CRC-32C of "5:2,2:1" and all but itself
    expected = bytes([2, 2, 1, 1, 0, 0, 0, 0])
    expected += struct.pack("<f", 0.5)
    expected += struct.pack("<3f", -1.5, 2.0, 0.25)
    # positions 2 and 4 in ceil(log2 5) = 3 bits each, 6 - 5 = 1 in ceil(log2 2) = 1 bit: 010 100 1, padding 0
    expected += bytes([0b01010010])
    assert octets_of(message) == with_checksum(b"5:2,2:1", expected)
    assert len(expected) == 8 + 4 + 12 + 1
    bits = message.bits
    assert (bits.header, bits.side, bits.value, bits.index, bits.padding) == (64, 32, 96, 7, 1)
    assert message.elements == 3


def test_a_dense_message_byte_by_byte():
    message = Wire([2, 1], codec="dense").encode(Dense(torch.tensor([1.0, -2.0, 0.0])))
    expected = bytes([2, 1, 1, 0, 0, 0, 0, 0]) + struct.pack("<3f", 1.0, -2.0, 0.0)
    assert octets_of(message) == with_checksum(b"2:2,1:1", expected)
    bits = message.bits
    assert (bits.header, bits.side, bits.value, bits.index, bits.padding) == (64, 0, 96, 0, 0)


def test_a_global_top_k_is_one_tensor_of_all_entries():
    """Tensors of 5 and 2 entries, 2 of the 7 kept, both of the second: positions 5 and 6 in 3 bits each."""
    compressor = TopK(layout_of([5, 2]), 0.3, "global")
    vector = compressor(torch.tensor([0.1, 0.2, 0.0, 0.1, 0.2, 8.0, -9.0]), 0)
    vector = Sparse(vector.index.sort().values, torch.tensor([8.0, -9.0]), 7)
    message = Wire([5, 2], compressor, "packed").encode(vector)
    expected = bytes([2, 2, 1, 0, 0, 0, 0, 0]) + struct.pack("<2f", 8.0, -9.0)
    assert octets_of(message) == with_checksum(b"7:2", expected + bytes([0b10111000]))


def test_a_seeded_message_byte_by_byte():
    """The seed travels as 4 bytes among the side numbers; no position does."""
    compressor = RandomK(layout_of([5, 2]), 0.4)
    vector = compressor(torch.arange(7.0), 0xC0FFEE01)
    message = Wire([5, 2], compressor).encode(vector, torch.tensor([0.5]))
    expected = bytes([2, 3, 1, 1, 0, 0, 0, 0]) + struct.pack("<f", 0.5)
    expected += struct.pack("<I3f", 0xC0FFEE01, *vector.entries.tolist())
    assert octets_of(message) == with_checksum(b"5:2,2:1", expected)
    bits = message.bits
    assert (bits.header, bits.side, bits.value, bits.index, bits.padding) == (64, 64, 96, 0, 0)


def test_a_sign_message_byte_by_byte():
    """[1, -2, 0] and 6 negative entries of 4: norms (1 + 2 + 0) / 3 = 1 and 4; bits 010 111111."""
    compressor = Sign(layout_of([3, 6]))
    vector = compressor(torch.tensor([1.0, -2.0, 0.0] + 6 * [-4.0]), 0)
    message = Wire([3, 6], compressor).encode(vector)
    expected = bytes([2, 4, 1, 0, 0, 0, 0, 0]) + struct.pack("<2f", 1.0, 4.0)
    assert octets_of(message) == with_checksum(b"3:3,6:6", expected + bytes([0b01011111, 0b10000000]))
    bits = message.bits
    assert (bits.header, bits.side, bits.value, bits.index, bits.padding) == (64, 64, 9, 0, 7)


def test_a_levels_message_byte_by_byte():
    """Multiples -2, 0, 1 and 2 of 0.5 with s = 2: codes 0, 2, 3, 4 in ceil(log2 5) = 3 bits each."""
    vector = Levels(torch.tensor([0.5]), torch.tensor([4]), torch.tensor([-2, 0, 1, 2], dtype=torch.int16))
    message = Wire([4], Qsgd(layout_of([4]), 2)).encode(vector)
    expected = bytes([2, 5, 1, 0, 0, 0, 0, 0]) + struct.pack("<f", 0.5)
    assert octets_of(message) == with_checksum(b"4:4;2", expected + bytes([0b00001001, 0b11000000]))
    bits = message.bits
    assert (bits.header, bits.side, bits.value, bits.index, bits.padding) == (64, 32, 12, 0, 4)


def test_a_block_message_byte_by_byte():
    message = Wire([2, 3]).encode(Block(1, torch.tensor([1.5, -2.0]), 5))
    expected = bytes([2, 6, 1, 0, 0, 0, 0, 0])
    assert octets_of(message) == with_checksum(b"2:2,3:3", expected + struct.pack("<2I2f", 1, 2, 1.5, -2.0))
    bits = message.bits
    assert (bits.header, bits.side, bits.value, bits.index, bits.padding) == (64, 0, 64, 64, 0)


@pytest.mark.parametrize("numel", [1, 7, 8, 9, 1000, 272_474])
def test_a_sign_takes_one_bit_and_its_tensor_four_bytes(numel):
    compressor = Sign(layout_of([numel]))
    message = Wire([numel], compressor, "sign").encode(compressor(normal(numel, 0), 0))
    assert len(message.payload) == 8 + math.ceil(numel / 8) + 4


@pytest.mark.parametrize(
    ("levels", "bits"), [(1, 2), (2, 3), (3, 3), (4, 4), (7, 4), (8, 5), (127, 8), (128, 9)]
)
def test_a_level_takes_ceil_log2_of_all_codes(levels, bits):
    compressor = Qsgd(layout_of([100]), levels)
    message = Wire([100], compressor).encode(compressor(normal(100, 0), 0))
    assert message.bits.value == 100 * bits


def test_a_level_that_no_sender_can_have_is_refused():
    """s = 2 has codes 0 to 4; 5, 6 and 7 fit into their three bits too."""
    wire = Wire([1], Qsgd(layout_of([1]), 2), "qsgd")
    vector = Levels(torch.ones(1), torch.tensor([1]), torch.tensor([2], dtype=torch.int16))
    octets = bytearray(octets_of(wire.encode(vector)))
    for code in range(8):
        octets[-1] = code << 5
        message = tensor_of(with_checksum(b"1:1;2", octets))
        if code > 4:
            with pytest.raises(WireError, match="a level above 2"):
                wire.decode(message)
        else:
            decoded, _ = wire.decode(message)
            assert decoded.multiples.tolist() == [code - 2]


def test_a_block_outside_the_vector_is_refused():
    wire = Wire([5])
    for start, length in ((4, 2), (6, 0), (2**32 - 1, 1), (0, 6)):
        body = struct.pack("<2I", start, length) + bytes(4 * min(length, 6))
        with pytest.raises(WireError, match="not inside the vector"):
            wire.decode(tensor_of(with_checksum(b"5:5", bytes([2, 6, 1, 0, 0, 0, 0, 0]) + body)))
    with pytest.raises(WireError):
        wire.encode(Block(4, torch.ones(2), 5))
    with pytest.raises(WireError):
        wire.encode(Block(0, torch.ones(2), 6))


@pytest.mark.parametrize("kind", ["sign", "qsgd"])
def test_a_position_code_carries_entries_and_positions_only(kind):
    vector, compressor = compressed(kind, [9], 0.5, 2, seed=0)
    with pytest.raises(WireError, match="no packed message of this run carries"):
        Wire([9], compressor, "packed").encode(vector)


@given(NUMELS, KEEPS, SEEDS, st.sampled_from(CODES))
@settings(max_examples=60, deadline=None)
def test_a_position_code_carries_random_k_with_its_positions(numels, keep, seed, codec):
    vector, compressor = compressed("random-k", numels, keep, 1, seed)
    wire = Wire(numels, compressor, codec)
    decoded = assert_decodes_to(wire, wire.encode(vector), vector, None)
    assert type(decoded) is Sparse


def test_a_vector_that_no_compressor_of_the_run_makes_is_refused():
    vector, _ = compressed("sign", [9], 0.5, 2, seed=0)
    for wire in (Wire([9]), Wire([9], top([9], 2)), Wire([8], Sign(layout_of([8])))):
        with pytest.raises(WireError):
            wire.encode(vector)


def test_another_number_of_levels_is_another_agreement():
    vector, compressor = compressed("qsgd", [9], 0.5, 5, seed=0)
    payload = Wire([9], compressor).encode(vector).payload
    with pytest.raises(WireError, match="checksum"):
        Wire([9], Qsgd(layout_of([9]), 6)).decode(payload)


def test_numbers_that_are_not_finite_travel_like_any_other():
    """A run that diverges shows it in its models and does not stop at the wire."""
    odd = torch.tensor([math.nan, math.inf, -math.inf, 1.0])
    for kind in KINDS:
        compressor = KINDS[kind](layout_of([4]), 1.0, 2)
        wire = Wire([4], compressor)
        decoded, _ = wire.decode(wire.encode(compressor(odd, 1)).payload)
        assert not decoded.dense().isfinite().all()


def test_a_dense_body_of_the_sparse_length_is_refused():
    wire = Wire([8], top([8], 2))
    body = bytes([2, 1, 1, 0, 0, 0, 0, 0]) + struct.pack("<2f", 1.0, 2.0)
    with pytest.raises(WireError, match="a body of 8 bytes where 32 were agreed"):
        wire.decode(tensor_of(with_checksum(b"8:8", body)))


def test_messages_of_another_agreement_are_refused():
    vector = Sparse(torch.tensor([1, 2]), torch.ones(2), 8)
    payload = Wire([8], top([8], 2), "packed").encode(vector).payload
    for other in (Wire([8], top([8], 3)), Wire([4, 4], top([4, 4], 1)), Wire([8])):
        with pytest.raises(WireError, match=r"checksum|belongs to no message of this run"):
            other.decode(payload)
    with pytest.raises(WireError, match="2 entries where 3 were agreed"):
        Wire([8], top([8], 3), "packed").encode(vector)


@pytest.mark.parametrize("k", ["one", "all"])
@pytest.mark.parametrize("numel", [1, 2, 1005])
@pytest.mark.parametrize("codec", CODECS)
def test_one_entry_and_all_entries_make_the_round_trip(k, numel, codec):
    vector, compressor = top_k([numel], 1e-9 if k == "one" else 1.0, seed=3)
    assert compressor.kept == [1 if k == "one" else numel]
    wire = Wire([numel], compressor, codec)
    assert_decodes_to(wire, wire.encode(vector), vector, None)


def test_keep_is_the_share_that_stays_and_not_the_share_that_goes():
    vector, compressor = top_k([1000], 0.1, seed=0)
    message = Wire([1000], compressor, "packed").encode(vector)
    # 100 entries of 32 bits and positions of ceil(log2 1000) = 10 bits, 64 bits of header
    assert message.elements == 100
    assert message.bits.total == 100 * (32 + 10) + 64
    assert 1000 * 32 / message.bits.total == pytest.approx(7.505, abs=1e-3)


@pytest.mark.parametrize(("codec", "index_bits"), [("packed", 20), ("coo32", 32), ("coo64", 64)])
def test_ring_of_four_one_percent_of_a_million(codec, index_bits):
    """A position takes ceil(log2 1e6) = 20 bits, or what its integer has; 10,000 of them are whole bytes."""
    numel, k = 1_000_000, 10_000
    wire, neighbours = (
        Wire([numel], TopK(layout_of([numel]), 0.01), codec),
        {i: ((i - 1) % 4, (i + 1) % 4) for i in range(4)},
    )
    sent, received = dict.fromkeys(range(4), 0), dict.fromkeys(range(4), 0)
    for node, around in neighbours.items():
        vector, compressor = top_k([numel], 0.01, seed=node)
        assert compressor.kept == [k]
        message = wire.encode(vector, torch.ones(1))
        assert message.bits.total == k * (32 + index_bits) + 32 + 0 + 64
        for neighbour in around:
            sent[node] += message.bits.total
            received[neighbour] += 8 * len(message.payload)
    assert sent == received == dict.fromkeys(range(4), 2 * (k * (32 + index_bits) + 96))
