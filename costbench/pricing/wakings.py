"""Radios that fall asleep between transfers: their tails, and what waking them adds to a run."""

from __future__ import annotations

import numpy as np

from costbench.pricing.clock import Clock
from costbench.pricing.gaps import Gaps

#: total [S], and communicating, promotions [1] and tails of each node [S, N], [s]
Played = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def always_woken(clock: Clock, gaps: Gaps) -> Played:
    """Play a run whose radios fall asleep in every gap.

    Parameters
    ----------
    clock : kinds of round, and when their channels open and close
    gaps : silences between transfers

    Returns
    -------
    Total [S], and of each node [S, N]: communicating, promotions [1], tails [s]
    """
    exchange, kinds = clock.exchange, clock.kinds
    delay = exchange.promotion.duration
    wakings = kinds.repeats @ exchange.active
    total = np.zeros(len(clock.start))
    for block, durations in clock.blocks(delay):
        total += durations @ kinds.repeats[block]
    late = np.zeros((len(total), kinds.nodes))
    for column in range(exchange.window.columns):
        nodes = np.flatnonzero(exchange.window.column_of_node == column)
        weights, features = clock.late(column, delay)
        late[:, nodes] = weights @ (features @ (kinds.repeats[:, None] * exchange.active[:, nodes]))
    return total, clock.communicate() + late, wakings[None], exchange.tail.duration * wakings


def never_woken(clock: Clock, gaps: Gaps) -> tuple[Played, np.ndarray]:
    """Play a run whose radios stay awake once they are, and say for which draws they do.

    Parameters
    ----------
    clock : kinds of round, and when their channels open and close
    gaps : silences between transfers, none of which spans a round

    Returns
    -------
    played : total [S], and of each node [S, N]: communicating, promotions [1], tails [s]
    holds : bool [S], whether no gap of the draw can be longer than a tail
    """
    kinds, nodes = clock.kinds, len(gaps.transfers)
    went, came = gaps.rounds_at_ends(kinds)
    total, longest = np.zeros(len(clock.start)), np.zeros(len(clock.start))
    closing = np.zeros((len(total), nodes))
    for block, durations in clock.blocks():
        total += durations @ kinds.repeats[block]
        closing += durations @ went[block]
        np.maximum(longest, durations.max(axis=1), out=longest)
    summed = np.maximum(closing - _closed(clock, went, came), 0.0)
    added, more = _delays(clock, gaps, np.zeros((1, len(gaps.node)), bool))
    tail = clock.exchange.tail.duration
    played = (
        total + added,
        clock.communicate() + more,
        gaps.transfers[None] * 1.0,
        summed + gaps.transfers * tail,
    )
    return played, np.asarray((_longest_gap(clock, longest)[:, None] <= tail).all(axis=1))


def _longest_gap(clock: Clock, longest: np.ndarray) -> np.ndarray:
    """A length that no gap exceeds between rounds that follow one another and last so long [S], [s]."""
    earliest, latest = clock.start.min(axis=(1, 2)), clock.start.max(axis=(1, 2))
    one_channel = clock.exchange.window.columns == 1
    return np.asarray(latest if one_channel else longest - earliest + latest)


def _closed(clock: Clock, went: np.ndarray, came: np.ndarray) -> np.ndarray:
    """Sum over a node's gaps of when its channel closed before and opened after, the latter taken off
    [S, N], [s]."""
    of_computing = np.eye(clock.start.shape[1])[:, clock.kinds.compute_kind]
    opened = of_computing @ (went - came)
    return np.stack(
        [
            clock.exchange.window.summed(column, went[:, node]) + clock.start[:, :, column] @ opened[:, node]
            for node, column in enumerate(clock.exchange.window.column_of_node)
        ],
        axis=1,
    )


def woken_at_times(clock: Clock, gaps: Gaps) -> Played:
    """Play a run whose radios fall asleep in some gaps or in none.

    Parameters
    ----------
    clock : kinds of round, and when their channels open and close
    gaps : silences between transfers

    Returns
    -------
    Total [S], and of each node [S, N]: communicating, promotions [1], tails [s]
    """
    asleep, tail = _silences(clock, gaps)
    added, more = _delays(clock, gaps, asleep)
    total = clock.duration @ clock.kinds.repeats + added
    return total, clock.communicate() + more, _woken(asleep, gaps), tail


def _silences(clock: Clock, gaps: Gaps) -> tuple[np.ndarray, np.ndarray]:
    """Whether the radio falls asleep in each gap, bool [S or 1, K], and tails [S, N], [s]."""
    tail = clock.exchange.tail.duration
    last = gaps.transfers * tail
    asleep = np.empty((len(clock.duration), len(gaps.node)), bool)
    summed = np.zeros((len(asleep), len(gaps.transfers)))
    for node in np.unique(gaps.node):
        mine = np.flatnonzero(gaps.node == node)
        length = _gap_lengths(clock, gaps, int(node), mine)
        of_node = tail[:, min(node, tail.shape[1] - 1), None]
        asleep[:, mine] = length > of_node
        summed[:, node] = np.minimum(length, of_node) @ gaps.repeats[mine]
    return asleep, last + summed


def _gap_lengths(clock: Clock, gaps: Gaps, node: int, mine: np.ndarray) -> np.ndarray:
    """Lengths of some gaps of a node [S, len(mine)], [s]: rest of a round, whole rounds, next computing."""
    kind_of_round = clock.kinds.kind_of_round
    column = int(clock.exchange.window.column_of_node[node])
    round_before, round_after = gaps.round_before[mine], gaps.round_after[mine]
    before, after = kind_of_round[round_before], kind_of_round[round_after]
    length = clock.starts(column, after)
    if clock.exchange.window.columns > 1:
        length = length + clock.duration[:, before] - clock.ends(column, before)
    if gaps.adjacent:
        return length
    passed = np.cumsum(clock.duration[:, kind_of_round], axis=1)
    return np.asarray(length + passed[:, round_after - 1] - passed[:, round_before])


def _delays(clock: Clock, gaps: Gaps, asleep: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What waking up adds to the run [S], and to each node's communicating [S, N], [s]."""
    some = np.ones(len(gaps.times), bool) if asleep.any() else gaps.first
    kind, times, gap_before = gaps.kind[some], gaps.times[some], gaps.gap_before[some]
    ends = np.column_stack((asleep, np.ones(len(asleep), bool), np.zeros(len(asleep), bool)))
    wakes, takes_part = ends[:, gap_before], gap_before <= len(gaps.node)
    window, promotion = clock.exchange.window, clock.exchange.promotion.duration
    communicate = np.zeros((len(clock.start), takes_part.shape[1]))
    base = _durations_of(clock, kind) if window.columns > 1 else np.zeros(1)
    longest = base.copy()
    for column in range(window.columns):
        nodes = np.flatnonzero(window.column_of_node == column)
        each = promotion[:, :, None] if promotion.shape[1] == 1 else promotion[:, nodes, None]
        delay = (wakes[:, :, nodes].swapaxes(1, 2) * each).max(axis=1)
        communicate[:, nodes] = (delay * times) @ takes_part[:, nodes]
        if window.columns == 1:
            return delay @ times, communicate
        np.maximum(longest, clock.ends(column, kind) + delay, out=longest)
    return (longest - base) @ times, communicate


def _durations_of(clock: Clock, kind: np.ndarray) -> np.ndarray:
    """Durations of rounds of some kinds, without promotions [S, len(kind)], [s]."""
    closes = [weights @ features[:, kind] for weights, features in clock.linear(None)]
    return np.asarray(np.max(closes, axis=0))


def _woken(asleep: np.ndarray, gaps: Gaps) -> np.ndarray:
    """How often each node wakes its radio [S or 1, N], [1]."""
    weighted = asleep * gaps.repeats
    each = [weighted[:, gaps.node == node].sum(axis=1) for node in range(len(gaps.transfers))]
    return np.stack(each, axis=1) + gaps.transfers
