"""Predictions of flight: the power of a rotary wing, and of airframes on the market."""

from __future__ import annotations

from costbench.pricing.drone import (
    RotaryWing,
    airframe_powers,
    best_endurance,
    hover_powers,
)
from costbench.profile.flight import load_airframe, load_reference_craft
from costbench.validation.entries import Endurance, Propulsion
from costbench.validation.measures import Prediction, largest_error, ordering_error

#: highest speed at which least power is looked for [m/s]
FASTEST = 40.0


def propulsion(entry: Propulsion) -> list[Prediction]:
    """Hover, least power, and power at two speeds, from the constants of the publication."""
    inputs = entry.inputs
    blade, induced, velocity = hover_powers(
        weight=inputs.weight_n,
        profile_drag=inputs.delta,
        air_density=inputs.rho,
        rotor_solidity=inputs.s,
        disc_area=inputs.disc_area_m2,
        blade_speed=inputs.omega_rad_s,
        rotor_radius=inputs.rotor_radius_m,
        induced_factor=inputs.k,
    )
    craft = RotaryWing(
        blade, induced, inputs.u_tip_m_s, velocity, inputs.d0, inputs.rho, inputs.s, inputs.disc_area_m2
    )
    speed, least = best_endurance(craft, FASTEST)
    known = {
        "P0_W": blade,
        "Pi_W": induced,
        "v0": velocity,
        "hover_W": craft.at(0.0),
        "min_power_W": least,
        "min_power_speed": speed,
        "P20_W": craft.at(20.0),
        "P30_W": craft.at(30.0),
    }
    predicted = [known[name] for name in entry.measured]
    return [largest_error("power", predicted, list(entry.measured.values()))]


def endurance(entry: Endurance) -> list[Prediction]:
    """Mean flight power of each airframe at its best endurance, and whether the order is right."""
    craft = load_reference_craft()
    predicted = [
        airframe_powers(load_airframe(row.airframe.replace("_", "-")), craft).best_endurance
        for row in entry.rows
    ]
    measured = [row.mean_power_w for row in entry.rows]
    each = [
        largest_error(r.airframe, [p], [r.mean_power_w]) for r, p in zip(entry.rows, predicted, strict=True)
    ]
    return [*each, ordering_error("ordering", predicted, measured)]
