"""Graphs without chance: rings and exponential graphs by distances, complete graph, star and torus.

Shapes: P period, N nodes.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import isqrt

import numpy as np

from costbench.errors import InputError
from costbench.training.topology.topology import Graph


def by_distances(nodes: int, rounds: Iterable[Iterable[int]]) -> Graph:
    """In each round every node i sends to i + d (mod N) for the distances d of that round.

    Parameters
    ----------
    nodes : number of nodes
    rounds : for each round of the period the distances; a negative one points backwards; one that is 0
        (mod N) is left out, and two that are equal (mod N) are one edge

    Returns
    -------
    bool [P, N, N], [p, i, j] True if i sends to j in round p
    """
    offset_NN = (np.arange(nodes) - np.arange(nodes)[:, None]) % nodes
    return np.stack([np.isin(offset_NN, [d % nodes for d in round_ if d % nodes]) for round_ in rounds])


def exponential_distances(nodes: int, peers: int | None) -> list[list[int]]:
    """For each round of the period, the distances of an exponential graph.

    Parameters
    ----------
    nodes : number of nodes, at least 2
    peers : p, out-neighbours a round; None: every distance 2^r below N in one graph

    Returns
    -------
    [[2^0, 2^1, ...]] without `peers`, else for r = 0, 1, ... while (p + 1)^r < N the list of
    j (p + 1)^r, j = 1 .. p

    Notes
    -----
    Assran et al., "Stochastic Gradient Push", ICML 2019, and its published code (the dynamic directed
    exponential graph with p peers an iteration). N = (p + 1)^k nodes average exactly in one period.
    """
    if peers is None:
        return [_powers(2, nodes)]
    peers = min(peers, nodes - 1)
    return [[j * power for j in range(1, peers + 1)] for power in _powers(peers + 1, nodes)]


def _powers(factor: int, limit: int) -> list[int]:
    """1, factor, factor^2, ... below the limit."""
    powers = [1]
    while powers[-1] * factor < limit:
        powers.append(powers[-1] * factor)
    return powers


def complete(nodes: int) -> Graph:
    """Everybody sends to everybody else: bool [1, N, N]."""
    return ~np.eye(nodes, dtype=bool)[None]


def star(nodes: int) -> Graph:
    """Node 0, the hub, and every other node send to each other: bool [1, N, N]."""
    graph = np.zeros((1, nodes, nodes), bool)
    graph[0, 0, 1:] = graph[0, 1:, 0] = True
    return graph


def torus(nodes: int, rows: int | None, file: str) -> Graph:
    """A grid, closed in both directions, whose nodes are numbered row by row.

    Parameters
    ----------
    nodes : number of nodes
    rows : number of rows; None: the largest divisor of N that is at most its square root
    file : the name under which an error refers to the spec

    Returns
    -------
    bool [1, N, N]; node (r, c) sends to (r - 1, c), (r + 1, c), (r, c - 1) and (r, c + 1), modulo rows and
    columns. Along a side of 2 both are the same node and one edge, along a side of 1 there is none.

    Raises
    ------
    InputError : `rows` does not divide `nodes`
    """
    divisors = [d for d in range(1, nodes + 1) if nodes % d == 0]
    if rows is None:
        rows = max(d for d in divisors if d <= isqrt(nodes))
    if rows not in divisors:
        raise InputError(file, "topology.rows", rows, f"a divisor of nodes = {nodes}: {_listed(divisors)}")
    columns = nodes // rows
    row_N, column_N = np.divmod(np.arange(nodes), columns)
    graph = np.zeros((nodes, nodes), bool)
    for step in (1, -1):
        graph[np.arange(nodes), (row_N + step) % rows * columns + column_N] = True
        graph[np.arange(nodes), row_N * columns + (column_N + step) % columns] = True
    return (graph & ~np.eye(nodes, dtype=bool))[None]


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))
