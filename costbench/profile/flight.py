"""What a profile says of the aircraft that carries the device, and what an airframe is."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from costbench.errors import InputError
from costbench.profile.folders import AIRFRAMES, FOLDER
from costbench.profile.section import Section
from costbench.quantities import (
    Area,
    BatteryEnergy,
    Density,
    Duration,
    ExactCount,
    Factor,
    FlightPower,
    Force,
    Length,
    Mass,
    Power,
    Share,
    Speed,
)
from costbench.shipped import shipped
from costbench.validated import read_yaml, validated


class Flight(Section):
    """Flying with a companion computer; powers are at the flight battery."""

    mean_power: FlightPower
    takeoff_mass: Mass
    companion_mass: Mass
    induced_share: Share


class Airframe(Section):
    """An aircraft on the market: mass, rotors, battery, and the flight time that its maker states."""

    id: str = Field(min_length=1)
    title: str = Field(min_length=1)
    takeoff_mass: Mass
    rotors: ExactCount
    rotor_diameter: Length
    drive_efficiency: Share
    battery: BatteryEnergy
    flight_time: Duration


class ReferenceCraft(Section):
    """The craft whose power model is scaled to others."""

    id: str = Field(min_length=1)
    title: str = Field(min_length=1)
    weight: Force
    air_density: Density
    rotor_solidity: Factor
    disc_area: Area
    tip_speed: Speed
    blade_power: Power
    induced_power: Power
    induced_velocity: Speed
    drag_ratio: Factor


def list_airframes() -> list[str]:
    """Ids of the shipped airframes, sorted."""
    return sorted(path.stem for path in _folder().glob("*.yaml") if path.stem != "zeng2019")


def load_airframe(name: str) -> Airframe:
    """The shipped airframe of an id; InputError names the ids that there are."""
    if name not in list_airframes():
        raise InputError(_folder(), "", name, list_airframes())
    path = _folder() / f"{name}.yaml"
    return validated(Airframe, read_yaml(path), path)


def load_reference_craft() -> ReferenceCraft:
    """The craft of Zeng, Xu, Zhang 2019."""
    path = _folder() / "zeng2019.yaml"
    return validated(ReferenceCraft, read_yaml(path), path)


def _folder() -> Path:
    return shipped(FOLDER) / AIRFRAMES
