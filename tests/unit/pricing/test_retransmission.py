import numpy as np
import pytest

from costbench.pricing.radio.retransmission import expected_tries, extra_backoff


def test_tries_are_a_geometric_series_that_ends():
    # p = 1/2, two repetitions: 1 + 1/2 + 1/4 = 1.75 tries
    assert expected_tries(0.5, 2) == 1.75


def test_without_losses_a_frame_is_sent_once():
    assert expected_tries(0.0, 7) == 1
    assert extra_backoff(0.0, 7, 15, 1023) == 0


def test_without_repetitions_a_frame_is_sent_once():
    assert expected_tries(0.3, 0) == 1
    assert extra_backoff(0.3, 0, 15, 1023) == 0


def test_the_contention_window_doubles_up_to_its_end():
    # p = 1/2, CWmin 15, CWmax 63: windows 15, 31, 63, 63. Beyond 15/2 slots a try:
    # 1/2 (31 - 15)/2 + 1/4 (63 - 15)/2 + 1/8 (63 - 15)/2 = 4 + 6 + 3 = 13 slots
    assert extra_backoff(0.5, 3, 15, 63) == 13


def test_backoff_is_that_of_each_try_added_up():
    # Mean slots at try i: min(2^i x 16 - 1, 1023) / 2, reached with chance p^i
    p, limit = 0.2, 7
    whole = sum(p**i * min(2**i * 16 - 1, 1023) / 2 for i in range(limit + 1))
    plain = float(expected_tries(p, limit)) * 15 / 2
    assert extra_backoff(p, limit, 15, 1023) == pytest.approx(whole - plain, rel=1e-12)


@pytest.mark.parametrize("wrong", [-0.01, 1.0, 1.5, np.nan])
def test_an_error_rate_outside_its_range(wrong):
    for found in (
        lambda: expected_tries(wrong, 7),
        lambda: extra_backoff(wrong, 7, 15, 1023),
    ):
        with pytest.raises(ValueError, match="from 0 to below 1"):
            found()
