"""Sequences of directed graphs, one a round: periodic ones in memory, redrawn ones made when asked for.

Shapes: P period, N nodes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Graph = NDArray[np.bool_]

GRAPHS_KEPT = 16
"""Most redrawn graphs in memory at once; an older one is drawn again, from the same seed."""


class Topology(ABC):
    """A sequence of directed graphs without self-loops, one a round.

    A graph is bool [N, N]; [i, j] is True if and only if node i SENDS to node j. So row i holds the
    out-neighbours of i, and column j the in-neighbours of j.

    Parameters
    ----------
    kind : one of `KINDS`
    nodes : number of nodes
    symmetric : whether in every round each node receives from exactly those to which it sends
    period : rounds after which the graphs repeat; None if they are drawn anew for ever
    positions_m : float64 [N, 2], where the nodes are [m]; None where the kind has no places
    """

    def __init__(
        self,
        kind: str,
        nodes: int,
        symmetric: bool,
        period: int | None,
        positions_m: NDArray[np.float64] | None = None,
    ):
        self.kind, self.nodes, self.symmetric = kind, nodes, symmetric
        self.period, self.positions_m = period, positions_m

    @abstractmethod
    def frame(self, t: int) -> int:
        """The number of the graph of round t, counted from 0; rounds with one number have one graph."""

    @abstractmethod
    def graph(self, frame: int) -> Graph:
        """The graph with a number: bool [N, N], not to be written to."""

    @abstractmethod
    def neighbours(self, i: int) -> list[int]:
        """The nodes to which node i ever sends, ascending."""

    @property
    @abstractmethod
    def static(self) -> bool:
        """Whether the graph is the same in every round."""

    def at(self, t: int) -> Graph:
        """The graph of a round, counted from 0: bool [N, N], [i, j] True if i sends to j."""
        return self.graph(self.frame(t))


class Periodic(Topology):
    """Graphs that repeat after P rounds.

    Parameters
    ----------
    kind : one of `KINDS`
    adjacency : bool [P, N, N]; adjacency[p] is the graph of the rounds p, p + P, p + 2P, ...
    positions_m : float64 [N, 2], where the nodes are [m], or None
    """

    def __init__(self, kind: str, adjacency: Graph, positions_m: NDArray[np.float64] | None = None):
        period, nodes, _ = adjacency.shape
        symmetric = all((graph == graph.T).all() for graph in adjacency)
        super().__init__(kind, nodes, symmetric, period, positions_m)
        adjacency.flags.writeable = False
        self.adjacency = adjacency

    def frame(self, t: int) -> int:
        return t % len(self.adjacency)

    def graph(self, frame: int) -> Graph:
        return self.adjacency[frame]

    def neighbours(self, i: int) -> list[int]:
        return [int(j) for j in np.flatnonzero(self.adjacency[:, i].any(axis=0))]

    @property
    def static(self) -> bool:
        return all((graph == self.adjacency[0]).all() for graph in self.adjacency[1:])


class Redrawn(Topology):
    """Graphs that are drawn anew again and again and never repeat.

    A graph is made when a round asks for it, and only the last few are kept, so that memory does not grow
    with the rounds.

    Parameters
    ----------
    kind : one of `KINDS`
    nodes : number of nodes
    symmetric : whether every draw is an undirected graph
    every : rounds that a graph lasts
    draw : the graph with a number, bool [N, N]; a pure function
    """

    def __init__(self, kind: str, nodes: int, symmetric: bool, every: int, draw: Callable[[int], Graph]):
        super().__init__(kind, nodes, symmetric, period=None)
        self.every = every

        def read_only(frame: int) -> Graph:
            graph = draw(frame)
            graph.flags.writeable = False
            return graph

        self._graph = lru_cache(GRAPHS_KEPT)(read_only)

    def frame(self, t: int) -> int:
        return t // self.every

    def graph(self, frame: int) -> Graph:
        return self._graph(frame)

    def neighbours(self, i: int) -> list[int]:
        return [j for j in range(self.nodes) if j != i]

    @property
    def static(self) -> bool:
        return False
