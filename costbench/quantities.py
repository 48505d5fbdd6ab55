"""One class of sourced number a dimension: what a profile's keys are made of."""

from __future__ import annotations

from typing import ClassVar

from costbench.sourced import Sourced, Table


class _NotNegative(Sourced):
    lowest: ClassVar[float | None] = 0.0


class Power(_NotNegative):
    dimension: ClassVar[str] = "power"


class Energy(_NotNegative):
    dimension: ClassVar[str] = "energy"


class BatteryEnergy(Sourced):
    dimension: ClassVar[str] = "energy"
    above_zero: ClassVar[bool] = True


class FlightPower(Sourced):
    dimension: ClassVar[str] = "power"
    above_zero: ClassVar[bool] = True


class Duration(_NotNegative):
    dimension: ClassVar[str] = "time"


class Share(Sourced):
    """A fraction above 0 and up to 1."""

    dimension: ClassVar[str] = "fraction"
    above_zero: ClassVar[bool] = True
    highest: ClassVar[float | None] = 1.0


class ComputeRate(Sourced):
    dimension: ClassVar[str] = "compute rate"
    above_zero: ClassVar[bool] = True


class ByteRate(Sourced):
    dimension: ClassVar[str] = "byte rate"
    above_zero: ClassVar[bool] = True


class BitRate(Sourced):
    dimension: ClassVar[str] = "bit rate"
    above_zero: ClassVar[bool] = True


class EnergyPerBit(_NotNegative):
    dimension: ClassVar[str] = "energy per bit"


class Count(_NotNegative):
    """A whole number of things, with a range."""

    dimension: ClassVar[str] = "count"
    integer: ClassVar[bool] = True


class ExactCount(Count):
    """A whole number that is a convention: no range."""

    exact: ClassVar[bool] = True


class ExactBytes(_NotNegative):
    """Bytes that a standard fixes: no range."""

    dimension: ClassVar[str] = "bytes"
    integer: ClassVar[bool] = True
    exact: ClassVar[bool] = True


class ExactDuration(Duration):
    """A time that a standard fixes: no range."""

    exact: ClassVar[bool] = True


class ExactFrequency(Sourced):
    """A frequency that a standard or a choice fixes: no range."""

    dimension: ClassVar[str] = "frequency"
    above_zero: ClassVar[bool] = True
    exact: ClassVar[bool] = True


class ExactBitRate(BitRate):
    """A rate that a standard or a fit fixes: no range."""

    exact: ClassVar[bool] = True


class Fraction(_NotNegative):
    """A fraction from 0 to 1, both included."""

    dimension: ClassVar[str] = "fraction"
    highest: ClassVar[float | None] = 1.0


class ExactFraction(Fraction):
    """A fraction that a rule or a choice fixes: no range."""

    exact: ClassVar[bool] = True


class Factor(Sourced):
    """A factor, exponent or ratio above 0."""

    dimension: ClassVar[str] = "fraction"
    above_zero: ClassVar[bool] = True


class Level(Sourced):
    """A power in decibels above a milliwatt."""

    dimension: ClassVar[str] = "level"


class Decibel(Sourced):
    dimension: ClassVar[str] = "decibel"


class Length(Sourced):
    dimension: ClassVar[str] = "length"
    above_zero: ClassVar[bool] = True


class Area(Sourced):
    dimension: ClassVar[str] = "area"
    above_zero: ClassVar[bool] = True


class Mass(_NotNegative):
    dimension: ClassVar[str] = "mass"


class Speed(Sourced):
    dimension: ClassVar[str] = "speed"
    above_zero: ClassVar[bool] = True


class Density(Sourced):
    dimension: ClassVar[str] = "density"
    above_zero: ClassVar[bool] = True


class Force(Sourced):
    dimension: ClassVar[str] = "force"
    above_zero: ClassVar[bool] = True


class Current(_NotNegative):
    dimension: ClassVar[str] = "current"


class Voltage(Sourced):
    dimension: ClassVar[str] = "voltage"
    above_zero: ClassVar[bool] = True


class EnergyPerFlop(_NotNegative):
    dimension: ClassVar[str] = "energy per FLOP"


class EnergyPerByte(_NotNegative):
    dimension: ClassVar[str] = "energy per byte"


class CarbonIntensity(_NotNegative):
    dimension: ClassVar[str] = "carbon intensity"


class Levels(Table):
    dimension: ClassVar[str] = "level"


class Frequencies(Table):
    dimension: ClassVar[str] = "frequency"
    lowest: ClassVar[float | None] = 0.0


class Currents(Table):
    dimension: ClassVar[str] = "current"
    lowest: ClassVar[float | None] = 0.0
