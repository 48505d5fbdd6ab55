"""Sourced: a number with its unit, range, source and kind; and tables of such numbers."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from costbench.units import to_si, units_of

Kind = Literal["measured", "datasheet", "paper", "derived", "standard", "assumed"]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]

_PLACEHOLDER = re.compile(r"\W*(todo|tbd|fixme|xxx+|n/?a|none|unknown|source|citation needed)?\W*", re.I)
_SHORTEST_SOURCE = 6


class Sourced(BaseModel):
    """A number that says where it comes from.

    Attributes
    ----------
    value, low, high : the number and the range that it lies in, in `unit`; low <= value <= high
    unit : one of `costbench.units.UNITS`; a subclass allows those of its dimension only
    source : publication, datasheet or data set with table or file; for a guess, that it is one
    kind : how the source knows it; `assumed` means that no source states it and needs low < high
    note : what else a reader should know
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    dimension: ClassVar[str] = ""
    lowest: ClassVar[float | None] = None
    highest: ClassVar[float | None] = None
    above_zero: ClassVar[bool] = False
    integer: ClassVar[bool] = False
    exact: ClassVar[bool] = False

    value: Number
    low: Number
    high: Number
    unit: str
    source: str
    kind: Kind
    note: str = ""

    @field_validator("value", "low", "high")
    @classmethod
    def _in_domain(cls, number: float) -> float:
        if cls.above_zero and number <= 0:
            raise ValueError("a number above 0")
        if cls.lowest is not None and number < cls.lowest:
            raise ValueError(f"a number of at least {cls.lowest:g}")
        if cls.highest is not None and number > cls.highest:
            raise ValueError(f"a number of at most {cls.highest:g}")
        if cls.integer and number != int(number):
            raise ValueError("a whole number")
        return number

    @field_validator("low")
    @classmethod
    def _low_below(cls, low: float, info: ValidationInfo) -> float:
        number = info.data.get("value", low)
        if low > number or (cls.exact and low != number):
            raise ValueError(f"{'exactly' if cls.exact else 'at most'} the value {number:g}")
        return low

    @field_validator("high")
    @classmethod
    def _high_above(cls, high: float, info: ValidationInfo) -> float:
        number = info.data.get("value", high)
        if high < number or (cls.exact and high != number):
            raise ValueError(f"{'exactly' if cls.exact else 'at least'} the value {number:g}")
        return high

    @field_validator("unit")
    @classmethod
    def _unit_of_dimension(cls, unit: str) -> str:
        return _unit_of(cls.dimension, unit)

    @field_validator("source")
    @classmethod
    def _no_placeholder(cls, source: str) -> str:
        return _stated(source)

    @field_validator("kind")
    @classmethod
    def _assumed_has_range(cls, kind: Kind, info: ValidationInfo) -> Kind:
        low, high = info.data.get("low"), info.data.get("high")
        if kind == "assumed" and low is not None and low == high:
            raise ValueError("an assumed number needs a range: low < high")
        return kind

    @property
    def si(self) -> float:
        """The value in SI."""
        return to_si(self.value, self.unit)

    @property
    def si_low(self) -> float:
        """The low end of the range in SI."""
        return to_si(self.low, self.unit)

    @property
    def si_high(self) -> float:
        """The high end of the range in SI."""
        return to_si(self.high, self.unit)


class Table(BaseModel):
    """A column of numbers from one place: it is not drawn, a number beside it carries the doubt.

    Attributes
    ----------
    values : the numbers in `unit`, at least one
    unit, source, kind, note : as of `Sourced`
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    dimension: ClassVar[str] = ""
    lowest: ClassVar[float | None] = None

    values: list[Number] = Field(min_length=1)
    unit: str
    source: str
    kind: Kind
    note: str = ""

    @field_validator("values")
    @classmethod
    def _in_domain(cls, numbers: list[float]) -> list[float]:
        if cls.lowest is not None and min(numbers) < cls.lowest:
            raise ValueError(f"numbers of at least {cls.lowest:g}")
        return numbers

    @field_validator("unit")
    @classmethod
    def _unit_of_dimension(cls, unit: str) -> str:
        return _unit_of(cls.dimension, unit)

    @field_validator("source")
    @classmethod
    def _no_placeholder(cls, source: str) -> str:
        return _stated(source)

    @property
    def si(self) -> tuple[float, ...]:
        """The numbers in SI."""
        return tuple(to_si(number, self.unit) for number in self.values)


def _unit_of(dimension: str, unit: str) -> str:
    if unit not in units_of(dimension):
        raise ValueError(f"a unit of {dimension or 'any kind'}: {', '.join(units_of(dimension))}")
    return unit


def _stated(source: str) -> str:
    if len(source.strip()) < _SHORTEST_SOURCE or _PLACEHOLDER.fullmatch(source):
        raise ValueError("a publication, datasheet or data set, not a placeholder")
    return source
