"""On the air: what the hops of messages add up to for every node and channel of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from costbench.pricing.radio.airtime import Airtime
from costbench.pricing.rounds import RoundKinds, per_kind_and_node


@dataclass(frozen=True)
class Repeats:
    """How often frames are sent in each draw.

    Attributes
    ----------
    rate_of_draw : int [S], which of the rates a draw has
    tries, backoff : [S], how often a frame is sent [1], and longer back-off of a lone frame [s]
    """

    rate_of_draw: np.ndarray
    tries: np.ndarray
    backoff: np.ndarray

    def never(self) -> Repeats:
        """The same draws at one rate, without repetitions."""
        return Repeats(0 * self.rate_of_draw, np.ones_like(self.tries), 0 * self.backoff)


@dataclass(frozen=True)
class Trip:
    """One hop of some messages.

    Attributes
    ----------
    round_kind : int [M]
    begin, end : int [M], node that sends and that receives; -1 for the access point, or for nobody
    airtime : times [K, M] at each of K rates
    arrives : bool [M], whether `end` receives it
    acknowledged : whether `end` answers with an acknowledgement
    repeats : how often frames are sent
    near : int [M], node in whose domain the channel is used where `begin` and `end` are none; None: theirs
    free : whether the hop uses no channel of its own: it is another ear for one that does
    """

    round_kind: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    airtime: Airtime
    arrives: np.ndarray
    acknowledged: bool
    repeats: Repeats
    near: np.ndarray | None = None
    free: bool = False

    @property
    def at(self) -> np.ndarray:
        """Node in whose domain the channel is used, int [M]."""
        where = np.where(self.begin >= 0, self.begin, self.end)
        return where if self.near is None else np.where(self.begin >= 0, self.begin, self.near)

    @property
    def weights(self) -> np.ndarray:
        """Weights [S, K + 1] of the times at each rate and of the lone frames."""
        rates = np.eye(len(self.airtime.payload))[self.repeats.rate_of_draw]
        return np.column_stack((rates * self.repeats.tries[:, None], self.repeats.backoff))

    def drawn(self, of_rates: np.ndarray) -> np.ndarray:
        """Times [K, N] over the run in every draw, with repetitions [S, N]."""
        return np.asarray(self.weights[:, :-1] @ of_rates)


@dataclass(frozen=True)
class OnAir:
    """Times over the whole run of each node, [S, N] [s], aggregates [1], and windows of each round.

    `silent` and `overheard` are what is left of the windows in which a node takes part: the channel in
    silence, and busy with what is not for it. `point_receiving` and `point_sending` are the access point's
    times on account of a node. The window of a round is weights [S, F, 1] times features [F, U, N].
    """

    active: np.ndarray
    weights: np.ndarray
    features: np.ndarray
    domain_of_node: np.ndarray
    sending: np.ndarray
    receiving: np.ndarray
    sending_overhead: np.ndarray
    receiving_overhead: np.ndarray
    aggregates: np.ndarray
    silent: np.ndarray
    overheard: np.ndarray
    point_receiving: np.ndarray
    point_sending: np.ndarray

    @classmethod
    def of(cls, kinds: RoundKinds, trips: Sequence[Trip], domain_of_node: np.ndarray, rows: int) -> OnAir:
        """Add trips up.

        Parameters
        ----------
        kinds : kinds of round
        trips : hops of all messages
        domain_of_node : int [N], collision domain of each node
        rows : S [1]
        """
        active = _active(kinds)
        sums = {
            name: sum((part(kinds, trip) for trip in trips), np.zeros((rows, kinds.nodes)))
            for name, part in _PARTS.items()
        }
        using = [trip for trip in trips if not trip.free]
        weights = np.concatenate([trip.weights for trip in using], axis=1)
        busy, silent = (np.concatenate([part(kinds, trip) for trip in using]) for part in (_busy, _silence))
        awake = _while_active(kinds, weights, busy + silent, active, domain_of_node)
        quiet = np.maximum(_while_active(kinds, weights, silent, active, domain_of_node), 0.0)
        own = sum(sums[name] for name in ("sending", "receiving", "sending_overhead", "receiving_overhead"))
        return cls(
            active=active,
            weights=weights[:, :, None],
            features=busy + silent,
            domain_of_node=domain_of_node,
            silent=quiet,
            overheard=np.maximum(awake - quiet - own, 0.0),
            **sums,
        )


def _active(kinds: RoundKinds) -> np.ndarray:
    rows = kinds.messages
    carries, arrives = (rows.bits > 0), (rows.bits > 0) & rows.delivered
    sends = per_kind_and_node(carries * 1.0, rows.round_kind, rows.sender, kinds.kinds, kinds.nodes)
    receives = per_kind_and_node(arrives * 1.0, rows.round_kind, rows.receiver, kinds.kinds, kinds.nodes)
    return (sends + receives) > 0


def _at_node(kinds: RoundKinds, trip: Trip, amounts: np.ndarray, node: np.ndarray) -> np.ndarray:
    """Amounts [K, M] added up by kind of round and node, [K, U, N]; what is at no node is left out."""
    here = node >= 0
    return per_kind_and_node(amounts[:, here], trip.round_kind[here], node[here], kinds.kinds, kinds.nodes)


def _over_run(kinds: RoundKinds, trip: Trip, amounts: np.ndarray, node: np.ndarray) -> np.ndarray:
    """Amounts [K, M] added up by node over the run, with repetitions [S, N]."""
    here = node >= 0
    weighted = amounts[:, here] * kinds.repeats[trip.round_kind[here]]
    of_rates = np.stack([np.bincount(node[here], row, kinds.nodes) for row in weighted])
    return trip.drawn(of_rates)


def _sending(kinds: RoundKinds, trip: Trip) -> np.ndarray:
    return _over_run(kinds, trip, trip.airtime.payload, trip.begin)


def _receiving(kinds: RoundKinds, trip: Trip) -> np.ndarray:
    return _over_run(kinds, trip, trip.airtime.payload * trip.arrives, trip.end)


def _sending_overhead(kinds: RoundKinds, trip: Trip) -> np.ndarray:
    frames = _over_run(kinds, trip, trip.airtime.frames - trip.airtime.payload, trip.begin)
    answers = trip.airtime.control * trip.arrives * trip.acknowledged
    return frames + _over_run(kinds, trip, answers, trip.end)


def _receiving_overhead(kinds: RoundKinds, trip: Trip) -> np.ndarray:
    frames = (trip.airtime.frames - trip.airtime.payload) * trip.arrives
    answers = trip.airtime.control * trip.acknowledged
    return _over_run(kinds, trip, frames, trip.end) + _over_run(kinds, trip, answers, trip.begin)


def _aggregates(kinds: RoundKinds, trip: Trip) -> np.ndarray:
    return _over_run(kinds, trip, trip.airtime.aggregates, trip.begin)


def _point_receiving(kinds: RoundKinds, trip: Trip) -> np.ndarray:
    return _over_run(kinds, trip, trip.airtime.frames * trip.arrives, np.where(trip.end < 0, trip.begin, -1))


def _point_sending(kinds: RoundKinds, trip: Trip) -> np.ndarray:
    if trip.free:
        return np.zeros((len(trip.repeats.tries), kinds.nodes))
    account = np.where(trip.begin < 0, trip.at, -1)
    return _over_run(kinds, trip, trip.airtime.frames, account)


_PARTS: dict[str, Callable[[RoundKinds, Trip], np.ndarray]] = {
    "sending": _sending,
    "receiving": _receiving,
    "sending_overhead": _sending_overhead,
    "receiving_overhead": _receiving_overhead,
    "aggregates": _aggregates,
    "point_receiving": _point_receiving,
    "point_sending": _point_sending,
}


def _busy(kinds: RoundKinds, trip: Trip) -> np.ndarray:
    """Frames and acknowledgements at each rate, and no time of lone frames [K + 1, U, N]."""
    on_air = _at_node(kinds, trip, trip.airtime.frames + trip.airtime.control, trip.at)
    return np.concatenate((on_air, np.zeros((1, *on_air.shape[1:]))))


def _silence(kinds: RoundKinds, trip: Trip) -> np.ndarray:
    """Gaps at each rate, and the number of lone frames [K + 1, U, N]."""
    gaps = _at_node(kinds, trip, trip.airtime.gaps, trip.at)
    return np.concatenate((gaps, _at_node(kinds, trip, trip.airtime.lone[:1], trip.at)))


def _while_active(
    kinds: RoundKinds, weights: np.ndarray, features: np.ndarray, active: np.ndarray, domains: np.ndarray
) -> np.ndarray:
    """Time of a node's channel in the rounds in which it takes part, over the run [S, N]."""
    times = kinds.repeats[:, None] * active
    of_run = np.zeros((features.shape[0], len(domains)))
    for domain in range(int(domains.max()) + 1):
        nodes = np.flatnonzero(domains == domain)
        of_run[:, nodes] = features[:, :, nodes].sum(axis=2) @ times[:, nodes]
    return np.asarray(weights @ of_run)
