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
    Data on each hop, and then the acknowledgements of the transport on the way back
    """
    payload = -(-rows.bits // 8)
    there = rows.delivered & (rows.bits > 0)
    if broadcast:
        yield from _broadcast(rows, modes, mac, path, repeats)
        return
    outgoing = _stacked([message_airtime(payload, mode, mac) for mode in modes])
    yield from _hops(rows.round_kind, rows.sender, rows.receiver, outgoing, there, path, repeats)
    if ack_ratio > 0:
        replies = _stacked([reply_airtime(payload * there, ack_ratio, mode, mac) for mode in modes])
        yield from _hops(rows.round_kind, rows.receiver, rows.sender, replies, there, path, repeats)


def _hops(
    round_kind: np.ndarray,
    sender: np.ndarray,
    receiver: np.ndarray,
    airtime: Airtime,
    arrives: np.ndarray,
    path: str,
    repeats: Repeats,
) -> Iterator[Trip]:
    point = np.full_like(sender, POINT)
    ends = [(sender, receiver)] if path == "direct" else [(sender, point), (point, receiver)]
    for begin, end in ends:
        heard = np.ones_like(arrives) if path == "access-point" and end is point else arrives
        yield Trip(round_kind, begin, end, airtime, heard, True, repeats)


def _broadcast(
    rows: MessageRows, modes: Sequence[PhyMode], mac: WifiMac, path: str, repeats: Repeats
) -> Iterator[Trip]:
    """Each content once to the access point, if there is one, and once at the basic rate to all receivers."""
    contents = np.stack([rows.round_kind, rows.sender, rows.content], axis=1)
    _, first, content_of_row = np.unique(contents, axis=0, return_index=True, return_inverse=True)
    once = rows.some(first)
    payload, point = -(-once.bits // 8), np.full(len(first), POINT)
    if path == "access-point":
        outgoing = _stacked([message_airtime(payload, mode, mac) for mode in modes])
        heard = np.ones(len(first), bool)
        yield Trip(once.round_kind, once.sender, point, outgoing, heard, True, repeats)
    on_air = _stacked([broadcast_airtime(payload, mac)])
    begin = once.sender if path == "direct" else point
    nobody = np.full(len(first), POINT)
    yield Trip(
        once.round_kind,
        begin,
        nobody,
        on_air,
        np.zeros(len(first), bool),
        False,
        repeats.never(),
        near=once.sender,
    )
    heard_of = content_of_row.reshape(-1)
    to_receivers = Airtime(*(getattr(on_air, part.name)[:, heard_of] for part in fields(Airtime)))
    arrives = rows.delivered & (rows.bits > 0)
    nobody = np.full(len(rows.sender), POINT)
    yield Trip(
        rows.round_kind, nobody, rows.receiver, to_receivers, arrives, False, repeats.never(), free=True
    )


def _stacked(airtimes: Sequence[Airtime]) -> Airtime:
    """Airtimes of the rates [K, M]."""
    return Airtime(*(np.stack([getattr(each, part.name) for each in airtimes]) for part in fields(Airtime)))
