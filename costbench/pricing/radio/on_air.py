"""On the air: what the hops of messages add up to for every node and channel of a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

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

    def weights(self, rates: int) -> np.ndarray:
        """Weights [S, K + 1] of the times at each of K rates and of the lone frames."""
        at_rate = np.eye(rates)[self.rate_of_draw] * self.tries[:, None]
        return np.column_stack((at_rate, self.backoff))


@dataclass(frozen=True)
class Trip:
    """One hop of some messages.

    Attributes
    ----------
    round_kind : int [M]
    begin, end : int [M], node that sends and that receives; -1 for the access point, or for nobody
    airtime : times [K, Z] of messages of Z lengths at each of K rates
    length : int [M], which of the lengths a message has
    arrives : bool [M], whether `end` receives it
    acknowledged : whether `end` answers with an acknowledgement
    repeats : how often frames are sent
    near : int [M], node in whose domain the channel is used where `begin` is none; None: that of `end`
    account : int [M], node on whose account an access point sends; None: that of `near`
    free : whether the hop uses no channel of its own: it is another ear for one that does
    """

    round_kind: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    airtime: Airtime
    length: np.ndarray
    arrives: np.ndarray
    acknowledged: bool
    repeats: Repeats
    near: np.ndarray | None = None
    account: np.ndarray | None = None
    free: bool = False

    @property
    def rates(self) -> int:
        """Number of rates K [1]."""
        return len(self.airtime.payload)

    @property
    def at(self) -> np.ndarray:
        """Node in whose domain the channel is used, int [M]."""
        return np.where(self.begin >= 0, self.begin, self.end if self.near is None else self.near)

    def counted(self, kinds: RoundKinds, node: np.ndarray, which: np.ndarray | None = None) -> np.ndarray:
        """Messages of each length over the run at each node [Z, N], [1]; what is at no node is left out."""
        here = node >= 0 if which is None else (node >= 0) & which
        lengths = self.airtime.payload.shape[1]
        return np.bincount(
            self.length[here] * kinds.nodes + node[here],
            kinds.repeats[self.round_kind[here]],
            lengths * kinds.nodes,
        ).reshape(lengths, kinds.nodes)

    def drawn(self, of_rates: np.ndarray, lone: np.ndarray | None = None) -> np.ndarray:
        """Times [K, N] over the run in every draw, with repetitions [S, N]; and the longer back-off of lone
        frames [N]."""
        weights = self.repeats.weights(self.rates)
        longer = 0.0 if lone is None else weights[:, -1:] * lone
        return np.asarray(weights[:, :-1] @ of_rates + longer)


@dataclass(frozen=True)
class Sums:
    """Times over the whole run of each node, [S, N] [s], and aggregates that it sent [1].

    `sensing` is silence that a node must hear to send. `point_receiving` and `point_sending` are the access
    point's times on account of a node.
    """

    sending: np.ndarray
    receiving: np.ndarray
    sending_overhead: np.ndarray
    receiving_overhead: np.ndarray
    sensing: np.ndarray
    aggregates: np.ndarray
    point_receiving: np.ndarray
    point_sending: np.ndarray

    @classmethod
    def of(cls, kinds: RoundKinds, trip: Trip) -> Sums:
        """What one hop of some messages takes."""
        air, overhead = trip.airtime, trip.airtime.frames - trip.airtime.payload
        sent = trip.counted(kinds, trip.begin)
        heard = trip.counted(kinds, trip.end, trip.arrives)
        payer = trip.at if trip.account is None else trip.account
        at_point = np.where(trip.end < 0, trip.begin, -1), np.where(trip.begin < 0, payer, -1)
        forwarded = trip.counted(kinds, at_point[1]) * (not trip.free)
        answers = air.control * trip.acknowledged
        return cls(
            sending=trip.drawn(air.payload @ sent),
            receiving=trip.drawn(air.payload @ heard),
            sending_overhead=trip.drawn(overhead @ sent + answers @ heard),
            receiving_overhead=trip.drawn(overhead @ heard + answers @ sent),
            sensing=trip.drawn(air.sensed @ sent, air.lone[0] @ sent),
            aggregates=trip.drawn(air.aggregates @ sent),
            point_receiving=trip.drawn(air.frames @ trip.counted(kinds, at_point[0], trip.arrives)),
            point_sending=trip.drawn(air.frames @ forwarded),
        )

    @classmethod
    def zero(cls, shape: tuple[int, int]) -> Sums:
        """No time at all [S, N]."""
        return cls(*(np.zeros(shape) for _ in fields(cls)))

    def plus(self, other: Sums) -> Sums:
        """The sums of both."""
        return Sums(*(getattr(self, part.name) + getattr(other, part.name) for part in fields(self)))

    @property
    def own(self) -> np.ndarray:
        """Time that a node sends or receives [S, N], [s]."""
        return self.sending + self.receiving + self.sending_overhead + self.receiving_overhead


@dataclass(frozen=True)
class OnAir:
    """What hops add up to.

    `silent` and `overheard` are what is left of the windows in which a node takes part, [S, N] [s]: the
    channel in silence, and busy with what is not for it. The window of a round is weights [S, F, 1] times
    features [F, U, N].
    """

    sums: Sums
    active: np.ndarray
    weights: np.ndarray
    features: np.ndarray
    domain_of_node: np.ndarray
    silent: np.ndarray
    overheard: np.ndarray

    @classmethod
    def of(cls, kinds: RoundKinds, trips: Iterable[Trip], domain_of_node: np.ndarray, rows: int) -> OnAir:
        """Add trips up.

        Parameters
        ----------
        kinds : kinds of round
        trips : hops of all messages, at least one trip
        domain_of_node : int [N], collision domain of each node
        rows : S [1]
        """
        active = _active(kinds)
        sums = Sums.zero((rows, kinds.nodes))
        channels: dict[tuple[int, int], _Channel] = {}
        for trip in trips:
            sums = sums.plus(Sums.of(kinds, trip))
            if not trip.free:
                alike = id(trip.repeats), trip.rates
                channels.setdefault(alike, _Channel.silent(kinds, trip, domain_of_node)).add(trip)
        weights = np.concatenate(
            [one.repeats.weights(len(one.busy) - 1) for one in channels.values()], axis=1
        )
        features = np.concatenate([one.busy for one in channels.values()])
        silence = np.concatenate([one.gaps for one in channels.values()])
        times = kinds.repeats[:, None] * active
        in_use = _of_domains(features, domain_of_node)
        awake, silent = (weights @ _while_active(part, times, domain_of_node) for part in (in_use, silence))
        return cls(
            sums=sums,
            active=active,
            weights=weights[:, :, None],
            features=features,
            domain_of_node=domain_of_node,
            silent=silent,
            overheard=np.maximum(awake - silent - sums.own, 0.0),
        )


@dataclass(frozen=True)
class _Channel:
    """Trips whose frames are sent equally often, added up in place: at each of K rates, and lone frames.

    Attributes
    ----------
    repeats : how often frames are sent
    busy : [K + 1, U, N], time on the channel of a node in a round [s], and number of lone frames [1]
    gaps : [K + 1, U, C], silences of a domain in a round [s], and number of lone frames [1]
    domain_of_node : int [N], collision domain of each node
    """

    repeats: Repeats
    busy: np.ndarray
    gaps: np.ndarray
    domain_of_node: np.ndarray

    @classmethod
    def silent(cls, kinds: RoundKinds, trip: Trip, domain_of_node: np.ndarray) -> _Channel:
        """A channel without any trip."""
        of_node, of_domain = (
            np.zeros((trip.rates + 1, kinds.kinds, ends)) for ends in (kinds.nodes, domain_of_node.max() + 1)
        )
        return cls(trip.repeats, of_node, of_domain, domain_of_node)

    def add(self, trip: Trip) -> None:
        """Add the messages of a trip."""
        lone = trip.airtime.lone[0]
        _add(self.busy, trip, trip.at, (*trip.airtime.channel, lone))
        _add(self.gaps, trip, self.domain_of_node[trip.at], (*trip.airtime.gaps, lone))


def _add(sums: np.ndarray, trip: Trip, column: np.ndarray, amounts: Sequence[np.ndarray]) -> None:
    """Add amounts of each length of message [Z] to sums [., U, C]: only rounds that the trip is of."""
    if not len(trip.round_kind):
        return
    first = trip.round_kind.min()
    part = sums[:, first : trip.round_kind.max() + 1]
    place = (trip.round_kind - first) * sums.shape[2] + column
    for row, of_length in zip(part, amounts, strict=True):
        row += np.bincount(place, of_length[trip.length], row.size).reshape(row.shape)


def _active(kinds: RoundKinds) -> np.ndarray:
    rows = kinds.messages
    carries, arrives = (rows.bits > 0), (rows.bits > 0) & rows.delivered
    sends = per_kind_and_node(carries * 1.0, rows.round_kind, rows.sender, kinds.kinds, kinds.nodes)
    receives = per_kind_and_node(arrives * 1.0, rows.round_kind, rows.receiver, kinds.kinds, kinds.nodes)
    return (sends + receives) > 0


def _of_domains(features: np.ndarray, domain_of_node: np.ndarray) -> np.ndarray:
    """Features of nodes [F, U, N] added up by domain [F, U, C]."""
    belongs = np.eye(int(domain_of_node.max()) + 1)[domain_of_node]
    return np.asarray(features @ belongs)


def _while_active(features: np.ndarray, times: np.ndarray, domain_of_node: np.ndarray) -> np.ndarray:
    """Amounts [F, U, C] of a node's domain in the rounds [U, N] in which it takes part [F, N]."""
    of_run = np.zeros((len(features), len(domain_of_node)))
    for domain in range(features.shape[2]):
        nodes = np.flatnonzero(domain_of_node == domain)
        of_run[:, nodes] = features[:, :, domain] @ times[:, nodes]
    return of_run
