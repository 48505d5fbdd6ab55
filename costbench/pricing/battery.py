"""From energy at a device's input to energy at its battery."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def battery_energy(device_energy: ArrayLike, supply_efficiency: ArrayLike) -> np.ndarray:
    """Energy that leaves the battery for energy that arrives at the device.

    Parameters
    ----------
    device_energy : any shape, energy at the device's power input [J]
    supply_efficiency : same shape or scalar, of regulator and carrier board, above 0 to 1 [1]

    Returns
    -------
    Same shape, energy at the battery [J]

    Raises
    ------
    ValueError : an efficiency outside its range

    Source
    ------
    Definition of efficiency; 29.0 W of 37.0 W measured by ARK Electronics, docs/power.md
    """
    efficiency = np.asarray(supply_efficiency)
    if ((efficiency <= 0) | (efficiency > 1)).any():
        raise ValueError("supply_efficiency must lie above 0 and up to 1")
    return np.asarray(device_energy) / efficiency


def battery_percent(drawn: ArrayLike, capacity: float, usable_fraction: float) -> np.ndarray:
    """Share of a full battery that an energy takes.

    Parameters
    ----------
    drawn : any shape, energy at the battery [J]
    capacity : scalar, energy of the full battery, above 0 [J]
    usable_fraction : scalar, what of it may be used, above 0 to 1 [1]

    Returns
    -------
    Same shape, share of the usable energy [%]; above 100 the battery is empty before the end

    Raises
    ------
    ValueError : a capacity or fraction outside its range
    """
    if capacity <= 0 or not 0 < usable_fraction <= 1:
        raise ValueError("capacity must be above 0, usable_fraction above 0 and up to 1")
    return 100.0 * np.asarray(drawn) / (capacity * usable_fraction)


def rounds_until_empty(drawn_a_round: ArrayLike, capacity: float, usable_fraction: float) -> np.ndarray:
    """Rounds that a full battery lasts.

    Parameters
    ----------
    drawn_a_round : any shape, energy at the battery in a round, 0 or more [J]
    capacity : scalar, energy of the full battery, above 0 [J]
    usable_fraction : scalar, what of it may be used, above 0 to 1 [1]

    Returns
    -------
    Same shape, rounds, not rounded [1]; infinite where a round takes nothing

    Raises
    ------
    ValueError : a capacity or fraction outside its range
    """
    share = battery_percent(drawn_a_round, capacity, usable_fraction)
    with np.errstate(divide="ignore"):
        return np.asarray(100.0 / share)
