"""The vocabulary of units, exact conversions to SI, and numbers as a person reads them."""

from __future__ import annotations

import math
from typing import NamedTuple


class Unit(NamedTuple):
    """What a unit string means: its dimension, and the factor that turns a number in it into SI."""

    dimension: str
    to_si: float


#: Every unit that a profile may use. Bytes stay bytes, bits stay bits; prefixes are decimal.
UNITS: dict[str, Unit] = {
    "-": Unit("fraction", 1.0),
    "count": Unit("count", 1.0),
    "s": Unit("time", 1.0),
    "ms": Unit("time", 1e-3),
    "us": Unit("time", 1e-6),
    "min": Unit("time", 60.0),
    "h": Unit("time", 3600.0),
    "Hz": Unit("frequency", 1.0),
    "MHz": Unit("frequency", 1e6),
    "GHz": Unit("frequency", 1e9),
    "W": Unit("power", 1.0),
    "mW": Unit("power", 1e-3),
    "J": Unit("energy", 1.0),
    "mJ": Unit("energy", 1e-3),
    "uJ": Unit("energy", 1e-6),
    "Wh": Unit("energy", 3600.0),
    "kWh": Unit("energy", 3.6e6),
    "A": Unit("current", 1.0),
    "mA": Unit("current", 1e-3),
    "uA": Unit("current", 1e-6),
    "V": Unit("voltage", 1.0),
    "mV": Unit("voltage", 1e-3),
    "mAh": Unit("charge", 3.6),
    "Ah": Unit("charge", 3600.0),
    "B": Unit("bytes", 1.0),
    "kB": Unit("bytes", 1e3),
    "MB": Unit("bytes", 1e6),
    "GB": Unit("bytes", 1e9),
    "B/s": Unit("byte rate", 1.0),
    "GB/s": Unit("byte rate", 1e9),
    "bit": Unit("bits", 1.0),
    "bit/s": Unit("bit rate", 1.0),
    "kbps": Unit("bit rate", 1e3),
    "Mbps": Unit("bit rate", 1e6),
    "FLOP/s": Unit("compute rate", 1.0),
    "GFLOP/s": Unit("compute rate", 1e9),
    "TFLOP/s": Unit("compute rate", 1e12),
    "J/bit": Unit("energy per bit", 1.0),
    "nJ/bit": Unit("energy per bit", 1e-9),
    "mW/Mbps": Unit("energy per bit", 1e-9),
    "uJ/bit": Unit("energy per bit", 1e-6),
    "kWh/GB": Unit("energy per bit", 3.6e6 / 8e9),
    "J/FLOP": Unit("energy per FLOP", 1.0),
    "pJ/FLOP": Unit("energy per FLOP", 1e-12),
    "J/B": Unit("energy per byte", 1.0),
    "pJ/B": Unit("energy per byte", 1e-12),
    "dBm": Unit("level", 1.0),
    "dB": Unit("decibel", 1.0),
    "g/kWh": Unit("carbon intensity", 1.0 / 3.6e6),
    "m": Unit("length", 1.0),
    "km": Unit("length", 1e3),
    "cm": Unit("length", 1e-2),
    "mm": Unit("length", 1e-3),
    "in": Unit("length", 0.0254),
    "m2": Unit("area", 1.0),
    "m/s": Unit("speed", 1.0),
    "kg": Unit("mass", 1.0),
    "g": Unit("mass", 1e-3),
    "N": Unit("force", 1.0),
    "kg/m3": Unit("density", 1.0),
}
DIMENSIONS = tuple(dict.fromkeys(unit.dimension for unit in UNITS.values()))


def units_of(dimension: str) -> tuple[str, ...]:
    """The unit strings of a dimension; of every dimension for ""."""
    return tuple(name for name, unit in UNITS.items() if dimension in ("", unit.dimension))


def to_si(number: float, unit: str) -> float:
    """A number in `unit`, in the SI unit of its dimension (bytes and bits as they are)."""
    return number * UNITS[unit].to_si


def unit_after(unit: str) -> str:
    """What follows a number in print: the unit behind a space; nothing for a ratio or a count."""
    return "" if unit in ("-", "count") else f" {unit}"


_PREFIXES = ("n", "u", "m", "", "k", "M", "G", "T", "P", "E")
_NO_PREFIX = _PREFIXES.index("")
_LONG_TIMES = (("d", 86400.0), ("h", 3600.0), ("min", 60.0))


def format_si(number: float, unit: str) -> str:
    """Three significant digits and a decimal prefix: format_si(12345, "J") is "12.3 kJ"."""
    if number == 0 or not math.isfinite(number):
        return f"{number:g} {unit}"
    rounded = float(f"{number:.3g}")
    step = math.floor(math.log10(abs(rounded)) / 3 + 1e-12)
    step = min(max(step, -_NO_PREFIX), len(_PREFIXES) - 1 - _NO_PREFIX)
    mantissa = rounded / 10.0 ** (3 * step)
    whole_digits = math.floor(math.log10(abs(mantissa)) + 1e-12) + 1 if abs(mantissa) >= 1 else 1
    return f"{mantissa:.{max(0, 3 - whole_digits)}f} {_PREFIXES[step + _NO_PREFIX]}{unit}"


def format_count(count: float, unit: str) -> str:
    """Like `format_si`, but a count below 1,000 is shown as the integer it is."""
    is_small_integer = abs(count) < 1000 and count == int(count)
    return f"{int(count)} {unit}" if is_small_integer else format_si(count, unit)


def format_bits(bits: float) -> str:
    """Bits with a decimal prefix: 1_250_000 is "1.25 Mbit"."""
    return format_count(bits, "bit")


def format_bytes(n_bytes: float) -> str:
    """Bytes with a decimal prefix: 1_000_000 is "1.00 MB"."""
    return format_count(n_bytes, "B")


def format_flop(flop: float) -> str:
    """Floating-point operations with a decimal prefix, two a multiply-add."""
    return format_count(flop, "FLOP")


def format_joules(energy_j: float) -> str:
    """Joules with a decimal prefix."""
    return format_si(energy_j, "J")


def format_seconds(elapsed_s: float) -> str:
    """Seconds with a decimal prefix below a minute; minutes, hours or days above."""
    for unit, seconds in _LONG_TIMES:
        if math.isfinite(elapsed_s) and abs(elapsed_s) >= seconds:
            return f"{elapsed_s / seconds:.3g} {unit}"
    return format_si(elapsed_s, "s")
