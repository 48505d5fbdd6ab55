from dataclasses import dataclass

import numpy as np
import pytest

from costbench.errors import UsageError
from costbench.pricing.price import price
from costbench.pricing.uncertainty import Draws, chunks, draw, paired_ratio, seed_of, triangular
from costbench.profile import load_profile
from costbench.quantities import Count, Power

UNIFORM = np.linspace(0, 1, 1001)


def power(value, low, high):
    fields = {"value": value, "low": low, "high": high, "unit": "W", "source": "made up", "kind": "derived"}
    return Power.model_validate(fields)


def test_triangular_corners_and_median():
    # low 0, mode 1, high 2: symmetric, so the median is the mode; at u = 1/8 it is sqrt(1/8 x 2 x 1) = 0.5
    assert triangular(np.array([0, 0.125, 0.5, 1.0]), 0, 1, 2).tolist() == pytest.approx(
        [0, 0.5, 1, 2], rel=1e-12
    )
    assert triangular(UNIFORM, 3, 3, 3).tolist() == [3] * len(UNIFORM)


@pytest.mark.parametrize(("low", "mode", "high"), [(1, 1, 2), (1, 2, 2), (1, 1.2, 4)])
def test_triangular_mean_is_that_of_the_distribution(low, mode, high):
    middles = (np.arange(100_000) + 0.5) / 100_000
    assert triangular(middles, low, mode, high).mean() == pytest.approx((low + mode + high) / 3, rel=1e-4)


def test_wide_ranges_are_drawn_in_the_logarithm():
    # 1, 10, 100: symmetric in the logarithm, so the median is 10; in the plain number it would be higher
    assert np.median(draw(power(10, 1, 100), UNIFORM)) == pytest.approx(10, rel=1e-9)
    # 1, 2, 3 has a ratio of exactly 3: plain, median 2
    assert np.median(draw(power(2, 1, 3), UNIFORM)) == pytest.approx(2, rel=1e-9)
    assert draw(power(10, 0, 100), UNIFORM).min() == 0


def test_whole_numbers_are_rounded():
    mcs = {"value": 8, "low": 4, "high": 9, "unit": "count", "source": "made up", "kind": "assumed"}
    drawn = draw(Count.model_validate(mcs), UNIFORM)
    assert set(drawn) == {4, 5, 6, 7, 8, 9}


def test_draws_do_not_depend_on_platform_or_order():
    # First 64 bits of the SHA-256 of "phone", NUL, "idle.power", NUL, "0", by sha256sum
    assert seed_of("phone", "idle.power", 0) == 0x6572B6F630788B9B
    phone = load_profile("phone")
    one, other = Draws(phone, 5), Draws(phone, 5)
    other("compute.peak_rate")
    assert one("idle.power").tolist() == other("idle.power").tolist()
    assert one("idle.power")[0] == 0.1
    assert Draws(phone, 5, seed=1)("idle.power")[1] != one("idle.power")[1]


def test_parts_of_draws_share_what_was_used():
    draws = Draws(load_profile("phone"), 9)
    part = draws.part(slice(2, 4))
    assert part("idle.power").tolist() == draws("idle.power")[2:4].tolist()
    part("radios.lte.uplink.rate")
    assert list(draws.asked()) == ["idle.power", "radios.lte.uplink.rate"]
    assert draws.varying() == ["idle.power", "radios.lte.uplink.rate"]
    assert len(draws.drawn("idle.power")) == 9


def test_chunks_cover_all_draws():
    assert list(chunks(10, 3, 12)) == [slice(0, 4), slice(4, 8), slice(8, 10)]
    assert list(chunks(3, 100, 12)) == [slice(0, 1), slice(1, 2), slice(2, 3)]


@dataclass
class Made:
    draws: dict
    at_nominal: list

    def nominal(self, quantity):
        return np.array(self.at_nominal)


def made(joules, nominal):
    return Made({"total_j": np.array(joules, float), "time_s": np.array(joules, float)}, nominal)


def test_paired_ratio_of_fleets():
    # Draws of two nodes: fleets of a 4, 6, 8, 10, 12, of b 2, 3, 4, 5, 6: twice as much in every draw
    a = made([[1, 3], [2, 4], [3, 5], [4, 6], [5, 7]], [3.0, 5.0])
    b = made([[1, 1], [1, 2], [2, 2], [2, 3], [3, 3]], [2.0, 2.0])
    assert paired_ratio(a, b, "total_j") == pytest.approx((2, 2, 2, 2, 1.0, True), rel=1e-12)
    # Time is that of the slowest: maxima of 3 and 1 in the first draw
    assert paired_ratio(a, b, "time_s").p90 < 3
    assert paired_ratio(a, b, "time_s").nominal == pytest.approx(5 / 2, rel=1e-12)


@pytest.mark.parametrize(("against", "share", "claim"), [(9, 0.9, True), (8, 0.8, False)])
def test_a_claim_needs_the_sign_in_nine_of_ten_draws(against, share, claim):
    a = made([[2.0]] * against + [[0.5]] * (10 - against), [2.0])
    found = paired_ratio(a, made([[1.0]] * 10, [1.0]), "total_j")
    assert (found.sign_share, found.distinguishable) == (pytest.approx(share, rel=1e-12), claim)


def test_equal_runs_are_not_distinguishable():
    a = made([[1.0]] * 5, [1.0])
    assert not paired_ratio(a, a, "total_j").distinguishable


def test_no_ratio_to_a_run_that_needs_nothing():
    found = paired_ratio(made([[1.0]] * 3, [1.0]), made([[0.0]] * 3, [0.0]), "total_j")
    assert found.nominal == float("inf")
    assert found.distinguishable


def test_what_cannot_be_compared():
    with pytest.raises(UsageError, match="known are total_j"):
        paired_ratio(made([[1]], [1]), made([[1]], [1]), "joy")
    with pytest.raises(UsageError, match="1 and 2 draws"):
        paired_ratio(made([[1]], [1]), made([[1], [1]], [1]), "total_j")


def test_two_runs_on_one_profile_share_their_draws(counts):
    # Twice the computing costs exactly twice as much in every draw, though each draw differs.
    phone = load_profile("phone")
    one = price(counts(1, 10, (), [(0, "forward", 10**9, 100)]), phone, samples=200)
    two = price(counts(1, 20, (), [(0, "forward", 10**9, 100)]), phone, samples=200)
    ratio = paired_ratio(two, one, "total_j")
    assert ratio.p10 == pytest.approx(2, rel=1e-12)
    assert ratio.p90 == pytest.approx(2, rel=1e-12)
    assert np.ptp(one.draws["total_j"]) > 0.1 * one.draws["total_j"].mean()
