"""Airframes, batteries and carbon, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from costbench.errors import InputError
from costbench.pricing.battery import rounds_until_empty
from costbench.pricing.carbon import carbon_grams
from costbench.pricing.drone import (
    RotaryWing,
    airframe_powers,
    best_endurance,
    carrying_flight_time,
    scaled_airframe,
)
from costbench.pricing.price import price
from costbench.pricing.scenario import Scenario
from costbench.profile.flight import list_airframes, load_airframe, load_reference_craft
from costbench.quantities import CarbonIntensity

CRAFT = RotaryWing(79.8563, 88.6279, 120, 4.0285, 0.6, 1.225, 0.05, 0.503)


def test_a_craft_scaled_to_itself_is_itself():
    assert scaled_airframe(CRAFT, 20, 20, 0.503) == CRAFT


def test_powers_go_with_weight_and_disc_area():
    # Twice the weight on the same discs: 2^1.5 times the power; twice the discs too: twice the power.
    heavier, larger = scaled_airframe(CRAFT, 20, 40, 0.503), scaled_airframe(CRAFT, 20, 40, 1.006)
    assert heavier.at(0) == pytest.approx(2**1.5 * CRAFT.at(0), rel=1e-12)
    assert larger.at(0) == pytest.approx(2 * CRAFT.at(0), rel=1e-12)
    # P0 stays delta/8 rho s A (Omega R)^3, and v0 sqrt(W / (2 rho A))
    assert heavier.blade_power / heavier.tip_speed**3 == pytest.approx(CRAFT.blade_power / 120**3, rel=1e-12)
    assert heavier.induced_velocity == pytest.approx(np.sqrt(40 / (2 * 1.225 * 0.503)), rel=1e-4)
    with pytest.raises(ValueError, match="above 0"):
        scaled_airframe(CRAFT, 20, 0, 0.503)


def test_the_speed_of_least_power():
    speed, power = best_endurance(CRAFT, 40)
    assert (speed, power) == pytest.approx((10.2, 126.0), rel=2e-3)
    assert power < min(CRAFT.at(speed - 0.5), CRAFT.at(speed + 0.5))


def test_an_airframe_at_its_battery():
    mini, craft = load_airframe("mavic-mini"), load_reference_craft()
    powers = airframe_powers(mini, craft)
    # W = 0.249 x 9.80665 N, A = 4 pi (4.7 x 0.0254 / 2)^2 = 0.04477 m2; 168.5 W in hover of 20 N on 0.503 m2
    expected = (0.249 * 9.80665 / 20) ** 1.5 * np.sqrt(0.503 / 0.044773) * 168.484 / 0.7
    assert powers.hover == pytest.approx(expected, rel=1e-3)
    assert powers.best_endurance < powers.hover
    assert 0 < powers.best_speed < 20


def test_airframes_that_there_are():
    assert list_airframes() == ["mavic-2", "mavic-3", "mavic-air-2", "mavic-mini", "mavic-pro"]
    with pytest.raises(InputError, match=r"mavic-4.*mavic-mini"):
        load_airframe("mavic-4")


def test_carrying_a_computer():
    # 100 Wh at 100 W fly an hour. 21 % more mass: 1.21^1.5 = 1.331, half of the power is induced: 116.55 W;
    # with 3.45 W of computer 120 W: 50 minutes.
    lost = carrying_flight_time(360_000, 100, 0.21, 0.5, 3.45)
    assert lost == pytest.approx(600, rel=1e-9)
    assert carrying_flight_time(360_000, 100, 0, 0.5, 0) == 0
    for wrong in ((1, 0, 0, 0.5, 0), (1, 1, -1, 0.5, 0), (1, 1, 0, 0.5, -1)):
        with pytest.raises(ValueError, match="must be"):
            carrying_flight_time(*wrong)


def test_minutes_and_rounds_in_a_price(counts, device):
    # 800 J of battery are usable; a round of 0.15 s at 3 W is 0.45 J at the device, 0.9 J at the battery.
    row = price(counts(1, 1, (), [(0, "forward", 2_500_000_000, 100)]), device(), samples=1).per_node.iloc[0]
    assert row["rounds_until_empty"] == pytest.approx(800 / 0.9)
    assert row["battery_percent"] == pytest.approx(100 * 0.9 / 800)
    # 800 J at 100 W are 8 s; 21 % of mass and 2 W of idle computer: 118.55 W
    assert row["flight_carrying_min"] == pytest.approx((8 - 800 / 118.55) / 60, rel=1e-9)
    assert rounds_until_empty(0, 1000, 0.8) == np.inf


def test_grams(counts, device):
    assert carbon_grams(3.6e6, 300 / 3.6e6) == pytest.approx(300)
    with pytest.raises(ValueError, match="negative"):
        carbon_grams(1, -1)
    stated = {
        "value": 360,
        "low": 180,
        "high": 720,
        "unit": "g/kWh",
        "source": "a test's own",
        "kind": "derived",
    }
    scenario = Scenario(carbon=CarbonIntensity(**stated))
    run = counts(2, 1, (), [(n, "forward", 2_500_000_000, 100) for n in range(2)])
    priced = price(run, device(), samples=400, scenario=scenario)
    # 0.9 J of both nodes x 0.1 mg/J
    assert priced.carbon_g["nominal"] == pytest.approx(0.9e-4)
    assert 0.5e-4 < priced.carbon_g["p10"] < priced.carbon_g["p50"] < priced.carbon_g["p90"] < 1.8e-4
    assert price(run, device(), samples=4).carbon_g is None
