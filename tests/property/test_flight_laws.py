"""Laws of flight, batteries and carbon: monotone, linear, continuous at hover, zero at zero."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from costbench.pricing.battery import battery_energy, battery_percent, rounds_until_empty
from costbench.pricing.carbon import carbon_grams
from costbench.pricing.drone import (
    RotaryWing,
    best_endurance,
    carrying_flight_time,
    flight_time_lost,
    hover_powers,
    scaled_airframe,
)

SETTINGS = settings(max_examples=100, deadline=None)
CRAFT = RotaryWing(79.8563, 88.6279, 120, 4.0285, 0.6, 1.225, 0.05, 0.503)

energies = st.floats(0, 1e9)
shares = st.floats(0.05, 1)
factors = st.floats(1, 50)
weights = st.floats(1, 200)
areas = st.floats(0.01, 2)


@given(weights, areas)
@SETTINGS
def test_slow_flight_is_continuous_with_hover_and_cheaper_than_it(weight, area):
    craft = scaled_airframe(CRAFT, 20, weight, area)
    assert craft.at(1e-6) == pytest.approx(craft.at(0), rel=1e-9)
    speed, power = best_endurance(craft, craft.tip_speed / 2)
    assert 0 < speed < craft.tip_speed / 2
    assert power < craft.at(0)


@given(st.floats(25, 80), st.floats(0, 20))
@SETTINGS
def test_beyond_best_endurance_faster_takes_more(speed, more):
    assert CRAFT.at(speed + more) >= CRAFT.at(speed)


@given(weights, areas, factors)
@SETTINGS
def test_power_rises_with_weight_and_falls_with_disc_area(weight, area, factor):
    craft = scaled_airframe(CRAFT, 20, weight, area)
    heavier = scaled_airframe(CRAFT, 20, factor * weight, area)
    wider = scaled_airframe(CRAFT, 20, weight, factor * area)
    assert heavier.at(0) == pytest.approx(factor**1.5 * craft.at(0), rel=1e-9)
    assert wider.at(0) == pytest.approx(craft.at(0) / math.sqrt(factor), rel=1e-9)


@given(weights, weights, areas, areas)
@SETTINGS
def test_scaling_in_two_steps_is_scaling_in_one(weight, between, area, area_between):
    halfway = scaled_airframe(CRAFT, 20, between, area_between)
    found, once = scaled_airframe(halfway, between, weight, area), scaled_airframe(CRAFT, 20, weight, area)
    assert list(vars(found).values()) == pytest.approx(list(vars(once).values()), rel=1e-9)


@given(weights, factors)
@SETTINGS
def test_powers_of_hover_by_weight(weight, factor):
    numbers = {
        "profile_drag": 0.012,
        "air_density": 1.225,
        "rotor_solidity": 0.05,
        "disc_area": 0.503,
        "blade_speed": 300,
        "rotor_radius": 0.4,
        "induced_factor": 0.1,
    }
    light, heavy = (hover_powers(weight=w, **numbers) for w in (weight, factor * weight))
    assert heavy == pytest.approx((light[0], factor**1.5 * light[1], factor**0.5 * light[2]), rel=1e-9)


@given(st.floats(1e3, 1e6), st.floats(10, 500), st.floats(0, 1), shares, st.floats(0, 50), factors)
@SETTINGS
def test_carrying_costs_more_the_heavier_and_hungrier(energy, power, mass, share, idle, factor):
    lost = carrying_flight_time(energy, power, mass, share, idle)
    assert 0 <= lost < energy / power
    assert carrying_flight_time(energy, power, factor * mass, share, idle) >= lost * (1 - 1e-12)
    assert carrying_flight_time(energy, power, mass, share, factor * idle) >= lost * (1 - 1e-12)
    assert carrying_flight_time(factor * energy, power, mass, share, idle) == pytest.approx(factor * lost)
    assert carrying_flight_time(energy, power, 0, share, 0) == 0


@given(energies, st.floats(1, 500), factors)
@SETTINGS
def test_flight_lost_is_linear_in_energy_and_falls_with_power(drawn, power, factor):
    assert flight_time_lost(factor * drawn, power) == pytest.approx(factor * flight_time_lost(drawn, power))
    assert flight_time_lost(drawn, factor * power) == pytest.approx(flight_time_lost(drawn, power) / factor)


@given(st.lists(energies, min_size=1, max_size=5), shares, st.floats(1, 1e7))
@SETTINGS
def test_batteries_add_up(spent, share, capacity):
    spent = np.array(spent)
    assert battery_energy(spent.sum(), share) == pytest.approx(battery_energy(spent, share).sum(), rel=1e-9)
    assert battery_percent(spent.sum(), capacity, share) == pytest.approx(
        battery_percent(spent, capacity, share).sum(), rel=1e-9
    )
    assert (battery_energy(spent, share) >= spent).all()
    assert battery_energy(0, share) == battery_percent(0, capacity, share) == 0


@given(st.floats(1e-3, 1e9), st.floats(1, 1e7), shares, factors)
@SETTINGS
def test_rounds_that_fit_take_the_whole_battery(drawn, capacity, usable, factor):
    rounds = rounds_until_empty(drawn, capacity, usable)
    assert battery_percent(rounds * drawn, capacity, usable) == pytest.approx(100, rel=1e-9)
    assert rounds_until_empty(factor * drawn, capacity, usable) == pytest.approx(rounds / factor, rel=1e-9)


@given(energies, energies, st.floats(0, 1e-3))
@SETTINGS
def test_grams_are_linear_in_energy_and_intensity(one, other, intensity):
    together = carbon_grams(one + other, intensity)
    assert together == pytest.approx(carbon_grams(one, intensity) + carbon_grams(other, intensity), rel=1e-9)
    assert carbon_grams(one, 2 * intensity) == pytest.approx(2 * carbon_grams(one, intensity), rel=1e-9)
    assert carbon_grams(0, intensity) == 0
