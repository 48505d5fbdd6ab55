"""The clock of rounds with a barrier: who computes, transfers and waits, and for how long.

In a round every node computes its step, then exchanges, then waits at the barrier for the slowest. A shared
channel opens when the slowest of its nodes has computed, and every node that takes part is awake until its
end; otherwise each node transfers as soon as it has computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from costbench.pricing.clock import Clock
from costbench.pricing.gaps import Gaps
from costbench.pricing.radio.exchange import Exchange
from costbench.pricing.rounds import RoundKinds
from costbench.pricing.uncertainty import chunks
from costbench.pricing.wakings import Played, always_woken, never_woken, woken_at_times


@dataclass(frozen=True)
class Timeline:
    """Times of a whole run, S draws and N nodes [s].

    Attributes
    ----------
    total : [S, N], until the node has finished its last round
    compute : [S, N], computing
    communicate : [S, N], waking the radio and exchanging
    promotions : [S, N], how often the radio was woken [1]
    tail : [S, N], radio awake after a transfer
    """

    total: np.ndarray
    compute: np.ndarray
    communicate: np.ndarray
    promotions: np.ndarray
    tail: np.ndarray

    @classmethod
    def joined(cls, parts: Sequence[Timeline]) -> Timeline:
        """The times of several groups of draws together."""
        return cls(
            *(np.concatenate(columns) for columns in zip(*(vars(p).values() for p in parts), strict=True))
        )


def barrier_timeline(kinds: RoundKinds, compute: np.ndarray, exchange: Exchange, gaps: Gaps) -> Timeline:
    """Play the rounds of a run that are synchronised by a barrier.

    The radio falls asleep when a gap is longer than its tail; the next transfer then begins with a
    promotion, which delays it. The first transfer always does, and the last has its whole tail. Gaps are
    measured on a clock without promotions, which leaves out what promotions of others delay a node.

    Parameters
    ----------
    kinds : kinds of round
    compute : [S, V, N], time of computing in a round of each kind of computing [s]
    exchange : communication in a round of each kind
    gaps : silences between transfers

    Returns
    -------
    Times of the run [s] and promotions [1]

    Source
    ------
    Bulk-synchronous execution, L. Valiant, CACM 33(8), 1990; promotion and tail as in J. Huang et al.,
    MobiSys 2012, section 4; a tail that merges with the next transfer as in N. Balasubramanian et al., Energy
    Consumption in Mobile Phones, IMC 2009
    """
    column_of_node = exchange.window.column_of_node
    start = np.stack(
        [compute[:, :, column_of_node == column].max(axis=-1) for column in range(exchange.window.columns)],
        axis=-1,
    )
    clock = Clock(kinds, exchange, start)
    played = [np.empty(len(start)), *(np.empty((len(start), kinds.nodes)) for _ in range(3))]
    for rows, of_rows in _played(clock, gaps):
        for whole, part in zip(played, of_rows, strict=True):
            whole[rows] = part
    total, communicate, promotions, tail = played
    return Timeline(
        total=np.repeat(total[:, None], kinds.nodes, axis=1),
        compute=np.einsum("svn,v->sn", compute, kinds.compute_repeats),
        communicate=communicate,
        promotions=promotions,
        tail=tail,
    )


def _played(clock: Clock, gaps: Gaps) -> Iterator[tuple[np.ndarray, Played]]:
    """Draws, and what playing the run with their numbers gives: the quickest way that is exact for each."""
    shortest = clock.start.min(axis=(1, 2))[:, None]
    asleep = (shortest > clock.exchange.tail.duration).all(axis=1)
    if asleep.any():
        yield np.flatnonzero(asleep), always_woken(clock.rows(asleep), gaps)
    rest = np.flatnonzero(~asleep)
    if gaps.adjacent and len(rest):
        played, holds = never_woken(clock.rows(rest), gaps)
        total, *of_nodes = (part[holds] if len(part) == len(rest) else part for part in played)
        yield rest[holds], (total, of_nodes[0], of_nodes[1], of_nodes[2])
        rest = rest[~holds]
    cells = max(clock.kinds.kinds, len(gaps.times), len(clock.kinds.kind_of_round), len(gaps.node) // 4)
    for some in chunks(len(rest), cells):
        yield rest[some], woken_at_times(clock.rows(rest[some]), gaps)
