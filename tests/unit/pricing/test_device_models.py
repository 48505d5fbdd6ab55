import numpy as np
import pytest

from costbench.pricing.battery import battery_energy, battery_percent
from costbench.pricing.compute import roofline_time
from costbench.pricing.drone import flight_time_lost, rotary_wing_power
from costbench.pricing.radio.cellular import transfer_power


def test_roofline_bound_by_arithmetic_memory_and_launches():
    # 1 GFLOP at 10 GFLOP/s = 0.1 s; 1 GB at 5 GB/s = 0.2 s; 100 launches of 1 ms = 0.1 s
    rates = {"flop_per_s": 10e9, "bytes_per_s": 5e9, "launch_time": 1e-3}
    seconds = roofline_time([1e9, 1e9, 0], [0, 1e9, 0], [0, 0, 100], **rates)
    assert seconds == pytest.approx([0.1, 0.2, 0.1], rel=1e-12)
    assert roofline_time(1e9, 1e9, 100, **rates) == pytest.approx(0.3, rel=1e-12)


def test_implied_rate_never_exceeds_the_attainable_one():
    flop = np.logspace(3, 15, 30)
    seconds = roofline_time(flop, 0, 1, flop_per_s=10e9, bytes_per_s=5e9, launch_time=1e-5)
    assert (flop / seconds < 10e9).all()


def test_rates_of_zero_are_refused():
    with pytest.raises(ValueError, match="above 0"):
        roofline_time(1, 1, 1, flop_per_s=0, bytes_per_s=1, launch_time=0)


def test_battery():
    # 78 J at the device behind a supply of 0.78 are 100 J; 100 J of 1000 J x 0.8 are 12.5 %
    assert battery_energy(78.0, 0.78) == pytest.approx(100, rel=1e-12)
    assert battery_percent(100.0, 1000.0, 0.8) == pytest.approx(12.5, rel=1e-12)
    with pytest.raises(ValueError, match="supply_efficiency"):
        battery_energy(1.0, 1.1)
    with pytest.raises(ValueError, match="capacity"):
        battery_percent(1.0, 0.0, 1.0)


def test_flight_time_lost():
    # A companion of 12.8 W flying 1674 s (27.9 min) beside 114.8 W: 21,427 J / 114.8 W = 186.6 s = 3.1 min
    assert flight_time_lost(12.8 * 1674, 114.8) / 60 == pytest.approx(3.11, rel=2e-3)
    with pytest.raises(ValueError, match="flight_power"):
        flight_time_lost(1.0, 0.0)


def test_a_negative_air_speed_is_refused():
    craft = dict.fromkeys(("blade_power", "induced_power", "tip_speed", "induced_velocity"), 1.0)
    craft |= dict.fromkeys(("drag_ratio", "air_density", "rotor_solidity", "disc_area"), 1.0)
    with pytest.raises(ValueError, match="speed"):
        rotary_wing_power(-1.0, **craft)


def test_power_of_a_cellular_transfer():
    # 1.4 W + 80.21 nJ/bit x 6 Mbit/s = 1.88126 W; 10 MB take 80e6 / 6e6 = 13.33 s and 25.08 J
    power = transfer_power([6e6], [1.4], [80.21e-9], 1e6, 25e6)
    assert power[0] == pytest.approx(1.88126, rel=1e-12)
    assert power[0] * 80e6 / 6e6 == pytest.approx(25.1, rel=2e-3)


@pytest.mark.parametrize("rate", [0.5e6, 30e6])
def test_a_fit_is_not_extrapolated(rate):
    with pytest.raises(ValueError, match="outside the fit"):
        transfer_power([6e6, rate], 1.4, 80e-9, 1e6, 25e6)
