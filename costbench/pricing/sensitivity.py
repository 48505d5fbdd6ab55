"""Which inputs the spread of a price comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

#: draws an input that a share needs at least [1]
DRAWS_AN_INPUT = 3


class InputShare(NamedTuple):
    """Share of the variance over the draws that goes back to one input [1]."""

    key: str
    share: float


def variance_shares(drawn: np.ndarray, inputs: Mapping[str, np.ndarray]) -> list[InputShare] | None:
    """Share of each input in the variance of a quantity.

    The inputs are drawn independently, so the variance of the linear part is the sum over inputs of
    b_i^2 Var(x_i), with b from a least-squares fit. What is missing to 1 is curvature and interplay.

    Parameters
    ----------
    drawn : [S], the quantity, without the nominal row, any unit
    inputs : draws [S] of each input by its key, without the nominal row, any unit

    Returns
    -------
    The shares [1], largest first; None where there are fewer than three draws an input

    Source
    ------
    A. Saltelli et al., Global Sensitivity Analysis: The Primer, 2008, section 1.2.5: standardised regression
    coefficients
    """
    varying = {key: draws for key, draws in inputs.items() if np.ptp(draws) > 0}
    if len(drawn) < DRAWS_AN_INPUT * (len(varying) + 1):
        return None
    if not varying or np.ptp(drawn) == 0:
        return []
    columns = np.stack([(draws - draws.mean()) / draws.std() for draws in varying.values()], axis=1)
    centred = (drawn - drawn.mean()) / drawn.std()
    coefficients, *_ = np.linalg.lstsq(columns, centred, rcond=None)
    shares = [InputShare(key, float(b**2)) for key, b in zip(varying, coefficients, strict=True)]
    return sorted(shares, key=lambda one: one.share, reverse=True)
