"""Trips: the hops of messages over Wi-Fi, each a group of airtimes with its senders and receivers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
#: messages whose lengths and times the processor's cache holds [1]
MESSAGES_AT_A_TIME = 16_384


def trips_of(
    rows: MessageRows,
    modes: Sequence[PhyMode],
    mac: WifiMac,
    *,
    path: str,
    broadcast: bool,
    ack_ratio: float,
    repeats: Repeats,
    domain_of_node: np.ndarray,
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
    domain_of_node : int [N], collision domain of each node [1]

    Returns
    -------
    Messages on each hop, and then the acknowledgements of the transport on the way back
    """
    once = repeats.never()
    for part in rows.blocks(MESSAGES_AT_A_TIME):
        octets, length = np.unique(-(-part.bits // 8), return_inverse=True)
        outgoing = _stacked([message_airtime(octets, mode, mac) for mode in modes])
        if not broadcast:
            replies = [reply_airtime(octets, ack_ratio, mode, mac) for mode in modes] if ack_ratio else []
            yield from _unicast(part, outgoing, _stacked(replies), length, path, repeats)
            continue
        basic = _stacked([broadcast_airtime(octets, mac)])
        if path == "direct":
            yield from _direct_broadcast(part, basic, length, once)
        else:
            yield from _relayed_broadcast(part, outgoing, basic, length, repeats, once, domain_of_node)


def _unicast(
    rows: MessageRows,
    outgoing: Airtime,
    replies: Airtime,
    length: np.ndarray,
    path: str,
    repeats: Repeats,
) -> Iterator[Trip]:
    """A message to each receiver, and the acknowledgements of the transport, if there are any, back."""
    there = rows.delivered & (rows.bits > 0)
    yield from _hops(rows, rows.sender, rows.receiver, outgoing, length, there, path, repeats)
    if replies.payload.size:
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


def _direct_broadcast(rows: MessageRows, basic: Airtime, length: np.ndarray, once: Repeats) -> Iterator[Trip]:
    """Each content once to all receivers."""
    first = rows.first_of_contents()
    nobody, nowhere = np.full(len(first), POINT), np.zeros(len(first), bool)
    sender = rows.sender[first]
    yield Trip(rows.round_kind[first], sender, nobody, basic, length[first], nowhere, False, once)
    yield _heard(rows, basic, length, once)


def _relayed_broadcast(
    rows: MessageRows,
    outgoing: Airtime,
    basic: Airtime,
    length: np.ndarray,
    repeats: Repeats,
    once: Repeats,
    domain_of_node: np.ndarray,
) -> Iterator[Trip]:
    """Each content once to an access point, and from there once in every domain that has receivers."""
    first = rows.first_of_contents()
    nobody, sure = np.full(len(first), POINT), np.ones(len(first), bool)
    yield Trip(
        rows.round_kind[first], rows.sender[first], nobody, outgoing, length[first], sure, True, repeats
    )
    again = rows.first_of_contents(domain_of_node[rows.receiver])
    nobody, nowhere = np.full(len(again), POINT), np.zeros(len(again), bool)
    near, account = rows.receiver[again], rows.sender[again]
    times = (basic, length[again], nowhere, False, once)
    yield Trip(rows.round_kind[again], nobody, nobody, *times, near=near, account=account)
    yield _heard(rows, basic, length, once)


def _heard(rows: MessageRows, basic: Airtime, length: np.ndarray, once: Repeats) -> Trip:
    """What the receivers of broadcasts hear."""
    ears, arrives = np.full(len(rows.sender), POINT), rows.delivered & (rows.bits > 0)
    return Trip(rows.round_kind, ears, rows.receiver, basic, length, arrives, False, once, free=True)


def _stacked(each: Sequence[Airtime]) -> Airtime:
    """Airtimes [Z] at each of K rates as [K, Z]."""
    return Airtime(*(np.array([getattr(one, part.name) for one in each]) for part in fields(Airtime)))
