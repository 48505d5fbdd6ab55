"""Retransmissions of frames that are lost on the air: tries, and a longer back-off."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def expected_tries(error_rate: ArrayLike, retry_limit: int) -> np.ndarray:
    """Mean number of times that a frame is sent.

    E[tries] = (1 - p^(m+1)) / (1 - p)

    Parameters
    ----------
    error_rate : any shape, p, chance that a try is lost, 0 to below 1 [1]
    retry_limit : scalar, m, tries after the first, 0 or more [1]

    Returns
    -------
    Same shape, 1 to m + 1 [1]

    Raises
    ------
    ValueError : an error rate outside its range

    Source
    ------
    Sum of a geometric series; IEEE Std 802.11-2020, clause 10.23.2.12.1, for the limit
    """
    p = _checked(error_rate)
    return np.asarray((1 - p ** (retry_limit + 1)) / (1 - p))


def extra_backoff(error_rate: ArrayLike, retry_limit: int, cw_min: int, cw_max: int) -> np.ndarray:
    """Mean back-off slots of a lone frame beyond what as many first tries would wait.

    The window doubles with every loss: sum over i = 1..m of p^i (min(2^i (CWmin + 1) - 1, CWmax) - CWmin) / 2

    Parameters
    ----------
    error_rate : any shape, p, chance that a try is lost, 0 to below 1 [1]
    retry_limit : scalar, m, tries after the first, 0 or more [1]
    cw_min, cw_max : scalars, contention windows [1]

    Returns
    -------
    Same shape, slots [1]

    Raises
    ------
    ValueError : an error rate outside its range

    Source
    ------
    IEEE Std 802.11-2020, clause 10.3.3
    """
    p = _checked(error_rate)
    extra = np.zeros_like(p)
    for losses in range(1, retry_limit + 1):
        extra = extra + p**losses * (min(2**losses * (cw_min + 1) - 1, cw_max) - cw_min) / 2
    return extra


def _checked(error_rate: ArrayLike) -> np.ndarray:
    p = np.asarray(error_rate, dtype=float)
    if not ((p >= 0) & (p < 1)).all():
        raise ValueError("an error rate must lie from 0 to below 1")
    return p
