"""Wi-Fi by airtime: half-duplex channels, each shared by the nodes of a collision domain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import numpy as np
from numpy.typing import ArrayLike

from costbench.errors import UsageError
from costbench.pricing.fleet import Fleet
from costbench.pricing.radio.airtime import WifiMac
from costbench.pricing.radio.exchange import Exchange, Spent, Window, state
from costbench.pricing.radio.framed import terms_of
from costbench.pricing.radio.on_air import OnAir, Repeats, Trip
from costbench.pricing.radio.phy import PhyMode, phy_mode
from costbench.pricing.radio.reach import mcs_of_links
from costbench.pricing.radio.retransmission import expected_tries, extra_backoff
from costbench.pricing.radio.trips import trips_of
from costbench.pricing.rounds import RoundKinds
from costbench.pricing.scenario import Scenario
from costbench.pricing.uncertainty import Draws
from costbench.profile.wifi import WifiLink, WifiRadio

NOBODY_KEEPS_FRAMES = "without an access point nobody keeps frames for a node that sleeps: a lower bound"


def frame_energy(transmit_power: ArrayLike, airtime: ArrayLike, cross_factor: ArrayLike) -> np.ndarray:
    """Energy above idle of sending a frame.

    E = rho_tx T + gamma_xg

    Parameters
    ----------
    transmit_power : any shape, rho_tx, above the idle device [W]
    airtime : same shape or broadcasting, T [s]
    cross_factor : same shape or broadcasting, gamma_xg, of handling a frame [J]

    Returns
    -------
    Broadcast shape, energy [J]

    Source
    ------
    P. Serrano et al., Per-Frame Energy Consumption in 802.11 Devices, IEEE/ACM ToN 23(4), 2015, eq. (2)
    """
    return np.asarray(np.asarray(transmit_power) * np.asarray(airtime) + np.asarray(cross_factor))


def exchange(kinds: RoundKinds, fleet: Fleet, scenario: Scenario) -> Exchange:
    """Communication of a run over Wi-Fi.

    The messages of a round in one collision domain share a channel: their airtimes add up to its window, in
    which every node that takes part is awake. A frame through an access point uses the channel of its sender
    and then that of its receiver. A node transmits its frames and the acknowledgements it owes, receives
    what is addressed to it, overhears other frames, and listens while the channel is silent; with power save
    it sleeps instead of the last two. Nodes without a message sleep. A lost message is paid by its sender
    and occupies the channel; nobody receives it. A frame is repeated as its error rate makes it be.

    Parameters
    ----------
    kinds : kinds of round with their messages
    fleet : numbers of the devices
    scenario : how the devices exchange, and where they are

    Returns
    -------
    Times [s] and energies above idle [J] of the run, and windows of each kind of round [s]

    Raises
    ------
    UsageError : links of different paths in one fleet, a modulation that a standard does not have, a link
        out of reach

    Validity
    --------
    No collisions, no hidden nodes: all nodes of a domain and its access point hear one another

    Source
    ------
    IEEE Std 802.11-2020; P. Serrano et al., IEEE/ACM ToN 23(4), 2015, for the energy a frame
    """
    path = _path(fleet)
    notes = [NOBODY_KEEPS_FRAMES] if scenario.power_save and path == "direct" else []
    trips = (
        trip
        for number in range(len(fleet.devices))
        for trip in _trips_of_device(kinds, fleet, scenario, number, path, notes)
    )
    on_air = OnAir.of(kinds, trips, scenario.domains(kinds.nodes), fleet.rows)
    return Exchange(
        shared=True,
        active=on_air.active,
        window=Window(on_air.weights, on_air.features, on_air.domain_of_node),
        terms=_terms(on_air, fleet, scenario),
        promotion=state(fleet, "promotion"),
        tail=state(fleet, "tail"),
        notes=tuple(dict.fromkeys(notes)),
    )


def mac_of(draws: Draws, key: str) -> WifiMac:
    """The MAC of a link in SI, from the profile's section at `key`."""
    numbers = {part.name: draws.nominal(f"{key}.{part.name}") for part in fields(WifiMac)}
    whole = {part.name for part in fields(WifiMac) if part.type == "int"}
    return WifiMac(**{name: int(number) if name in whole else number for name, number in numbers.items()})  # type: ignore[arg-type]


def _path(fleet: Fleet) -> str:
    paths = {radio.link.path for radio in fleet.radios if isinstance(radio, WifiRadio)}
    if len(paths) > 1:
        names = " and ".join(f"{device.name}/{device.radio}" for device in fleet.devices)
        raise UsageError(f"{names} cannot talk to one another: one link is direct, one has an access point")
    return paths.pop()


def _trips_of_device(
    kinds: RoundKinds, fleet: Fleet, scenario: Scenario, number: int, path: str, notes: list[str]
) -> Iterator[Trip]:
    """What the messages of one device's nodes do on the air: groups of links whose rates move together."""
    device, draws = fleet.devices[number], fleet.draws[number]
    key = f"radios.{device.radio}.link"
    link = device.profile.radios[device.radio].link  # type: ignore[union-attr]
    rows = kinds.messages
    mine = np.flatnonzero(fleet.device_of_node[rows.sender] == number)
    mac, p = mac_of(draws, key), draws(f"{key}.packet_error_rate")
    tries = expected_tries(p, mac.retry_limit)
    backoff = mac.slot * extra_backoff(p, mac.retry_limit, mac.cw_min, mac.cw_max)
    for chosen, mcs in _groups(kinds, fleet, scenario, number, mine, notes):
        rates, rate_of_draw = np.unique(mcs, return_inverse=True)
        modes = [_mode(link, int(rate), draws, key) for rate in rates]
        yield from trips_of(
            rows.some(chosen),
            modes,
            mac,
            path=path,
            broadcast=scenario.cast == "broadcast",
            ack_ratio=draws.nominal(f"{key}.transport_ack_ratio"),
            repeats=Repeats(rate_of_draw.reshape(-1), tries, backoff),
            domain_of_node=scenario.domains(kinds.nodes),
        )


def _groups(
    kinds: RoundKinds, fleet: Fleet, scenario: Scenario, number: int, mine: np.ndarray, notes: list[str]
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Messages, and the MCS [S] of their links in every draw."""
    device, draws = fleet.devices[number], fleet.draws[number]
    if scenario.place is None or not len(mine):
        yield mine, draws(f"radios.{device.radio}.link.mcs").astype(int)
        return
    rows = kinds.messages
    pair = rows.sender[mine] * kinds.nodes + rows.receiver[mine]
    links, link_of_message = np.unique(pair, return_inverse=True)
    distance = scenario.place.distance.reshape(-1)[links]
    if scenario.cast == "broadcast":
        distance = _farthest(distance, links // kinds.nodes)
    mcs, said = mcs_of_links(scenario.place, fleet, number, distance)
    notes.extend(said)
    alike, group_of_link = np.unique(mcs, axis=1, return_inverse=True)
    group = group_of_link.reshape(-1)[link_of_message]
    for place in range(alike.shape[1]):
        yield mine[group == place], alike[:, place]


def _farthest(distance: np.ndarray, sender: np.ndarray) -> np.ndarray:
    """Distance of the farthest receiver of each link's sender [L], [m]: a broadcast has to reach it."""
    farthest = np.zeros(sender.max(initial=-1) + 1)
    np.maximum.at(farthest, sender, distance)
    return farthest[sender]


def _mode(link: WifiLink, mcs: int, draws: Draws, key: str) -> PhyMode:
    streams = int(draws.nominal(f"{key}.spatial_streams"))
    bandwidth, guard = draws.nominal(f"{key}.bandwidth"), draws.nominal(f"{key}.guard_interval")
    try:
        return phy_mode(link.standard, bandwidth, streams, mcs, guard)
    except ValueError as error:
        raise UsageError(f"cannot price {key}: {error}") from None


def _terms(on_air: OnAir, fleet: Fleet, scenario: Scenario) -> dict[str, Spent]:
    terms = terms_of(on_air, fleet, scenario)
    frames, handling = terms["overhead_frames"], fleet.radio("aggregate_energy") * on_air.sums.aggregates
    terms["overhead_frames"] = Spent(frames.seconds, frames.joules + handling)
    if scenario.boundary != "device" and _path(fleet) == "access-point":
        listens, forwards = (fleet.radio(f"link.access_point.{way}_power") for way in ("receive", "transmit"))
        hears, sends = on_air.sums.point_receiving, on_air.sums.point_sending
        terms["access_point"] = Spent(hears + sends, listens * hears + forwards * sends)
    return terms
