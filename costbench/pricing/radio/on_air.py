"""On the air: what the hops of messages add up to for every node and channel of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
    def together(cls, parts: Iterable[Sums], shape: tuple[int, int]) -> Sums:
        """The sums of several hops; zero [S, N] where there are none."""
        every = list(parts)
        return cls(
            *(sum((getattr(one, part.name) for one in every), np.zeros(shape)) for part in fields(cls))
        )

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
        sums = Sums.together((Sums.of(kinds, trip) for trip in trips), (rows, kinds.nodes))
        alike = list(_alike(trips))
        weights = np.concatenate([group[0].repeats.weights(group[0].rates) for group in alike], axis=1)
        features = np.concatenate([_channel(kinds, group) for group in alike])
        silence = np.concatenate([_silence(kinds, group, domain_of_node) for group in alike])
        times = kinds.repeats[:, None] * active
        in_use = _of_domains(kinds, features, domain_of_node)
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


def _alike(trips: Sequence[Trip]) -> Iterator[list[Trip]]:
    """The trips that use a channel, those together whose frames are sent equally often."""
    groups: dict[tuple[int, int], list[Trip]] = {}
    for trip in trips:
        if not trip.free:
            groups.setdefault((id(trip.repeats), trip.rates), []).append(trip)
    yield from groups.values()


def _active(kinds: RoundKinds) -> np.ndarray:
    rows = kinds.messages
    carries, arrives = (rows.bits > 0), (rows.bits > 0) & rows.delivered
    sends = per_kind_and_node(carries * 1.0, rows.round_kind, rows.sender, kinds.kinds, kinds.nodes)
    receives = per_kind_and_node(arrives * 1.0, rows.round_kind, rows.receiver, kinds.kinds, kinds.nodes)
    return (sends + receives) > 0


def _channel(kinds: RoundKinds, trips: Sequence[Trip]) -> np.ndarray:
    """Time on the channel at each rate, and number of lone frames, of a node in a round [K + 1, U, N]."""
    added = np.zeros((trips[0].rates + 1, kinds.kinds, kinds.nodes))
    for trip in trips:
        place = trip.round_kind * kinds.nodes + trip.at
        for row, amounts in zip(added, (*trip.airtime.channel, trip.airtime.lone[0]), strict=True):
            row += np.bincount(place, amounts[trip.length], row.size).reshape(row.shape)
    return added


def _silence(kinds: RoundKinds, trips: Sequence[Trip], domain_of_node: np.ndarray) -> np.ndarray:
    """Gaps at each rate, and number of lone frames, of a domain in a round [K + 1, U, C]."""
    domains = int(domain_of_node.max()) + 1
    added = np.zeros((trips[0].rates + 1, kinds.kinds, domains))
    for trip in trips:
        place = trip.round_kind * domains + domain_of_node[trip.at]
        for row, amounts in zip(added, (*trip.airtime.gaps, trip.airtime.lone[0]), strict=True):
            row += np.bincount(place, amounts[trip.length], row.size).reshape(row.shape)
    return added


def _of_domains(kinds: RoundKinds, features: np.ndarray, domain_of_node: np.ndarray) -> np.ndarray:
    """Features of nodes [F, U, N] added up by domain [F, U, C]."""
    domains = range(int(domain_of_node.max()) + 1)
    return np.stack([features[:, :, domain_of_node == one].sum(axis=2) for one in domains], axis=2)


def _while_active(features: np.ndarray, times: np.ndarray, domain_of_node: np.ndarray) -> np.ndarray:
    """Amounts [F, U, C] of a node's domain in the rounds [U, N] in which it takes part [F, N]."""
    of_run = np.zeros((len(features), len(domain_of_node)))
    for domain in range(features.shape[2]):
        nodes = np.flatnonzero(domain_of_node == domain)
        of_run[:, nodes] = features[:, :, domain] @ times[:, nodes]
    return of_run
