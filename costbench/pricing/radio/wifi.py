"""Wi-Fi by airtime: one half-duplex channel that all nodes of the round share."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from costbench.errors import UsageError
from costbench.pricing.radio.airtime import Airtime, WifiMac, message_airtime
from costbench.pricing.radio.exchange import Exchange, Spent, state
from costbench.pricing.radio.phy import phy_mode
from costbench.pricing.rounds import MessageRows, RoundKinds, per_kind_and_node
from costbench.pricing.uncertainty import Draws
from costbench.profile import WifiRadio

#: times that a frame between two devices uses the channel
HOPS = {"access-point": 2, "direct": 1}


@dataclass(frozen=True)
class _OnAir:
    """Times over the whole run of each node at each rate, [K, N] [s], and aggregates sent [1].

    `window` is the time for which the channel is in use in a round of each kind [K, U, 1], and `awake` the
    sum of the windows in which a node takes part.
    """

    sending: np.ndarray
    receiving: np.ndarray
    sending_overhead: np.ndarray
    receiving_overhead: np.ndarray
    aggregates: np.ndarray
    awake: np.ndarray
    window: np.ndarray

    def at(self, rate_of_draw: np.ndarray) -> _OnAir:
        """The same at the rate of each draw: [S, N] and [S, U, 1]."""
        return _OnAir(*(getattr(self, part.name)[rate_of_draw] for part in fields(self)))


def exchange(kinds: RoundKinds, radio: WifiRadio, draws: Draws, key: str) -> Exchange:
    """Communication of a run over Wi-Fi.

    All messages of a round share one collision domain: their airtimes add up to the window of the round, in
    which every node that takes part is awake. A frame through an access point uses the channel twice. A
    node transmits its frames and the acknowledgements it owes, receives what is addressed to it, and
    listens for the rest of the window. Nodes without a message sleep. A lost message is paid by its sender
    and occupies the channel; nobody receives it.

    Parameters
    ----------
    kinds : kinds of round with their messages
    radio : the radio of the profile
    draws : numbers of the device
    key : dotted key of the radio, such as "radios.wifi"

    Returns
    -------
    Times [s] and energies above idle [J] of the run, and windows of each kind of round [s]

    Raises
    ------
    UsageError : a modulation that the standard of the link does not have

    Validity
    --------
    No collisions, no retransmissions, all nodes and the access point hear one another

    Source
    ------
    IEEE Std 802.11-2020; P. Serrano et al., IEEE/ACM ToN 23(4), 2015, for the energy a frame
    """
    rates, rate_of_draw = np.unique(draws(f"{key}.link.mcs").astype(int), return_inverse=True)
    active = _active(kinds)
    on_air = _on_air(kinds, radio, draws, key, rates, active).at(rate_of_draw.reshape(-1))
    return Exchange(
        shared=True,
        active=active,
        window=on_air.window,
        terms=_terms(on_air, draws, key),
        promotion=state(draws, f"{key}.promotion"),
        tail=state(draws, f"{key}.tail"),
    )


def mac_of(draws: Draws, key: str) -> WifiMac:
    """The MAC of a link in SI, from the profile's section at `key`."""
    numbers = {part.name: draws.nominal(f"{key}.{part.name}") for part in fields(WifiMac)}
    whole = {part.name for part in fields(WifiMac) if part.type == "int"}
    return WifiMac(**{name: int(number) if name in whole else number for name, number in numbers.items()})  # type: ignore[arg-type]


def _active(kinds: RoundKinds) -> np.ndarray:
    rows = kinds.messages
    carries, arrives = (rows.bits > 0), (rows.bits > 0) & rows.delivered
    sends = per_kind_and_node(carries * 1.0, rows.round_kind, rows.sender, kinds.kinds, kinds.nodes)
    receives = per_kind_and_node(arrives * 1.0, rows.round_kind, rows.receiver, kinds.kinds, kinds.nodes)
    return (sends + receives) > 0


def _on_air(
    kinds: RoundKinds, radio: WifiRadio, draws: Draws, key: str, rates: np.ndarray, active: np.ndarray
) -> _OnAir:
    link = f"{key}.link"
    airtimes = [_airtime_at(int(mcs), kinds.messages, radio, draws, link) for mcs in rates]
    of_rates = Airtime(
        *(np.stack([getattr(each, part.name) for each in airtimes]) for part in fields(Airtime))
    )
    return _by_node(kinds, of_rates, HOPS[radio.link.path], active)


def _airtime_at(mcs: int, rows: MessageRows, radio: WifiRadio, draws: Draws, link: str) -> Airtime:
    streams = int(draws.nominal(f"{link}.spatial_streams"))
    bandwidth, guard = draws.nominal(f"{link}.bandwidth"), draws.nominal(f"{link}.guard_interval")
    try:
        mode = phy_mode(radio.link.standard, bandwidth, streams, mcs, guard)
    except ValueError as error:
        raise UsageError(f"cannot price {link}: {error}") from None
    return message_airtime(-(-rows.bits // 8), mode, mac_of(draws, link))


def _by_node(kinds: RoundKinds, airtime: Airtime, hops: int, active: np.ndarray) -> _OnAir:
    rows = kinds.messages

    def sent(seconds: np.ndarray) -> np.ndarray:
        return per_kind_and_node(seconds, rows.round_kind, rows.sender, kinds.kinds, kinds.nodes)

    def received(seconds: np.ndarray) -> np.ndarray:
        arrived = seconds * rows.delivered
        return per_kind_and_node(arrived, rows.round_kind, rows.receiver, kinds.kinds, kinds.nodes)

    def over_run(each_round: np.ndarray) -> np.ndarray:
        return np.einsum("kun,u->kn", each_round, kinds.repeats)

    overhead = airtime.frames - airtime.payload
    window = hops * sent(airtime.channel).sum(axis=-1, keepdims=True)
    return _OnAir(
        sending=over_run(sent(airtime.payload)),
        receiving=over_run(received(airtime.payload)),
        sending_overhead=over_run(sent(overhead) + received(airtime.control)),
        receiving_overhead=over_run(received(overhead) + sent(airtime.control)),
        aggregates=over_run(sent(airtime.aggregates)),
        awake=over_run(window * active),
        window=window,
    )


def _terms(on_air: _OnAir, draws: Draws, key: str) -> dict[str, Spent]:
    host = draws(f"{key}.host_power")[:, None]
    transmit = draws(f"{key}.transmit_power")[:, None] + host
    receive = draws(f"{key}.receive_power")[:, None] + host
    listen = draws(f"{key}.listen_power")[:, None]
    aggregate = draws(f"{key}.aggregate_energy")[:, None]
    overhead = on_air.sending_overhead + on_air.receiving_overhead
    listening = np.maximum(on_air.awake - on_air.sending - on_air.receiving - overhead, 0.0)
    overhead_energy = transmit * on_air.sending_overhead + receive * on_air.receiving_overhead
    return {
        "transmit": Spent(on_air.sending, transmit * on_air.sending),
        "receive": Spent(on_air.receiving, receive * on_air.receiving),
        "listen": Spent(listening, listen * listening),
        "overhead_frames": Spent(overhead, overhead_energy + aggregate * on_air.aggregates),
    }
