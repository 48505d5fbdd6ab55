"""Position codes worked by hand, and how near they come to log2 C(n, k).

Shapes: K kept entries.
"""

import math
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.special import gammaln

from costbench.errors import WireError
from costbench.training.vectors import Sparse
from costbench.training.wire.positions import CODES, Pieces, Places
from costbench.training.wire.sparse import places_of


def places(numels, kept, inside):
    pieces = Pieces(numels, kept)
    return Places(torch.tensor(inside), pieces), pieces


def at_random(numels, kept, seed=0):
    chance = np.random.default_rng(seed)
    inside = [np.sort(chance.choice(n, k, replace=False)) for n, k in zip(numels, kept, strict=True)]
    return np.concatenate(inside)


def bits_of(octets):
    return "".join(f"{octet:08b}" for octet in octets.tolist())


def least_bits(numels, kept):
    """log2 C(n, k), summed over the pieces."""
    n, k = np.array(numels, float), np.array(kept, float)
    return float((gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)).sum() / math.log(2))


def written(name, numels, kept, inside):
    where, pieces = places(numels, kept, inside)
    code = CODES[name](pieces)
    section = code.write(where)
    assert code.read(section.octets).tolist() == list(inside)
    assert 8 * len(section.octets) == section.index + section.side + section.padding
    return section


# Two pieces, of 10 and 6 entries, with positions 1, 2, 7 and 4: gaps 1, 0, 4 and 4.
EXAMPLE = ([10, 6], [3, 1], [1, 2, 7, 4])


def test_coo_by_hand():
    for name, width in (("coo16", 2), ("coo32", 4), ("coo64", 8)):
        section = written(name, *EXAMPLE)
        assert section.octets.tolist() == [
            octet for position in (1, 2, 7, 4) for octet in position.to_bytes(width, "little")
        ]
        assert section.index == 4 * 8 * width


def test_packed_by_hand():
    # ceil(log2 10) = 4 bits for three, ceil(log2 6) = 3 bits for one
    assert bits_of(written("packed", *EXAMPLE).octets) == "0001" + "0010" + "0111" + "100" + "0"


def test_a_map_by_hand():
    assert bits_of(written("bitmap", *EXAMPLE).octets) == "0110000100" + "000010"


def test_golomb_rice_by_hand():
    # b = floor(log2(floor(0.69 n / k))): 10 / 3 gives 2, b = 1; 6 / 1 gives 4, b = 2. Bits with b changed by
    # -1 to (0, 1): quotients 1 + 0 + 4 + 2, a one each 4, low bits 0 + 0 + 0 + 1: 12, the first of its length
    #  0 at (1, 2): 0 + 0 + 2 + 1, 4, 1 + 1 + 1 + 2: 12
    #  1 to (2, 3): 0 + 0 + 1 + 0, 4, 2 + 2 + 2 + 3: 14
    # The change -1 is written as 0.
    section = written("golomb-rice", *EXAMPLE)
    assert (section.side, section.index) == (8, 12)
    low, unary = "0", "01" + "1" + "00001" + "001"  # 4 = 2 x 2 + 0
    assert bits_of(section.octets) == f"{0:08b}" + low + unary + "0000"


def test_elias_fano_by_hand():
    # l = floor(log2(floor(n / k))): 10 / 3 -> 1 bit, 6 / 1 -> 2 bits; zeros: 9 >> 1 = 4 and 5 >> 2 = 1
    # low bits 1, 0, 1 and 00; high 0, 1, 3: 1 0 1 0 0 1 0; high 1: 0 1
    section = written("elias-fano", *EXAMPLE)
    assert bits_of(section.octets) == "10100" + "1010010" + "01" + "00"


def test_elias_gamma_by_hand():
    # gaps + 1 are 2, 1, 5, 5: 1, 0, 2 and 2 zeros, each before a one; after the first bit 0, -, 01, 01
    section = written("elias-gamma", *EXAMPLE)
    assert bits_of(section.octets) == "01" + "1" + "001" + "001" + "0" + "01" + "01" + "00"


@pytest.mark.parametrize(
    ("numel", "keep"), [(272_474, 0.001), (272_474, 0.01), (272_474, 0.1), (272_474, 0.4), (2_359_296, 0.001)]
)
def test_the_entropy_code_is_within_one_percent_of_the_least(numel, keep):
    kept = int(numel * keep)
    section = written("entropy", [numel], [kept], at_random([numel], [kept]))
    bound = least_bits([numel], [kept])
    assert bound <= section.index <= 1.01 * bound


RESNET20 = [432, 16, 16, *[2304, 16, 16] * 6, 4608, 32, 32, *[9216, 32, 32] * 5, 18432, 64, 64]
RESNET20 += [*[36864, 64, 64] * 5, 640, 10]


@pytest.mark.parametrize(("keep", "above"), [(0.001, 0.03), (0.01, 0.01), (0.1, 0.01)])
def test_the_entropy_code_of_many_pieces_pays_for_each(keep, above):
    """Each piece that keeps k > 1 costs half of log2(2 pi k (1 - k/n)) more: seen where pieces are small."""
    kept = [max(1, int(n * keep)) for n in RESNET20]
    section = written("entropy", RESNET20, kept, at_random(RESNET20, kept))
    bound = least_bits(RESNET20, kept)
    several = [(n, k) for n, k in zip(RESNET20, kept, strict=True) if k > 1]
    known = sum(0.5 * math.log2(2 * math.pi * k * (1 - k / n)) for n, k in several)
    assert bound <= section.index <= (1 + above) * bound
    assert section.index == pytest.approx(bound + known, abs=0.004 * bound + 16)


@pytest.mark.parametrize(("keep", "bits"), [(0.001, 11.5), (0.01, 8.10), (0.1, 4.76)])
def test_golomb_rice_takes_what_the_literature_says(keep, bits):
    """Bits an index at the best parameter, n = 272,474, uniform positions: independent measurements."""
    kept = int(272_474 * keep)
    section = written("golomb-rice", [272_474], [kept], at_random([272_474], [kept]))
    assert section.index / kept == pytest.approx(bits, rel=0.006)


@pytest.mark.parametrize(("keep", "bits"), [(0.001, 12.0), (0.01, 8.6), (0.1, 5.25)])
def test_elias_fano_stays_within_two_bits_of_the_ratio(keep, bits):
    kept = int(272_474 * keep)
    section = written("elias-fano", [272_474], [kept], at_random([272_474], [kept]))
    assert section.index / kept == pytest.approx(bits, rel=0.006)
    assert section.index <= kept * (2 + math.log2(272_474 / kept))


@pytest.mark.parametrize("name", CODES)
def test_codes_never_promise_less_than_they_hold(name):
    for seed in range(20):
        kept = [40, 1, 3]
        where, pieces = places([300, 7, 3], kept, at_random([300, 7, 3], kept, seed))
        code = CODES[name](pieces)
        length = len(code.write(where).octets)
        assert length - 8 <= code.least_bytes(where) <= length
        assert name == "entropy" or code.least_bytes(where) == length


@pytest.mark.parametrize("name", CODES)
def test_clusters_and_ends_of_pieces_come_back(name):
    for inside in ([0, 1, 2, 0], [997, 998, 999, 9], [0, 500, 999, 5]):
        written(name, [1000, 10], [3, 1], inside)


def test_a_gap_far_above_the_mean_comes_back():
    """100,000 entries, the gap after 999 neighbours: 99,000 cells, beyond those with a probability."""
    inside = [*range(999), 99_998]
    section = written("entropy", [100_000], [1000], inside)
    # 998 gaps of 0 of cells of 12: about 3 bits for 0 cells, log2 12 for the rest; one of 36 bits more
    assert section.index < 998 * (3.2 + 3.6) + 50


@pytest.mark.parametrize(("name", "longest"), [("coo16", 2**16), ("coo32", 2**32), ("entropy", 2**24 - 1)])
def test_a_tensor_that_a_code_cannot_address_is_refused(name, longest):
    CODES[name](Pieces([longest], [1]))
    with pytest.raises(WireError, match=f"{name} reaches tensors of {longest:,} entries, not of"):
        CODES[name](Pieces([longest + 1], [1]))


@pytest.mark.parametrize("positions", [(3, 3), (4, 2)])
def test_positions_that_do_not_ascend_are_refused(positions):
    octets = torch.tensor([octet for p in positions for octet in p.to_bytes(4, "little")], dtype=torch.uint8)
    with pytest.raises(WireError, match="do not ascend"):
        CODES["coo32"](Pieces([9], [2])).read(octets)
    with pytest.raises(WireError, match="do not ascend"):
        places_of(Sparse(torch.tensor(positions), torch.ones(2), 9), Pieces([9], [2]))


@pytest.mark.parametrize("name", CODES)
def test_a_zero_byte_after_the_last_position_is_refused(name):
    where, pieces = places(*EXAMPLE)
    code = CODES[name](pieces)
    longer = torch.cat([code.write(where).octets, torch.zeros(1, dtype=torch.uint8)])
    with pytest.raises(WireError):
        code.read(longer)


@pytest.mark.parametrize("name", ["packed", "bitmap", "golomb-rice", "elias-fano", "elias-gamma"])
def test_a_bit_after_the_last_position_is_refused(name):
    where, pieces = places(*EXAMPLE)
    code = CODES[name](pieces)
    octets = code.write(where).octets
    assert octets[-1] & 1 == 0, "the last bit fills the byte in all of them"
    octets[-1] |= 1
    with pytest.raises(WireError):
        code.read(octets)


@pytest.mark.parametrize("name", CODES)
def test_a_vector_without_kept_entries_takes_no_position(name):
    where, pieces = places([5], [0], np.array([], np.int64))
    section = CODES[name](pieces).write(where)
    assert CODES[name](pieces).read(section.octets).tolist() == []


PAGE = Path(__file__).parents[3] / "docs" / "wire.md"


def test_the_page_says_what_was_measured():
    rows = re.findall(
        r"^\| `?([\w-]+)[^|]*` ?\|(?: ([\d.]+) \|)(?: ([\d.]+) \|)(?: ([\d.]+) \|)$", PAGE.read_text(), re.M
    )
    assert [name for name, *_ in rows] == [name for name in CODES if not name.startswith("coo")]
    for name, *stated in rows:
        for kept, bits in zip((272, 2_724, 27_247), stated, strict=True):
            section = written(name, [272_474], [kept], at_random([272_474], [kept]))
            assert f"{(section.index + section.side) / kept:.2f}" == bits, (name, kept)
    for kept, bound in zip((272, 2_724, 27_247), ("11.39", "8.08", "4.69"), strict=True):
        assert f"{least_bits([272_474], [kept]) / kept:.2f}" == bound
        assert f"| {bound} |" in PAGE.read_text()
