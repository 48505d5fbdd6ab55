"""Laws of computing: monotone, homogeneous, continuous where the bound changes, zero at zero."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from costbench.pricing.compute import roofline_time
from costbench.pricing.compute_power import (
    clock_scaled_power,
    core_current,
    roofline_power,
    scaled_rate,
    table_power,
)
from costbench.pricing.skiptrain import skiptrain_time

SETTINGS = settings(max_examples=100, deadline=None)

amounts = st.floats(0, 1e12)
rates = st.floats(1e6, 1e13)
factors = st.floats(1, 100)
powers = st.floats(0, 100)
MACHINE = {"flop_per_s": 1e9, "bytes_per_s": 1e8, "launch_time": 1e-5}
SILICON = {"static_power": 2.0, "energy_per_flop": 1e-11, "energy_per_byte": 1e-10, "highest_power": 50.0}


def machine(flop_per_s, bytes_per_s, launch_time=1e-5):
    return {"flop_per_s": flop_per_s, "bytes_per_s": bytes_per_s, "launch_time": launch_time}


@given(amounts, amounts, st.integers(0, 10_000), rates, rates, factors)
@SETTINGS
def test_time_is_homogeneous_and_falls_with_the_rates(flop, moved, launches, at, bandwidth, factor):
    once = roofline_time(flop, moved, launches, **machine(at, bandwidth))
    many = roofline_time(factor * flop, factor * moved, factor * launches, **machine(at, bandwidth))
    faster = roofline_time(flop, moved, launches, **machine(factor * at, factor * bandwidth, 1e-5 / factor))
    assert many == pytest.approx(factor * once, rel=1e-9)
    assert faster == pytest.approx(once / factor, rel=1e-9)


@given(amounts, amounts, st.integers(0, 10_000), factors)
@SETTINGS
def test_no_count_makes_it_quicker_and_none_takes_nothing(flop, moved, launches, factor):
    once = roofline_time(flop, moved, launches, **MACHINE)
    for more in (
        (factor * flop, moved, launches),
        (flop, factor * moved, launches),
        (flop, moved, 2 * launches),
    ):
        assert roofline_time(*more, **MACHINE) >= once
    assert roofline_time(0, 0, 0, **MACHINE) == 0


@given(st.floats(1, 1e12), st.floats(1e-12, 1e-6))
@SETTINGS
def test_time_is_continuous_where_memory_takes_over(flop, step):
    # Arithmetic and memory take equally long at a tenth of a byte an operation
    at, beyond = (roofline_time(flop, flop / 10 * (1 + by), 0, **MACHINE) for by in (0, step))
    assert beyond == pytest.approx(at, rel=1.01 * step + 1e-15)


@given(amounts, rates)
@SETTINGS
def test_a_roofline_never_beats_its_peak(flop, peak):
    seconds = roofline_time(flop + 1, 0, 0, **machine(peak, 1e9))
    assert (flop + 1) / seconds <= peak * (1 + 1e-9)


@given(rates, rates, factors)
@SETTINGS
def test_power_rises_with_the_rates_up_to_its_cap(flop, moved, factor):
    once = roofline_power(flop, moved, **SILICON)
    assert SILICON["static_power"] <= once <= SILICON["highest_power"]
    assert roofline_power(factor * flop, moved, **SILICON) >= once
    assert roofline_power(flop, factor * moved, **SILICON) >= once
    assert roofline_power(0, 0, **SILICON) == SILICON["static_power"]


@given(powers, powers, st.floats(0.1, 3), st.floats(1, 3), factors)
@SETTINGS
def test_another_clock_changes_what_is_above_idle(idle, dynamic, ratio, exponent, factor):
    power = clock_scaled_power(idle, idle + dynamic, ratio, exponent)
    assert power >= idle
    assert clock_scaled_power(idle, idle + dynamic, 1.0, exponent) == pytest.approx(idle + dynamic)
    assert clock_scaled_power(idle, idle + dynamic, factor * ratio, exponent) >= power
    twice = clock_scaled_power(idle, idle + 2 * dynamic, ratio, exponent)
    assert twice - idle == pytest.approx(2 * (power - idle), rel=1e-6, abs=1e-9)


@given(
    st.lists(st.floats(1, 100), min_size=2, max_size=6),
    st.lists(st.floats(0, 1), min_size=2, max_size=6),
    st.floats(0, 1),
    st.floats(0, 1),
)
@SETTINGS
def test_current_rises_between_the_entries_of_a_rising_table(steps, more, share, other):
    length = min(len(steps), len(more))
    clocks, currents = np.cumsum(steps[:length]), np.cumsum(more[:length])
    lower, upper = sorted((share, other))
    at = [clocks[0] + part * (clocks[-1] - clocks[0]) for part in (lower, upper)]
    found = [core_current(min(clock, clocks[-1]), clocks, currents) for clock in at]
    assert currents[0] <= found[0] <= found[1] <= currents[-1]
    for clock, current in zip(clocks, currents, strict=True):
        assert core_current(clock, clocks, currents) == pytest.approx(current, rel=1e-12)


@given(st.floats(3, 5), powers, powers, powers, factors)
@SETTINGS
def test_power_by_a_table_is_linear_in_its_currents(voltage, awake, cluster, cores, factor):
    once = table_power(voltage, awake, cluster, cores)
    assert table_power(voltage, factor * awake, factor * cluster, factor * cores) == pytest.approx(
        factor * once
    )
    assert once == pytest.approx(sum(table_power(voltage, *one) for one in np.diag([awake, cluster, cores])))


@given(rates, factors, factors)
@SETTINGS
def test_a_rate_scales_with_cores_and_clock(rate, cores, clock):
    assert scaled_rate(scaled_rate(rate, cores, 1), 1, clock) == pytest.approx(
        scaled_rate(rate, cores, clock)
    )


@given(st.integers(0, 10**8), st.integers(0, 64), factors)
@SETTINGS
def test_skiptrains_rule_is_linear_and_zero_at_zero(parameters, samples, factor):
    once = skiptrain_time(parameters, samples, 0.01, 3_504_872, 3)
    assert skiptrain_time(factor * parameters, samples, 0.01, 3_504_872, 3) == pytest.approx(factor * once)
    assert (
        skiptrain_time(0, samples, 0.01, 3_504_872, 3)
        == skiptrain_time(parameters, 0, 0.01, 3_504_872, 3)
        == 0
    )
