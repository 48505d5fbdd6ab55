"""The clock behind a barrier: when channels open and close, and how long rounds of each kind last."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from costbench.pricing.radio.exchange import Exchange
from costbench.pricing.rounds import RoundKinds

#: array cells that the processor's cache holds [1]
CELLS_A_BLOCK = 300_000


@dataclass(frozen=True)
class Clock:
    """Rounds of each kind, when their channels open and close; S draws, U kinds, V of computing, C channels.

    Attributes
    ----------
    kinds : kinds of round
    exchange : communication in a round of each kind
    start : [S, V, C], when a channel opens after the round began [s]
    """

    kinds: RoundKinds
    exchange: Exchange
    start: np.ndarray

    def rows(self, rows: slice | np.ndarray) -> Clock:
        """The clock of some draws."""
        return Clock(self.kinds, self.exchange.rows(rows), self.start[rows])

    def linear(self, delay: np.ndarray | None) -> list[tuple[np.ndarray, np.ndarray]]:
        """Weights [S, P] and features [P, U] of each channel: it closes at their product [S, U], [s] after
        the round began; with a delay [S, 1] or [S, N] of whoever takes part."""
        opening = np.eye(self.start.shape[1])[:, self.kinds.compute_kind]
        forms = []
        for column in range(self.exchange.window.columns):
            parts = [self.exchange.window.parts(column), (self.start[:, :, column], opening)]
            parts += [] if delay is None else [self.late(column, delay)]
            forms.append((np.hstack([part[0] for part in parts]), np.vstack([part[1] for part in parts])))
        return forms

    def blocks(self, delay: np.ndarray | None = None) -> Iterator[tuple[slice, np.ndarray]]:
        """Durations [S, len(block)], [s] of rounds of each kind, a block of kinds at a time.

        A block is used up before the next is asked for: its memory is used again.
        """
        forms = self.linear(delay)
        length = max(1, CELLS_A_BLOCK // len(self.start))
        spare = np.empty((2, len(self.start), length))
        for begin in range(0, self.kinds.kinds, length):
            block = slice(begin, min(begin + length, self.kinds.kinds))
            longest, closes = (part[:, : block.stop - block.start] for part in spare)
            np.matmul(forms[0][0], forms[0][1][:, block], out=longest)
            for weights, features in forms[1:]:
                np.matmul(weights, features[:, block], out=closes)
                np.maximum(longest, closes, out=longest)
            yield block, longest

    def late(self, column: int, delay: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Delays of a channel as weights and features: that of its latest node that takes part."""
        nodes = np.flatnonzero(self.exchange.window.column_of_node == column)
        active = self.exchange.active[:, nodes]
        if delay.shape[1] == 1 or len(nodes) == 1:
            of_any = delay[:, :1] if delay.shape[1] == 1 else delay[:, nodes]
            return of_any, np.asarray(active.any(axis=1))[None] * 1.0
        patterns, pattern_of_kind = np.unique(active, axis=0, return_inverse=True)
        latest = np.stack([(delay[:, nodes] * pattern).max(axis=1) for pattern in patterns], axis=1)
        return latest, np.eye(len(patterns))[:, pattern_of_kind.reshape(-1)]

    @cached_property
    def duration(self) -> np.ndarray:
        """Durations of rounds of each kind without promotions [S, U], [s]."""
        durations = np.empty((len(self.start), self.kinds.kinds))
        for block, longest in self.blocks():
            durations[:, block] = longest
        return durations

    def starts(self, column: int, kind: np.ndarray) -> np.ndarray:
        """When the channel opens in rounds of some kinds [S, len(kind)], [s] after the round began."""
        return np.asarray(self.start[:, self.kinds.compute_kind[kind], column])

    def ends(self, column: int, kind: np.ndarray) -> np.ndarray:
        """When the channel closes in rounds of some kinds [S, len(kind)], [s] after the round began."""
        weights, features = self.exchange.window.parts(column)
        return np.asarray(self.starts(column, kind) + weights @ features[:, kind])

    def communicate(self) -> np.ndarray:
        """Time that each node communicates over the run, without promotions [S, N], [s]."""
        times = self.kinds.repeats[:, None] * self.exchange.active
        column_of_node = self.exchange.window.column_of_node
        spent = np.zeros((len(self.start), len(column_of_node)))
        for column in range(self.exchange.window.columns):
            nodes = np.flatnonzero(column_of_node == column)
            spent[:, nodes] = self.exchange.window.summed(column, times[:, nodes])
        return spent
