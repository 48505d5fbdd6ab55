"""Cells as a reader wants them: three digits and the unit that the column's name ends in."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from costbench import units
from costbench.reporting.columns import PLAIN_COUNTS
from costbench.reporting.tables import is_missing

MISSING = "–"
TIMES, NO_BREAK = "×", "\u00a0"
_BY_SUFFIX: dict[str, Callable[[float], str]] = {
    "_bits": units.format_bits,
    "_bytes": units.format_bytes,
    "_flop": units.format_flop,
    "_g": lambda grams: units.format_si(grams, "g"),
    "_j": units.format_joules,
    "_s": units.format_seconds,
    "_min": lambda minutes: f"{digits(minutes)} min",
    "_percent": lambda percent: percentage(percent),
    "_ratio": lambda ratio: digits(ratio) + TIMES,
}


def text(column: str, cell: Any) -> str:
    """A cell of that column in words: `text("sent_bits", 3452748800)` is "3.45 Gbit"."""
    if is_missing(cell):
        return MISSING
    if isinstance(cell, str):
        return cell
    format_of = next((by for suffix, by in _BY_SUFFIX.items() if column.endswith(suffix)), None)
    words = format_of(cell) if format_of else _without_unit(column, cell)
    return words.replace(" ", NO_BREAK)


def _without_unit(column: str, cell: float) -> str:
    if column in ("round", "seed"):
        return str(cell)
    return f"{cell:,.0f}".replace(",", " ") if column in PLAIN_COUNTS else digits(cell)


def percentage(percent: float) -> str:
    """A percentage with one decimal, or three digits where it is below 1 %."""
    return f"{percent:.1f} %" if abs(percent) >= 1 or not percent else f"{digits(percent)} %"


def low_end(column: str, low: Any, high: Any) -> str:
    """The lower end of a range, without its unit where the upper end has the same one."""
    start, end = text(column, low), text(column, high)
    unit = end.lstrip("-0123456789.,")
    return start.removesuffix(unit) if unit else start


def tick(amount: float, unit: str) -> str:
    """A number at an axis: with an SI prefix, without trailing zeros."""
    number, prefixed = units.format_si(amount, unit).split(" ")
    return f"{float(number):g}{NO_BREAK}{prefixed}"


def digits(number: float, significant: int = 3) -> str:
    """A number with that many significant digits, and no exponent unless it is very small."""
    if not number or not math.isfinite(number):
        return "0" if number == 0 else str(number)
    decimals = significant - 1 - math.floor(math.log10(abs(float(f"{number:.{significant}g}"))))
    if decimals > 6:
        return f"{number:.{significant}g}"
    return f"{number:,.{max(decimals, 0)}f}".replace(",", " ")
