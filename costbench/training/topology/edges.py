"""A periodic graph from a list of edges.

Shapes: P period, N nodes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from costbench.errors import InputError
from costbench.training.topology.topology import Graph

Edge = tuple[int, int, int]

LARGEST = 2**31
"""Most entries of an adjacency array; beyond it the memory of one machine ends."""


def from_edges(edges: Sequence[Edge], nodes: int, file: str) -> Graph:
    """The graphs of (round, sender, receiver) triples counted from 0.

    Parameters
    ----------
    edges : the triples; the period is the largest round + 1
    nodes : number of nodes
    file : the name under which an error refers to the spec

    Returns
    -------
    bool [P, N, N], [p, i, j] True if i sends to j in round p

    Raises
    ------
    InputError : a round or node out of range, a self-loop, an edge given twice, or more rounds than fit in
        memory
    """
    period = max((edge[0] for edge in edges), default=0) + 1
    if period * nodes**2 > LARGEST:
        allowed = f"at most {LARGEST // nodes**2} rounds"
        raise InputError(file, "topology.edges", f"round {period - 1}", allowed)
    adjacency = np.zeros((period, nodes, nodes), bool)
    for edge in edges:
        _check(edge, nodes, file)
        if adjacency[edge]:
            raise InputError(file, _key(edge), "the same edge twice", "each edge once a round")
        adjacency[edge] = True
    return adjacency


def _key(edge: Edge) -> str:
    return f"topology.edges {','.join(map(str, edge))}"


def _check(edge: Edge, nodes: int, file: str) -> None:
    round_, sender, receiver = edge
    if round_ < 0:
        raise InputError(file, _key(edge), round_, "rounds counted from 0")
    for node in (sender, receiver):
        if not 0 <= node < nodes:
            raise InputError(file, _key(edge), node, f"nodes 0 to {nodes - 1}")
    if sender == receiver:
        allowed = "no self-loop: a node keeps its own share without sending it"
        raise InputError(file, _key(edge), sender, allowed)
