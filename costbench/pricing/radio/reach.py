"""Which modulation each Wi-Fi link can use, from the profile or from where the nodes are."""

from __future__ import annotations

import numpy as np

from costbench.errors import UsageError
from costbench.pricing.fleet import Fleet
from costbench.pricing.propagation import (
    air_to_ground_loss,
    log_distance_loss,
    mcs_by_rate,
    mcs_by_sensitivity,
    noise_level,
    shannon_rate,
)
from costbench.pricing.radio.phy import HIGHEST_MCS, phy_mode
from costbench.pricing.scenario import Place
from costbench.pricing.uncertainty import Draws
from costbench.profile.environment import AirToGround
from costbench.profile.wifi import WifiLink, WifiRadio

LOWEST = 0


def path_loss(place: Place, around: Draws, distance: np.ndarray, frequency: float) -> np.ndarray:
    """Path loss over links.

    Parameters
    ----------
    place : the environment, and the altitude where it needs one [m]
    around : draws of the environment's numbers, by name of its keys
    distance : [L], of each link on the ground, above 0 [m]
    frequency : scalar, of the carrier [Hz]

    Returns
    -------
    [S, L], loss [dB]
    """
    if isinstance(place.environment, AirToGround):
        numbers = (around(name)[:, None] for name in ("a", "b", "eta_los", "eta_nlos"))
        return air_to_ground_loss(distance, float(place.altitude or 0.0), frequency, *numbers)
    exponent, reference = (around(name)[:, None] for name in ("exponent", "reference_distance"))
    return log_distance_loss(distance, frequency, exponent, reference)


def mcs_of_links(
    place: Place, fleet: Fleet, number: int, distance: np.ndarray
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Modulation and coding of the links on which one device of a fleet sends.

    Parameters
    ----------
    place : where the nodes are, and the environment
    fleet : numbers of the devices and of the environment
    number : which of the fleet's devices [1]
    distance : [L], of each link, above 0 [m]

    Returns
    -------
    mcs : int [S, L] [1]; the lowest where a draw has no reach
    notes : names of what a reader has to know

    Raises
    ------
    UsageError : a link that is out of reach with the nominal numbers
    """
    device, draws = fleet.devices[number], fleet.draws[number]
    key = f"radios.{device.radio}"
    radio = device.profile.radios[device.radio]
    assert isinstance(radio, WifiRadio)
    assert fleet.surroundings is not None
    loss = path_loss(place, fleet.surroundings, distance, draws.nominal(f"{key}.link.frequency"))
    level = draws(f"{key}.output_power")[:, None] - loss
    if place.environment.rates == "shannon":
        mcs = _by_shannon(level, radio.link, draws, f"{key}.link", fleet.surroundings)
    else:
        margin = draws(f"{key}.link.sensitivity_margin")[:, None]
        mcs = mcs_by_sensitivity(level, _usable(radio.link), margin)
    _check_reach(mcs, level, distance, device.profile.id, device.radio, radio.link)
    lost = float((mcs[1:] < LOWEST).mean()) if mcs[1:].size else 0.0
    note = f"{100 * lost:.2g} % of links and draws are out of reach and priced at the lowest rate"
    return np.maximum(mcs, LOWEST), (note,) if lost else ()


def _usable(link: WifiLink) -> tuple[float, ...]:
    return link.sensitivity.si[: HIGHEST_MCS[link.standard] + 1]


def _by_shannon(level: np.ndarray, link: WifiLink, draws: Draws, key: str, around: Draws) -> np.ndarray:
    bandwidth, streams = link.bandwidth.si, int(link.spatial_streams.si)
    noise = noise_level(bandwidth, around("noise_figure")[:, None])
    numbers = (around(name)[:, None] for name in ("shannon_efficiency", "shannon_gap"))
    bound = streams * shannon_rate(level - noise, bandwidth, *numbers)
    guard = draws.nominal(f"{key}.guard_interval")
    rates = [_rate(link, streams, mcs, guard) for mcs in range(HIGHEST_MCS[link.standard] + 1)]
    return mcs_by_rate(bound, rates)


def _rate(link: WifiLink, streams: int, mcs: int, guard: float) -> float:
    """PHY rate of an MCS [bit/s]; infinite, so never chosen, where the standard leaves it out."""
    try:
        return phy_mode(link.standard, link.bandwidth.si, streams, mcs, guard).rate
    except ValueError:
        return float("inf")


def _check_reach(
    mcs: np.ndarray, level: np.ndarray, distance: np.ndarray, profile: str, radio: str, link: WifiLink
) -> None:
    beyond = mcs[0] < LOWEST
    if not beyond.any():
        return
    worst = int(np.argmax(np.where(beyond, distance, 0.0)))
    needs = link.sensitivity.si[0] - link.sensitivity_margin.si
    raise UsageError(
        f"a link of {distance[worst]:.4g} m is beyond the reach of {profile}/{radio}: "
        f"found {level[0, worst]:.1f} dBm; allowed: at least {needs:.1f} dBm, which MCS 0 needs"
    )
