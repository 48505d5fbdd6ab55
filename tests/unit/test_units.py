import pytest

from costbench.units import (
    DIMENSIONS,
    UNITS,
    format_bits,
    format_bytes,
    format_flop,
    format_joules,
    format_seconds,
    to_si,
    unit_after,
    units_of,
)


@pytest.mark.parametrize(
    ("number", "unit", "si"),
    [
        (5000, "mAh", 18_000.0),  # 5 A x 3600 s
        (19.25, "Wh", 69_300.0),  # 19.25 W x 3600 s
        (80.21, "mW/Mbps", 80.21e-9),  # 1e-3 W / 1e6 bit/s = 1e-9 J/bit
        (6, "Mbps", 6_000_000.0),
        (25.6, "GB/s", 25.6e9),
        (238.1, "ms", 0.2381),
        (235.9, "GFLOP/s", 235.9e9),
        (31, "min", 1860.0),
    ],
)
def test_conversion_to_si(number, unit, si):
    assert to_si(number, unit) == pytest.approx(si, rel=1e-15)


def test_a_ratio_or_a_count_has_no_unit_in_print():
    assert [unit_after(unit) for unit in ("W", "-", "count")] == [" W", "", ""]


def test_bits_and_bytes_are_different_dimensions():
    assert UNITS["B/s"].dimension != UNITS["bit/s"].dimension
    assert units_of("power") == ("W", "mW")
    assert len(set(DIMENSIONS)) == len(DIMENSIONS)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (format_bits(0), "0 bit"),
        (format_bits(999), "999 bit"),
        (format_bits(1_250_000), "1.25 Mbit"),
        (format_bits(999_600), "1.00 Mbit"),  # rounds up into the next prefix
        (format_bytes(1_000_000), "1.00 MB"),
        (format_flop(40_927_872 * 2), "81.9 MFLOP"),
        (format_joules(0.0123), "12.3 mJ"),
        (format_joules(12_345.0), "12.3 kJ"),
        (format_joules(-2.5), "-2.50 J"),
        (format_seconds(0.00045), "450 us"),
        (format_seconds(59), "59.0 s"),
        (format_seconds(90), "1.5 min"),
        (format_seconds(5400), "1.5 h"),
        (format_seconds(2 * 86_400), "2 d"),
    ],
)
def test_numbers_as_a_person_reads_them(shown, expected):
    assert shown == expected
