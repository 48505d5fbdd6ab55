"""Messages are real bytes: what they decode to, what each of their bits is for, and what is refused.

Shapes: D parameters, K kept entries.
"""

import math
import struct
import zlib

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from costbench.errors import WireError
from costbench.training.compressors import TopK, kept
from costbench.training.layout import Layout
from costbench.training.vectors import Dense, Sparse
from costbench.training.wire import Wire

CODECS = ("dense", "packed", "auto")
EDGES = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 129, 255, 256, 257, 300]
NUMELS = st.lists(st.sampled_from(EDGES) | st.integers(1, 300), min_size=1, max_size=6)
KEEPS = st.floats(0.001, 1.0)
SIDES = st.integers(0, 3)
SEEDS = st.integers(0, 2**31)


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def layout_of(numels):
    return Layout(tuple(f"t{i}" for i in range(len(numels))), tuple((n,) for n in numels))


def normal(numel, seed):
    return torch.randn(numel, generator=torch.Generator().manual_seed(seed))


def top_k(numels, keep, seed):
    """A sparse vector as an algorithm makes it, and the number of entries kept of every tensor."""
    compressor = TopK(layout_of(numels), keep)
    return compressor(normal(sum(numels), seed)), compressor.kept


def side_of(numbers, seed):
    return normal(numbers, seed + 1) if numbers else None


def assert_decodes_to(wire, message, vector, side):
    decoded, decoded_side = wire.decode(message.payload)
    assert torch.equal(decoded.dense(), vector.dense())
    assert torch.equal(decoded_side, torch.zeros(0) if side is None else side)
    return decoded


def assert_bits_add_up(message, side_numbers):
    bits = message.bits
    assert bits.value + bits.index + bits.side + bits.padding + bits.header == 8 * len(message.payload)
    assert bits.total == 8 * len(message.payload)
    assert bits.side == 32 * side_numbers
    assert bits.header == 64
    assert 0 <= bits.padding < 8
    assert min(bits.value, bits.index) >= 0


@given(NUMELS, KEEPS, SIDES, SEEDS, st.sampled_from(CODECS))
@settings(max_examples=100, deadline=None)
def test_a_sparse_vector_survives_the_wire(numels, keep, side_numbers, seed, codec):
    vector, counts = top_k(numels, keep, seed)
    wire, side = Wire(numels, counts, codec), side_of(side_numbers, seed)
    message = wire.encode(vector, side)
    decoded = assert_decodes_to(wire, message, vector, side)
    assert_bits_add_up(message, side_numbers)
    if isinstance(decoded, Sparse):
        assert torch.equal(decoded.index, vector.index)
        assert torch.equal(decoded.entries, vector.entries)


@given(NUMELS, KEEPS, SIDES, SEEDS, st.sampled_from(CODECS))
@settings(max_examples=100, deadline=None)
def test_a_dense_vector_survives_the_wire_beside_sparse_ones(numels, keep, side_numbers, seed, codec):
    vector = Dense(normal(sum(numels), seed))
    wire, side = Wire(numels, [kept(n, keep) for n in numels], codec), side_of(side_numbers, seed)
    message = wire.encode(vector, side)
    assert_decodes_to(wire, message, vector, side)
    assert_bits_add_up(message, side_numbers)
    assert message.bits.value == 32 * sum(numels)


@given(NUMELS, KEEPS, SEEDS)
@settings(max_examples=100, deadline=None)
def test_a_position_takes_ceil_log2_of_its_tensors_length(numels, keep, seed):
    vector, counts = top_k(numels, keep, seed)
    bits = Wire(numels, counts, "packed").encode(vector).bits
    # ceil(log2 n) as the number of halvings that n - 1 needs: exact where math.log2 would round
    assert bits.index == sum(k * len(f"{n - 1:b}".lstrip("0")) for n, k in zip(numels, counts, strict=True))
    assert bits.value == 32 * sum(counts)
    assert bits.padding == -bits.index % 8


@given(NUMELS, KEEPS, SEEDS)
@settings(max_examples=100, deadline=None)
def test_auto_sends_the_shorter_one(numels, keep, seed):
    vector, counts = top_k(numels, keep, seed)
    length = {codec: len(Wire(numels, counts, codec).encode(vector).payload) for codec in CODECS}
    assert length["auto"] == min(length["dense"], length["packed"])


def test_auto_changes_sides_where_the_lengths_cross():
    # n = 256: a kept entry weighs 4 + 1 bytes, so packed is shorter up to k = 204 (1020 < 1024 bytes)
    for k, codec in ((204, 2), (205, 1)):
        vector = Sparse(torch.arange(k), torch.ones(k), 256)
        assert Wire([256], [k], "auto").encode(vector).payload[1] == codec


def test_entries_keep_every_bit():
    odd = torch.tensor([math.nan, math.inf, -math.inf, -0.0, 1e-45, 3.4e38])
    wire = Wire([6])
    assert torch.equal(
        wire.decode(wire.encode(Dense(odd)).payload)[0].entries.view(torch.int32), odd.view(torch.int32)
    )


def test_what_is_decoded_shares_no_memory_with_the_message():
    wire = Wire([4], [2])
    for vector in (Dense(torch.ones(4)), Sparse(torch.tensor([1, 2]), torch.ones(2), 4)):
        payload = wire.encode(vector, torch.ones(1)).payload
        decoded, side = wire.decode(payload)
        payload.zero_()
        assert decoded.entries.eq(1).all()
        assert side.eq(1).all()


def test_a_message_byte_by_byte():
    """Tensors of 5 and 2 entries, 2 and 1 of them kept: [0, 0, -1.5, 0, 2] and [0, 0.25]; side 0.5."""
    vector = Sparse(torch.tensor([4, 2, 6]), torch.tensor([2.0, -1.5, 0.25]), 7)
    message = Wire([5, 2], [2, 1], "packed").encode(vector, torch.tensor([0.5]))
    # header: layout 1, codec 2, float32 1, side numbers 1, CRC-32 of "5:2,2:1"
    expected = bytes([1, 2, 1, 1]) + struct.pack("<I", zlib.crc32(b"5:2,2:1"))
    expected += struct.pack("<f", 0.5)
    expected += struct.pack("<3f", 2.0, -1.5, 0.25)
    # positions 4 and 2 in ceil(log2 5) = 3 bits each, 6 - 5 = 1 in ceil(log2 2) = 1 bit: 100 010 1, padding 0
    expected += bytes([0b10001010])
    assert bytes(message.payload.tolist()) == expected
    assert len(expected) == 8 + 4 + 12 + 1
    bits = message.bits
    assert (bits.header, bits.side, bits.value, bits.index, bits.padding) == (64, 32, 96, 7, 1)
    assert message.elements == 3


def test_a_dense_message_byte_by_byte():
    message = Wire([2, 1], codec="dense").encode(Dense(torch.tensor([1.0, -2.0, 0.0])))
    expected = (
        bytes([1, 1, 1, 0]) + struct.pack("<I", zlib.crc32(b"2:2,1:1")) + struct.pack("<3f", 1.0, -2.0, 0.0)
    )
    assert bytes(message.payload.tolist()) == expected
    bits = message.bits
    assert (bits.header, bits.side, bits.value, bits.index, bits.padding) == (64, 0, 96, 0, 0)


def refuses(wire, octets):
    with pytest.raises(WireError):
        wire.decode(torch.tensor(list(octets), dtype=torch.uint8))


@given(NUMELS, KEEPS, SIDES, SEEDS, st.sampled_from(CODECS), st.data())
@settings(max_examples=100, deadline=None)
def test_truncated_or_extended_bytes_are_refused(numels, keep, side_numbers, seed, codec, data):
    vector, counts = top_k(numels, keep, seed)
    wire = Wire(numels, counts, codec)
    octets = bytes(wire.encode(vector, side_of(side_numbers, seed)).payload.tolist())
    refuses(wire, octets[: data.draw(st.integers(0, len(octets) - 1))])
    refuses(wire, octets + data.draw(st.binary(min_size=1, max_size=20)))


@given(NUMELS, KEEPS, SIDES, SEEDS, st.sampled_from(CODECS), st.integers(0, 7), st.integers(0, 7))
@settings(max_examples=100, deadline=None)
def test_a_flipped_bit_of_the_header_is_refused(numels, keep, side_numbers, seed, codec, position, bit):
    numels = [2, *numels]
    vector, counts = top_k(numels, keep, seed)
    wire = Wire(numels, counts, codec)
    octets = bytearray(wire.encode(vector, side_of(side_numbers, seed)).payload.tolist())
    octets[position] ^= 1 << bit
    refuses(wire, octets)


@given(st.binary(max_size=200), NUMELS, KEEPS)
@settings(max_examples=100, deadline=None)
def test_random_bytes_raise_nothing_but_a_wire_error(octets, numels, keep):
    wire = Wire(numels, [kept(n, keep) for n in numels])
    for head in (b"", *_headers(wire)):
        try:
            vector, _ = wire.decode(torch.tensor(list(head + octets), dtype=torch.uint8))
        except WireError:
            continue
        assert vector.dense().numel() == sum(numels)


def _headers(wire):
    agreements = (wire.full, wire.sparse)
    return [bytes([1, codec, 1, 0]) + struct.pack("<I", a.checksum) for codec in (1, 2) for a in agreements]


def test_a_dense_body_of_the_sparse_length_is_refused():
    wire = Wire([8], [2])
    refuses(
        wire, bytes([1, 1, 1, 0]) + struct.pack("<I", wire.sparse.checksum) + struct.pack("<2f", 1.0, 2.0)
    )


@pytest.mark.parametrize("numel", [3, 5, 6, 7, 9, 33, 300])
def test_a_position_outside_its_tensor_is_refused(numel):
    wire = Wire([numel, 4], [1, 1], "packed")
    octets = bytearray(
        wire.encode(Sparse(torch.tensor([0, numel]), torch.ones(2), numel + 4)).payload.tolist()
    )
    width = (numel - 1).bit_length()
    for outside in {numel, 2**width - 1}:
        body = (outside << 2) << (-(width + 2) % 8)
        octets[16:] = body.to_bytes(len(octets) - 16, "big")
        with pytest.raises(WireError, match="a position outside its tensor"):
            wire.decode(torch.tensor(list(octets), dtype=torch.uint8))


def test_messages_of_another_agreement_are_refused():
    vector = Sparse(torch.tensor([1, 2]), torch.ones(2), 8)
    payload = Wire([8], [2], "packed").encode(vector).payload
    for other in (Wire([8], [3]), Wire([4, 4], [1, 1]), Wire([8])):
        with pytest.raises(WireError, match="belongs to no message of this run"):
            other.decode(payload)
    with pytest.raises(WireError, match="2 entries where 3 were agreed"):
        Wire([8], [3], "packed").encode(vector)


@pytest.mark.parametrize("k", ["one", "all"])
@pytest.mark.parametrize("numel", [1, 2, 1005])
@pytest.mark.parametrize("codec", CODECS)
def test_one_entry_and_all_entries_make_the_round_trip(k, numel, codec):
    vector, counts = top_k([numel], 1e-9 if k == "one" else 1.0, seed=3)
    assert counts == [1 if k == "one" else numel]
    wire = Wire([numel], counts, codec)
    assert_decodes_to(wire, wire.encode(vector), vector, None)


def test_top_k_goes_by_magnitude():
    q = TopK(layout_of([3]), 0.34)(torch.tensor([-5.0, 1.0, 2.0]))
    assert q.index.tolist() == [0]
    assert q.entries.tolist() == [-5.0]


def test_keep_rounds_down_but_never_to_nothing():
    assert kept(1005, 0.1) == 100
    assert [kept(n, 0.1) for n in (1, 9, 10, 19, 20)] == [1, 1, 1, 1, 2]
    assert kept(1005, 1.0) == 1005


def test_keep_is_the_share_that_stays_and_not_the_share_that_goes():
    vector, counts = top_k([1000], 0.1, seed=0)
    message = Wire([1000], counts, "packed").encode(vector)
    # 100 entries of 32 bits and positions of ceil(log2 1000) = 10 bits, 64 bits of header
    assert message.elements == 100
    assert message.bits.total == 100 * (32 + 10) + 64
    assert 1000 * 32 / message.bits.total == pytest.approx(7.505, abs=1e-3)


def test_ring_of_four_one_percent_of_a_million():
    numel, k = 1_000_000, 10_000
    wire, neighbours = Wire([numel], [k]), {i: ((i - 1) % 4, (i + 1) % 4) for i in range(4)}
    sent, received = dict.fromkeys(range(4), 0), dict.fromkeys(range(4), 0)
    for node, around in neighbours.items():
        vector, counts = top_k([numel], 0.01, seed=node)
        assert counts == [k]
        message = wire.encode(vector, torch.ones(1))
        # ceil(log2 1e6) = 20 bits a position: 10,000 x 20 = 200,000 bits are whole bytes
        assert message.bits.total == k * (32 + 20) + 32 + 0 + 64
        for neighbour in around:
            sent[node] += message.bits.total
            received[neighbour] += 8 * len(message.payload)
    assert sent == received == dict.fromkeys(range(4), 2 * 520_096)
