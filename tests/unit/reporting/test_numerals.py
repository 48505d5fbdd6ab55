"""Numbers as text."""

import pytest

from costbench.reporting.numerals import digits, low_end, text, tick


@pytest.mark.parametrize(
    ("column", "cell", "words"),
    [
        ("sent_bits", 3_452_748_800, "3.45 Gbit"),
        ("peak_bytes", 1_078_984, "1.08 MB"),
        ("energy_total_j", 0.0042, "4.20 mJ"),
        ("elapsed_s", 3700.0, "1.03 h"),
        ("sent_bits_ratio", 69.166, "69.2×"),
        ("sent_bits_ratio", 1234.5, "1 234×"),
        ("test_accuracy_percent", 61.239, "61.2 %"),
        ("battery_percent", 0.0123, "0.0123 %"),
        ("battery_percent", None, "–"),
        ("energy_total_j", float("nan"), "–"),
        ("total_flop", 4.19e12, "4.19 TFLOP"),
        ("flight_time_lost_min", 0.5, "0.500 min"),
        ("messages_sent", 6400, "6 400"),
        ("name", "sgp", "sgp"),
        ("round", 1200, "1200"),
        ("test_loss", 1.4937, "1.49"),
    ],
)
def test_a_cell_is_worded_by_the_unit_in_its_column(column, cell, words):
    assert text(column, cell).replace("\u00a0", " ") == words


def test_an_interval_names_its_unit_once_where_both_ends_share_it():
    assert low_end("energy_total_j", 1100.0, 2040.0) == "1.10"
    assert low_end("energy_total_j", 814.0, 1490.0) == "814\u00a0J"
    assert low_end("sent_bits_ratio", 1.01, 1.02) == "1.01"


def test_ticks_and_small_numbers():
    assert tick(1500, "J") == "1.5\u00a0kJ"
    assert tick(0, "J") == "0\u00a0J"
    assert digits(0.000000123) == "1.23e-07"
    assert digits(999.6) == "1 000"
