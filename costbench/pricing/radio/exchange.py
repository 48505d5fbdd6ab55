"""Exchange: what a radio model says about the communication of each kind of round."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from costbench.pricing.uncertainty import Draws


@dataclass(frozen=True)
class Spent:
    """Time and energy of one term over the whole run: each [S, N], [s] and [J]."""

    seconds: np.ndarray
    joules: np.ndarray


@dataclass(frozen=True)
class State:
    """A state of the radio before or after a transfer: each [S], [s] and [W]."""

    duration: np.ndarray
    power: np.ndarray


@dataclass(frozen=True)
class Exchange:
    """Communication of a run; S draws, U kinds of round, N nodes.

    Attributes
    ----------
    shared : whether the nodes share one channel: it opens when the slowest has computed, and is the same
        window for all who take part. Otherwise each node transfers alone as soon as it has computed.
    active : [U, N], whether the node sends or receives anything in such a round
    window : [S, U, N], duration of each node's transfer, or [S, U, 1], of the shared window; without
        promotion [s]
    terms : time and energy of `transmit`, `receive`, `listen` and `overhead_frames`, above idle
    promotion : waking up, before the first transfer after the radio fell asleep
    tail : staying awake after a transfer, until the next one or until the radio falls asleep
    """

    shared: bool
    active: np.ndarray
    window: np.ndarray
    terms: dict[str, Spent]
    promotion: State
    tail: State


def state(draws: Draws, key: str) -> State:
    """The state described at a dotted key of the profile.

    Parameters
    ----------
    draws : numbers of the device
    key : dotted key of a section with `duration` and `power`

    Returns
    -------
    Duration [S], [s] and power above idle [S], [W]
    """
    return State(draws(f"{key}.duration"), draws(f"{key}.power"))


def segments(payload_bytes: np.ndarray, segment_bytes: int) -> np.ndarray:
    """Transport segments of each message.

    Parameters
    ----------
    payload_bytes : [M], bytes handed to the transport [B]
    segment_bytes : scalar, payload of a full segment, above 0 [B]

    Returns
    -------
    int [M], number of segments [1]; 0 for an empty message

    Raises
    ------
    ValueError : headers that leave no room for payload
    """
    if segment_bytes <= 0:
        raise ValueError("the headers leave no room for payload in a packet of this mtu")
    return -(-np.asarray(payload_bytes, dtype=np.int64) // segment_bytes)
