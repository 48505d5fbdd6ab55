"""From joules to grams of CO2e, with the intensity that the user states."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def carbon_grams(energy: ArrayLike, intensity: ArrayLike) -> np.ndarray:
    """Emissions of an energy.

    Parameters
    ----------
    energy : any shape [J]
    intensity : same shape or broadcasting, of the electricity, 0 or more [g/J]

    Returns
    -------
    Broadcast shape, grams of CO2e [g]

    Raises
    ------
    ValueError : a negative intensity

    Source
    ------
    Definition of carbon intensity, ISO 14064-1:2018, section 3.1
    """
    if (np.asarray(intensity) < 0).any():
        raise ValueError("intensity must not be negative")
    return np.asarray(energy) * np.asarray(intensity)
