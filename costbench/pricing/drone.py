"""Flight: the power of a rotary wing, and the flight time that energy costs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def flight_time_lost(drawn: ArrayLike, flight_power: ArrayLike) -> np.ndarray:
    """Flight time that an energy taken from the flight battery costs.

    Parameters
    ----------
    drawn : any shape, energy at the battery [J]
    flight_power : same shape or scalar, mean power of flying at the battery, above 0 [W]

    Returns
    -------
    Same shape, time not flown [s]

    Raises
    ------
    ValueError : a power that is not above 0
    """
    if (np.asarray(flight_power) <= 0).any():
        raise ValueError("flight_power must be above 0")
    return np.asarray(drawn) / np.asarray(flight_power)


def rotary_wing_power(
    speed: ArrayLike,
    *,
    blade_power: float,
    induced_power: float,
    tip_speed: float,
    induced_velocity: float,
    drag_ratio: float,
    air_density: float,
    rotor_solidity: float,
    disc_area: float,
) -> np.ndarray:
    """Mechanical power of a rotary-wing aircraft in level flight.

    P(V) = P0 (1 + 3 V^2/U^2) + Pi sqrt(sqrt(1 + V^4/(4 v0^4)) - V^2/(2 v0^2)) + d0 rho s A V^3 / 2

    Parameters
    ----------
    speed : any shape, air speed V, 0 or more [m/s]
    blade_power : scalar, blade profile power in hover P0 [W]
    induced_power : scalar, induced power in hover Pi [W]
    tip_speed : scalar, of the rotor blade U [m/s]
    induced_velocity : scalar, mean in hover v0 [m/s]
    drag_ratio : scalar, fuselage drag ratio d0 [1]
    air_density : scalar, rho [kg/m3]
    rotor_solidity : scalar, s [1]
    disc_area : scalar, rotor disc area A [m2]

    Returns
    -------
    Same shape as `speed`, mechanical power [W]; the battery gives more, by the efficiency of the drive

    Raises
    ------
    ValueError : a negative speed

    Validity
    --------
    Level flight without wind or acceleration; no price uses it yet, profiles give mean flight power

    Source
    ------
    Y. Zeng, J. Xu, R. Zhang, Energy Minimization for Wireless Communication with Rotary-Wing UAV, IEEE TWC
    18(4), 2019, eq. (12)
    """
    v = np.asarray(speed, dtype=float)
    if (v < 0).any():
        raise ValueError("speed must not be negative")
    blade = blade_power * (1 + 3 * v**2 / tip_speed**2)
    climb_free = np.sqrt(1 + v**4 / (4 * induced_velocity**4)) - v**2 / (2 * induced_velocity**2)
    parasite = 0.5 * drag_ratio * air_density * rotor_solidity * disc_area * v**3
    return blade + induced_power * np.sqrt(climb_free) + parasite


def hover_powers(
    *,
    weight: float,
    profile_drag: float,
    air_density: float,
    rotor_solidity: float,
    disc_area: float,
    blade_speed: float,
    rotor_radius: float,
    induced_factor: float,
) -> tuple[float, float, float]:
    """Blade profile power, induced power and induced velocity in hover.

    P0 = delta/8 rho s A Omega^3 R^3;  Pi = (1 + k) W^1.5 / sqrt(2 rho A);  v0 = sqrt(W / (2 rho A))

    Parameters
    ----------
    weight : scalar, W [N]
    profile_drag : scalar, coefficient delta [1]
    air_density : scalar, rho [kg/m3]
    rotor_solidity : scalar, s [1]
    disc_area : scalar, A [m2]
    blade_speed : scalar, angular velocity Omega [rad/s]
    rotor_radius : scalar, R [m]
    induced_factor : scalar, correction k of induced power [1]

    Returns
    -------
    P0 [W], Pi [W], v0 [m/s]

    Source
    ------
    Y. Zeng, J. Xu, R. Zhang, IEEE TWC 18(4), 2019, Table I
    """
    tip = blade_speed * rotor_radius
    blade = profile_drag / 8 * air_density * rotor_solidity * disc_area * tip**3
    induced = (1 + induced_factor) * weight**1.5 / np.sqrt(2 * air_density * disc_area)
    return float(blade), float(induced), float(np.sqrt(weight / (2 * air_density * disc_area)))
