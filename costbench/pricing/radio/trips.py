"""Trips: the hops of messages over Wi-Fi, each a group of airtimes with its senders and receivers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields

import numpy as np

from costbench.pricing.radio.airtime import (
    Airtime,
    WifiMac,
    broadcast_airtime,
    message_airtime,
    reply_airtime,
)
from costbench.pricing.radio.on_air import Repeats, Trip
from costbench.pricing.radio.phy import PhyMode
from costbench.pricing.rounds import MessageRows

#: stands for the access point as the end of a hop
POINT = -1


def trips_of(
    rows: MessageRows,
    modes: Sequence[PhyMode],
    mac: WifiMac,
    *,
    path: str,
    broadcast: bool,
    ack_ratio: float,
    repeats: Repeats,
) -> Iterator[Trip]:
    """The hops of some messages.

    Parameters
    ----------
    rows : messages, by name of their columns [M]
    modes : the rates that occur in the draws, K of them, by name of their numbers
    mac : headers, gaps and limits
    path : name of the way, "access-point" or "direct"
    broadcast : bool, whether equal contents of a round go out once, as int [1]
    ack_ratio : scalar, acknowledgement segments of the transport for each segment [1]
    repeats : draws, by name of how often frames are sent

    Returns
    -------
    Messages on each hop, and then the acknowledgements of the transport on the way back
    """
    octets, length = np.unique(-(-rows.bits // 8), return_inverse=True)
    if broadcast:
        yield from _broadcast(rows, octets, length, modes, mac, path, repeats)
        return
    there = rows.delivered & (rows.bits > 0)
    outgoing = _at_rates(lambda mode: message_airtime(octets, mode, mac), modes)
    yield from _hops(rows, rows.sender, rows.receiver, outgoing, length, there, path, repeats)
    if ack_ratio > 0:
        replies = _at_rates(lambda mode: reply_airtime(octets, ack_ratio, mode, mac), modes)
        answered = rows.some(np.flatnonzero(there))
        ends, sure = (answered.receiver, answered.sender), np.ones(len(answered.sender), bool)
        yield from _hops(answered, *ends, replies, length[there], sure, path, repeats)


def _hops(
    rows: MessageRows,
    sender: np.ndarray,
    receiver: np.ndarray,
    airtime: Airtime,
    length: np.ndarray,
    arrives: np.ndarray,
    path: str,
    repeats: Repeats,
) -> Iterator[Trip]:
    if path == "direct":
        yield Trip(rows.round_kind, sender, receiver, airtime, length, arrives, True, repeats)
        return
    point, sure = np.full_like(sender, POINT), np.ones_like(arrives)
    yield Trip(rows.round_kind, sender, point, airtime, length, sure, True, repeats)
    yield Trip(rows.round_kind, point, receiver, airtime, length, arrives, True, repeats)


def _broadcast(
    rows: MessageRows,
    octets: np.ndarray,
    length: np.ndarray,
    modes: Sequence[PhyMode],
    mac: WifiMac,
    path: str,
    repeats: Repeats,
) -> Iterator[Trip]:
    """Each content once to the access point, if there is one, and once at the basic rate to all receivers."""
    first = rows.first_of_contents()
    once, of_once = rows.some(first), length[first]
    nobody, nowhere = np.full(len(first), POINT), np.zeros(len(first), bool)
    if path == "access-point":
        outgoing = _at_rates(lambda mode: message_airtime(octets, mode, mac), modes)
        yield Trip(once.round_kind, once.sender, nobody, outgoing, of_once, ~nowhere, True, repeats)
    basic, once_each = _at_rates(lambda _mode: broadcast_airtime(octets, mac), modes[:1]), repeats.never()
    begin = once.sender if path == "direct" else nobody
    yield Trip(once.round_kind, begin, nobody, basic, of_once, nowhere, False, once_each, near=once.sender)
    ears = np.full(len(rows.sender), POINT)
    arrives = rows.delivered & (rows.bits > 0)
    yield Trip(rows.round_kind, ears, rows.receiver, basic, length, arrives, False, once_each, free=True)


def _at_rates(airtime: Callable[[PhyMode], Airtime], modes: Sequence[PhyMode]) -> Airtime:
    """Airtimes of all lengths at each of the rates [K, Z]."""
    each = [airtime(mode) for mode in modes]
    return Airtime(*(np.stack([getattr(one, part.name) for one in each]) for part in fields(Airtime)))
