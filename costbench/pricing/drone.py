"""Flight: the power of a rotary wing, and the flight time that energy costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.constants import g as standard_gravity
from scipy.optimize import minimize_scalar

from costbench.profile.flight import Airframe, ReferenceCraft


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
    Level flight without wind or acceleration

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


def best_endurance(powers: RotaryWing, fastest: float) -> tuple[float, float]:
    """Air speed at which level flight takes least power.

    Parameters
    ----------
    powers : the aircraft, by name of its numbers
    fastest : scalar, highest speed to look at, above 0 [m/s]

    Returns
    -------
    Speed [m/s] and mechanical power at it [W]
    """
    found = minimize_scalar(powers.at, bounds=(0.0, fastest), method="bounded", options={"xatol": 1e-9})
    return float(found.x), float(found.fun)


@dataclass(frozen=True)
class RotaryWing:
    """The numbers of `rotary_wing_power`: [W], [W], [m/s], [m/s], [1], [kg/m3], [1], [m2]."""

    blade_power: float
    induced_power: float
    tip_speed: float
    induced_velocity: float
    drag_ratio: float
    air_density: float
    rotor_solidity: float
    disc_area: float

    def at(self, speed: float) -> float:
        """Mechanical power at an air speed [m/s], [W]."""
        return float(rotary_wing_power(speed, **vars(self)))


def scaled_airframe(craft: RotaryWing, craft_weight: float, weight: float, disc_area: float) -> RotaryWing:
    """The power model of a reference craft, scaled to another weight and rotor.

    At equal blade loading and solidity, thrust is a constant times rho A (Omega R)^2, so that the tip speed
    goes with sqrt(W / A). Then P0, which goes with A (Omega R)^3, and Pi, which goes with W^1.5 / sqrt(A),
    both go with W^1.5 / sqrt(A): the figure of merit stays that of the reference.

    Parameters
    ----------
    craft : reference craft, by name of its numbers
    craft_weight : scalar, its weight, above 0 [N]
    weight : scalar, of the other craft, above 0 [N]
    disc_area : scalar, area of all rotor discs of the other craft, above 0 [m2]

    Returns
    -------
    The other craft; its fuselage drag ratio is that of the reference

    Raises
    ------
    ValueError : a weight or an area that is not above 0

    Validity
    --------
    Within about a half of the mean flight power of five airframes of 0.25 to 0.9 kg; see `costbench validate`

    Source
    ------
    Y. Zeng, J. Xu, R. Zhang, IEEE TWC 18(4), 2019, Table I and eq. (12); W. Johnson, Helicopter Theory, 1980,
    section 2-1, for blade loading and figure of merit
    """
    if min(craft_weight, weight, disc_area) <= 0:
        raise ValueError("weights and disc_area must be above 0")
    faster = np.sqrt(weight / craft_weight * craft.disc_area / disc_area)
    harder = faster**3 * disc_area / craft.disc_area
    return RotaryWing(
        blade_power=craft.blade_power * harder,
        induced_power=craft.induced_power * harder,
        tip_speed=craft.tip_speed * faster,
        induced_velocity=craft.induced_velocity * faster,
        drag_ratio=craft.drag_ratio,
        air_density=craft.air_density,
        rotor_solidity=craft.rotor_solidity,
        disc_area=disc_area,
    )


class FlightPowers(NamedTuple):
    """Power at the battery in hover and at the best endurance [W], and the speed of the latter [m/s]."""

    hover: float
    best_endurance: float
    best_speed: float


def airframe_powers(airframe: Airframe, craft: ReferenceCraft) -> FlightPowers:
    """Power of flying an airframe, from the model of a reference craft that is scaled to it.

    Parameters
    ----------
    airframe : aircraft on the market, by name of its numbers: mass, rotors and efficiency of the drive
    craft : reference craft, by name of its numbers

    Returns
    -------
    Power at the battery [W] and best speed [m/s], nominal

    Validity
    --------
    No wind, no payload, rotors beside one another
    """
    reference = RotaryWing(
        craft.blade_power.si,
        craft.induced_power.si,
        craft.tip_speed.si,
        craft.induced_velocity.si,
        craft.drag_ratio.si,
        craft.air_density.si,
        craft.rotor_solidity.si,
        craft.disc_area.si,
    )
    disc_area = airframe.rotors.si * np.pi * (airframe.rotor_diameter.si / 2) ** 2
    weight = airframe.takeoff_mass.si * standard_gravity
    scaled = scaled_airframe(reference, craft.weight.si, weight, disc_area)
    speed, power = best_endurance(scaled, scaled.tip_speed / 2)
    efficiency = airframe.drive_efficiency.si
    return FlightPowers(scaled.at(0.0) / efficiency, power / efficiency, speed)


def carrying_flight_time(
    usable_energy: ArrayLike,
    flight_power: ArrayLike,
    mass_share: ArrayLike,
    induced_share: ArrayLike,
    idle_power: ArrayLike,
) -> np.ndarray:
    """Flight time of a full battery that carrying an idle computer costs.

    dT = E/P - E / (P (1 + s ((1 + m/M)^1.5 - 1)) + P_c)

    Parameters
    ----------
    usable_energy : any shape, of the full battery [J]
    flight_power : same shape or scalar, of flying without the computer, at the battery, above 0 [W]
    mass_share : same shape or scalar, mass of the computer m over that of the aircraft M, 0 or more [1]
    induced_share : same shape or scalar, s, what of the flight power is induced power, 0 to 1 [1]
    idle_power : same shape or scalar, of the idle computer at the battery P_c, 0 or more [W]

    Returns
    -------
    Same shape, time [s]

    Raises
    ------
    ValueError : a power that is not above 0, a negative share or idle power

    Source
    ------
    Induced power goes with W^1.5: Y. Zeng, J. Xu, R. Zhang, IEEE TWC 18(4), 2019, Table I
    """
    flying = np.asarray(flight_power)
    if (flying <= 0).any() or (np.asarray(mass_share) < 0).any() or (np.asarray(idle_power) < 0).any():
        raise ValueError("flight_power must be above 0, mass_share and idle_power not negative")
    heavier = (1 + np.asarray(mass_share)) ** 1.5 - 1
    loaded = flying * (1 + np.asarray(induced_share) * heavier) + np.asarray(idle_power)
    return np.asarray(usable_energy) * (1 / flying - 1 / loaded)


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
