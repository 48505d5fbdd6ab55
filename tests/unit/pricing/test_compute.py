"""Time, power and tier of computing, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from costbench.errors import UsageError
from costbench.pricing.compute import tier_of
from costbench.pricing.compute_power import (
    clock_scaled_power,
    core_current,
    roofline_power,
    scaled_rate,
    table_power,
)
from costbench.pricing.fleet import device_of, fleet_of
from costbench.pricing.price import price, price_fleet
from costbench.pricing.scenario import Scenario
from costbench.pricing.skiptrain import skiptrain_time
from costbench.profile import load_profile
from costbench.profile.compatibility import list_compatibilities, load_compatibility

STEP = [(0, "forward", 2_500_000_000, 100), (0, "optimizer", 0, 0)]


def number(amount, unit):
    stated = {"source": "made up for a test", "kind": "measured"}
    return {"value": amount, "low": amount, "high": amount, "unit": unit, **stated}


def joules(priced, *terms):
    row = priced.per_node.iloc[0]
    return [row[f"{term}_j"] for term in terms]


def test_a_step_has_its_own_time(counts, device):
    def slow(document):
        document["compute"]["step_time"].update(value=0.2, low=0.2, high=0.2)

    # 0.15 s of operators and 0.2 s a step, in each of three rounds
    assert price(counts(1, 3, (), STEP), device(slow), samples=1).per_node["compute_s"].iloc[
        0
    ] == pytest.approx(3 * 0.35)
    mixing = [(0, "mix", 2_500_000_000, 100)]
    assert price(counts(1, 3, (), mixing), device(slow), samples=1).per_node["compute_s"].iloc[
        0
    ] == pytest.approx(3 * 0.15)


def test_power_by_a_roofline(counts, device):
    def roofline(document):
        document["compute"]["power"] = {
            "model": "roofline",
            "static_power": number(2, "W"),
            "energy_per_flop": number(100, "pJ/FLOP"),
            "energy_per_byte": number(50, "pJ/B"),
            "highest_power": number(10, "W"),
        }

    # 0.15 s a round at 2 W, and 2.5 GFLOP x 100 pJ = 0.25 J: 0.55 J, of which the idle device has 0.15 J
    active, static = joules(
        price(counts(1, 1, (), STEP), device(roofline), samples=1), "compute_active", "compute_static"
    )
    assert (active, static) == pytest.approx((0.4, 0.15))
    numbers = {"static_power": 2, "energy_per_flop": 1e-10, "energy_per_byte": 5e-11, "highest_power": 10}
    assert roofline_power([1e10, 1e12], [2e9, 0], **numbers).tolist() == pytest.approx([3.1, 10])


def test_power_by_a_makers_table(counts, device):
    def table(document):
        stated = {"source": "made up for a test", "kind": "datasheet"}
        document["compute"]["power"] = {
            "model": "cpu-table",
            "voltage": number(4, "V"),
            "active_current": number(20, "mA"),
            "table_error": number(1, "-"),
            "clusters": {
                "big": {
                    "cores": number(4, "count"),
                    "cluster_current": number(5, "mA"),
                    "frequencies": {"values": [1.0, 2.0], "unit": "GHz", **stated},
                    "core_currents": {"values": [100.0, 300.0], "unit": "mA", **stated},
                    "frequency": number(1.5, "GHz"),
                }
            },
        }

    # 4 V x (20 + 5 + 4 x 200) mA = 3.3 W for 0.15 s, of which 1 W is idle
    active, static = joules(
        price(counts(1, 1, (), STEP), device(table), samples=1), "compute_active", "compute_static"
    )
    assert (active, static) == pytest.approx((2.3 * 0.15, 0.15))
    assert table_power(4, 0.02, 0.005, 0.8) == pytest.approx(3.3)


def test_currents_between_and_beyond_the_table():
    assert core_current(1.5e9, [1e9, 2e9], [0.1, 0.3]) == pytest.approx(0.2)
    assert core_current(2e9, [1e9, 2e9], [0.1, 0.3]) == pytest.approx(0.3)
    with pytest.raises(ValueError, match="outside the table"):
        core_current(2.1e9, [1e9, 2e9], [0.1, 0.3])
    with pytest.raises(ValueError, match="ascending"):
        core_current(1e9, [2e9, 1e9], [0.1, 0.3])


def test_another_clock():
    # 6 W idle, 3 W above: at 1.5 times the clock 4.5 W above, with the exponent 3 it is 10.125 W.
    assert clock_scaled_power(6, 9, 1.5, 1) == pytest.approx(10.5)
    assert clock_scaled_power(6, 9, 1.5, 3) == pytest.approx(16.125)
    assert clock_scaled_power(6, 9, 1, 2.2) == 9
    assert scaled_rate(10e9, 2, 0.75) == pytest.approx(15e9)
    for wrong in ((6, 5, 1, 1), (6, 9, 0, 1)):
        with pytest.raises(ValueError, match="must be"):
            clock_scaled_power(*wrong)


def test_a_power_mode_is_a_cap_on_the_clock(counts, device):
    def modes(document):
        document["compute"]["launch_time"].update(value=0, low=0, high=0)
        document["compute"]["clock"] = {
            "reference": number(1, "GHz"),
            "power_exponent": number(1, "-"),
            "modes": {"FAST": {"clock": number(2, "GHz"), "memory_bandwidth": number(10, "GB/s")}},
        }

    profile = device(modes)
    run = counts(1, 1, (), STEP)
    slow, fast = (price_fleet(run, [device_of(profile, "lte", mode)], samples=1) for mode in (None, "FAST"))
    assert (slow.profile, fast.profile) == ("round-numbers", "round-numbers@FAST")
    # 2.5 GFLOP at 50 and at 100 GFLOP/s; 3 W, and 1 + 2 x 2 = 5 W
    assert slow.per_node["compute_s"].iloc[0] == pytest.approx(0.05)
    assert fast.per_node["compute_s"].iloc[0] == pytest.approx(0.025)
    assert joules(fast, "compute_active", "compute_static") == pytest.approx([4 * 0.025, 0.025])
    with pytest.raises(UsageError, match="no power mode 'TURBO': it has FAST"):
        device_of(profile, "lte", "TURBO")


@pytest.mark.parametrize(
    ("time_kind", "power_kind", "tier"),
    [("measured", "measured", "A"), ("measured", "paper", "B"), ("paper", "measured", "C")],
)
def test_tiers_follow_from_the_kinds_of_the_numbers(device, time_kind, power_kind, tier):
    def kinds(document):
        for section in document["compute"].values():
            if isinstance(section, dict) and "kind" in section:
                section["kind"] = time_kind
        document["compute"]["power"]["train_power"]["kind"] = power_kind

    assert tier_of(fleet_of([device_of(device(kinds))], 1, 0, None)) == tier


def test_skiptrains_rule_by_hand(counts):
    # Published for CIFAR-10: 89,834 parameters, 640 samples, 27 ms and 17.7 W: 6.532875 mWh
    seconds = skiptrain_time(89_834, 640, 0.027, 3_504_872, 3)
    assert 17.7 * seconds / 3.6 == pytest.approx(6.532875, rel=1e-6)
    with pytest.raises(ValueError, match="above 0"):
        skiptrain_time(1, 1, 1, 0, 3)


def test_skiptrain_replaces_the_compute_model(counts):
    run = counts(1, 2, (), STEP)
    with pytest.raises(UsageError, match="no parameters or batch"):
        mode = Scenario(compatibility=load_compatibility("skiptrain/xiaomi-12-pro"))
        price(run, load_profile("phone"), samples=1, scenario=mode)
    run = type(run)(**{**vars(run), "parameters": 89_834, "batch": 640})
    priced = price(run, load_profile("phone"), samples=1, scenario=mode)
    assert sum(joules(priced, "compute_active", "compute_static")) == pytest.approx(
        2 * 3.6 * 6.532875, rel=1e-6
    )
    assert "no measurement" in priced.notes[0]


def test_tables_that_there_are():
    assert "skiptrain/xiaomi-poco-x3" in list_compatibilities()
    with pytest.raises(UsageError, match=r"skiptrain/nokia.*allowed.*skiptrain/oneplus-nord2-5g"):
        load_compatibility("skiptrain/nokia")


def test_every_number_of_a_fleet_is_an_array_over_draws():
    fleet = fleet_of([device_of(load_profile("phone"))], 7, 0, None)
    assert fleet("idle.power").shape == (8, 1)
    assert np.ptp(fleet("idle.power")) > 0
