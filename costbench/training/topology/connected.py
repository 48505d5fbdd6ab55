"""Whether every node can reach every other.

Shapes: P period, N nodes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from costbench.errors import InputError
from costbench.training.topology.topology import Graph


def check_connected(adjacency: Graph, file: str) -> None:
    """Refuse graphs over whose period some node can never reach another.

    Parameters
    ----------
    adjacency : bool [P, N, N]
    file : the name under which an error refers to the spec

    Raises
    ------
    InputError : a node that never sends, or one that node 0 cannot reach or that cannot reach node 0
    """
    union: Graph = np.logical_or.reduce(adjacency)
    silent = np.flatnonzero(~union.any(axis=1))
    if len(union) > 1 and len(silent):
        found = f"node {silent[0]} never sends"
        raise InputError(file, "topology.edges", found, "an out-neighbour for every node")
    cut_off = first_cut_off(union)
    if cut_off is not None:
        raise InputError(file, "topology.edges", cut_off, "a path from every node to every other")


def first_cut_off(graph: Graph) -> str | None:
    """Which node of bool [N, N] node 0 cannot reach, or cannot reach node 0; None if strongly connected."""
    unreachable, stuck = _not_reached(graph), _not_reached(graph.T)
    if len(unreachable):
        return f"node {unreachable[0]} unreachable from node 0"
    return f"node 0 unreachable from node {stuck[0]}" if len(stuck) else None


def _not_reached(graph: Graph) -> NDArray[np.int64]:
    """The nodes to which no path leads from node 0, ascending."""
    reached = frontier = np.arange(len(graph)) == 0
    while frontier.any():
        frontier = np.logical_or.reduce(graph[frontier]) & ~reached
        reached = reached | frontier
    return np.flatnonzero(~reached)
