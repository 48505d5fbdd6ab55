"""The clock of barrier-synchronised rounds: who computes, transfers and waits, and for how long.

In a round every node computes its step, then exchanges, then waits at the barrier for the slowest. On a
shared channel the exchange begins when the slowest node has computed, and every node that takes part is
awake until its end; otherwise each node transfers as soon as it has computed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from costbench.pricing.gaps import Gaps
from costbench.pricing.radio.exchange import Exchange
from costbench.pricing.rounds import RoundKinds


@dataclass(frozen=True)
class Timeline:
    """Times of a whole run, S draws and N nodes [s].

    Attributes
    ----------
    total : [S], duration of the run
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


def run_timeline(kinds: RoundKinds, compute: np.ndarray, exchange: Exchange, gaps: Gaps) -> Timeline:
    """Play the rounds of a run.

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
    MobiSys 2012, section 4
    """
    start = (compute.max(axis=-1, keepdims=True) if exchange.shared else compute)[:, kinds.compute_kind]
    gap = _gap_lengths(kinds.kind_of_round, start, start + exchange.window, gaps)
    tail_duration = exchange.tail.duration[:, None]
    asleep = gap > tail_duration
    window = exchange.window[:, gaps.kind] + _delays(asleep, exchange, gaps)
    return Timeline(
        total=(start[:, gaps.kind] + window).max(axis=-1) @ gaps.times,
        compute=np.einsum("svn,v->sn", compute, kinds.compute_repeats),
        communicate=_communicating(window, exchange.active[gaps.kind], gaps.times),
        promotions=_per_node(asleep * 1.0, gaps) + gaps.transfers,
        tail=_per_node(np.minimum(gap, tail_duration), gaps) + gaps.transfers * tail_duration,
    )


def _gap_lengths(kind_of_round: np.ndarray, start: np.ndarray, end: np.ndarray, gaps: Gaps) -> np.ndarray:
    """Length of each gap [S, K], [s]: rest of a round, whole rounds, computing before the next transfer."""
    duration = end.max(axis=-1)
    before, after = kind_of_round[gaps.round_before], kind_of_round[gaps.round_after]
    node = gaps.node if end.shape[-1] > 1 else np.zeros_like(gaps.node)
    length = duration[:, before] - end[:, before, node] + start[:, after, node]
    if gaps.adjacent:
        return length
    clock = np.cumsum(duration[:, kind_of_round], axis=-1)
    return length + clock[:, gaps.round_after - 1] - clock[:, gaps.round_before]


def _delays(asleep: np.ndarray, exchange: Exchange, gaps: Gaps) -> np.ndarray:
    """Time that waking up delays transfers [S, Q, N], or all of a shared channel [S, Q, 1], [s]."""
    known = asleep if asleep.any() else asleep[:1]
    ends = np.column_stack((known, np.ones(len(known), bool), np.zeros(len(known), bool)))
    woken = ends[:, gaps.gap_before]
    if exchange.shared:
        woken = np.asarray(woken.any(axis=-1, keepdims=True))
    return woken * exchange.promotion.duration[:, None, None]


def _communicating(window: np.ndarray, active: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Time in windows over the run [S, N], [s], from [S, Q, N] or [S, Q, 1] of one round."""
    if window.shape[-1] == 1:
        return (window[:, :, 0] * times) @ active
    return np.einsum("sqn,qn,q->sn", window, active * 1.0, times)


def _per_node(amounts: np.ndarray, gaps: Gaps) -> np.ndarray:
    """Sum over the occurrences of every gap by node: [S, K] to [S, N]."""
    nodes = len(gaps.transfers)
    weighted = amounts * gaps.repeats
    return np.stack([weighted[:, gaps.node == node].sum(axis=-1) for node in range(nodes)], axis=-1)
