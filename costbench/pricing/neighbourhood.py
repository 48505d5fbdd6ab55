"""The clock of rounds in which a node waits only for those that it hears.

A node begins a round when it has finished the last one and what was sent to it has arrived. On its own
channel it transfers as soon as it has computed. On a shared channel nodes transmit one after another in the
order in which they have computed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from costbench.pricing.radio.exchange import Exchange
from costbench.pricing.rounds import RoundKinds
from costbench.pricing.timeline import Timeline


def neighbourhood_timeline(kinds: RoundKinds, compute: np.ndarray, exchange: Exchange) -> Timeline:
    """Play the rounds of a run in which nodes wait for their neighbours alone.

    A message has arrived when its sender's transfer has ended. A node that neither sends nor receives in a
    round goes on at once. The radio falls asleep and wakes as under a barrier; on a shared channel waking
    delays the node's turn.

    Parameters
    ----------
    kinds : kinds of round
    compute : [S, V, N], time of computing in a round of each kind of computing [s]
    exchange : communication in a round of each kind

    Returns
    -------
    Times of the run [s] and promotions [1]

    Source
    ------
    A recursion of maxima and sums, F. Baccelli et al., Synchronization and Linearity, 1992, section 1.2
    """
    play = _Play.begun(kinds, compute, exchange)
    for kind in kinds.kind_of_round:
        play.round(int(kind))
    return play.finished()


@dataclass
class _Play:
    """State after some rounds, each [S, N]: when a node may begin, when its last transfer ended (-inf: none
    yet), and the sums so far."""

    kinds: RoundKinds
    exchange: Exchange
    compute: np.ndarray
    begins: np.ndarray
    ended: np.ndarray
    communicate: np.ndarray
    promotions: np.ndarray
    tail: np.ndarray

    @classmethod
    def begun(cls, kinds: RoundKinds, compute: np.ndarray, exchange: Exchange) -> _Play:
        shape = compute.shape[0], compute.shape[2]
        zeros = [np.zeros(shape) for _ in range(4)]
        return cls(kinds, exchange, compute, zeros[0], np.full(shape, -np.inf), *zeros[1:])

    def round(self, kind: int) -> None:
        """Play one round of a kind."""
        active = self.exchange.active[kind]
        computed = self.begins + self.compute[:, self.kinds.compute_kind[kind]]
        asleep = active & (computed - self.ended > self.exchange.tail.duration)
        ready = computed + asleep * self.exchange.promotion.duration
        done = self._transferred(kind, ready, active)
        self._account(active, asleep, computed, done)
        self.begins = self._arrived(kind, done)

    def _transferred(self, kind: int, ready: np.ndarray, active: np.ndarray) -> np.ndarray:
        """When each node's transfer has ended [S, N], [s]."""
        window = self.exchange.window
        needs = (window.weights * window.features[:, kind]).sum(axis=1)
        if not self.exchange.shared:
            return ready + needs
        done = ready.copy()
        columns = self.exchange.window.column_of_node
        for column in np.unique(columns[active]):
            nodes = np.flatnonzero((columns == column) & active)
            done[:, nodes] = one_after_another(ready[:, nodes], needs[:, nodes])
        return done

    def _account(
        self, active: np.ndarray, asleep: np.ndarray, computed: np.ndarray, done: np.ndarray
    ) -> None:
        silent = np.where(np.isfinite(self.ended), computed - self.ended, 0.0)
        self.tail += active * np.minimum(silent, self.exchange.tail.duration)
        self.promotions += asleep
        self.communicate += active * (done - computed)
        self.ended = np.where(active, done, self.ended)

    def _arrived(self, kind: int, done: np.ndarray) -> np.ndarray:
        """When each node has finished and has what was sent to it [S, N], [s]."""
        rows = self.kinds.messages
        first, last = np.searchsorted(rows.round_kind, (kind, kind + 1))
        there = slice(first, last)
        arrived = done.copy()
        heard = rows.delivered[there] & (rows.bits[there] > 0)
        senders, receivers = rows.sender[there][heard], rows.receiver[there][heard]
        np.maximum.at(arrived.T, receivers, done[:, senders].T)
        return arrived

    def finished(self) -> Timeline:
        compute = np.einsum("svn,v->sn", self.compute, self.kinds.compute_repeats)
        last = np.isfinite(self.ended) * self.exchange.tail.duration
        return Timeline(self.begins, compute, self.communicate, self.promotions, self.tail + last)


def one_after_another(ready: np.ndarray, needs: np.ndarray) -> np.ndarray:
    """When transmissions on one channel end that are served in the order in which they are ready.

    end_i = max(end_(i-1), ready_i) + needs_i

    Parameters
    ----------
    ready : [S, N], when each may begin [s]
    needs : [S, N], for how long it occupies the channel [s]

    Returns
    -------
    [S, N], when each has ended [s]

    Source
    ------
    D. V. Lindley, The theory of queues with a single server, 1952: the recursion of waiting times
    """
    order = np.argsort(ready, axis=1, kind="stable")
    in_order, lasting = (np.take_along_axis(part, order, axis=1) for part in (ready, needs))
    before = np.cumsum(lasting, axis=1) - lasting
    ended = np.maximum.accumulate(in_order - before, axis=1) + before + lasting
    done = np.empty_like(ended)
    np.put_along_axis(done, order, ended, axis=1)
    return done
