"""Exchange: what a radio model says about the communication of each kind of round."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from costbench.pricing.fleet import Fleet


@dataclass(frozen=True)
class Spent:
    """Time and energy of one term over the whole run: each [S, N] or broadcasting, [s] and [J]."""

    seconds: np.ndarray
    joules: np.ndarray


@dataclass(frozen=True)
class State:
    """A state of the radio before or after a transfer: each [S, 1] or [S, N], [s] and [W]."""

    duration: np.ndarray
    power: np.ndarray


@dataclass(frozen=True)
class Window:
    """Time that each node needs on its channel in a round of each kind, as a linear form of a few features.

    seconds[s, u, n] = sum over f of weights[s, f, n] * features[f, u, n]

    On a shared channel the times of its nodes add up to one window: what a node sends counts with the sender,
    and what an access point forwards to a node with the receiver.

    Attributes
    ----------
    weights : [S, F, N] or [S, F, 1]; such as seconds a bit in each direction, or 1 for the rate of a draw
    features : [F, U, N]; such as bits in each direction, or seconds at each rate
    column_of_node : int [N], channel of each node, numbered from 0: its collision domain, or its own
    """

    weights: np.ndarray
    features: np.ndarray
    column_of_node: np.ndarray

    @property
    def columns(self) -> int:
        """Number of channels C [1]."""
        return int(self.column_of_node.max()) + 1

    def parts(self, column: int) -> tuple[np.ndarray, np.ndarray]:
        """Weights [S, P] and features [P, U] of one channel: its window is their product [S, U], [s]."""
        nodes = np.flatnonzero(self.column_of_node == column)
        if self.weights.shape[2] == 1:
            of_nodes = self.features if self.columns == 1 else self.features[:, :, nodes]
            return self.weights[:, :, 0], of_nodes.sum(axis=2)
        kinds = self.features.shape[1]
        weights = self.weights[:, :, nodes].reshape(len(self.weights), -1)
        return weights, self.features[:, :, nodes].swapaxes(1, 2).reshape(-1, kinds)

    def summed(self, column: int, times: np.ndarray) -> np.ndarray:
        """Time for which a channel is in use in so many rounds of each kind, times [U] or [U, K]: [S] or
        [S, K], [s]."""
        weights, features = self.parts(column)
        return np.asarray(weights @ (features @ times))


@dataclass(frozen=True)
class Exchange:
    """Communication of a run; S draws, U kinds of round, N nodes.

    Attributes
    ----------
    shared : whether the nodes of a column share a channel: it opens when the slowest of them has computed,
        and its window is that of all who take part. Otherwise each node transfers as soon as it has computed.
    active : bool [U, N], whether the node sends or receives anything in such a round
    window : duration of each node's transfer or of the shared window, without promotion [s]
    terms : time and energy of `transmit`, `receive`, `listen`, `overhear`, `overhead_frames`, `access_point`
        and `network` above idle; one that is left out is zero
    promotion : waking up, before the first transfer after the radio fell asleep
    tail : staying awake after a transfer, until the next one or until the radio falls asleep
    notes : what a reader of the price has to know
    """

    shared: bool
    active: np.ndarray
    window: Window
    terms: dict[str, Spent]
    promotion: State
    tail: State
    notes: tuple[str, ...] = ()

    def rows(self, rows: slice | np.ndarray) -> Exchange:
        """The clock of some draws: windows and states, without the terms."""
        window = replace(self.window, weights=self.window.weights[rows])
        promotion, tail = (
            State(state.duration[rows], state.power[rows]) for state in (self.promotion, self.tail)
        )
        return replace(self, window=window, promotion=promotion, tail=tail, terms={})


def state(fleet: Fleet, key: str) -> State:
    """The state described at a key of the radio.

    Parameters
    ----------
    fleet : numbers of the devices
    key : dotted key below the radio of a section with `duration` and `power`

    Returns
    -------
    Duration [S, 1] or [S, N], [s] and power above idle, alike [W]
    """
    return State(fleet.radio(f"{key}.duration"), fleet.radio(f"{key}.power"))


def no_state(fleet: Fleet) -> State:
    """A state that takes no time.

    Parameters
    ----------
    fleet : numbers of the devices

    Returns
    -------
    Zero duration [S, 1], [s] and power [W]
    """
    return State(np.zeros((fleet.rows, 1)), np.zeros((fleet.rows, 1)))


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
