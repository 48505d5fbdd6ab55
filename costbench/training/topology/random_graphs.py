"""Graphs by chance, each a pure function of the run's seed and the number of the draw.

Shapes: N nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from costbench.errors import InputError
from costbench.training.randomness import Purpose, random_generator
from costbench.training.topology.connected import first_cut_off
from costbench.training.topology.topology import Graph

RANDOM_DRAWS = 1_000
LATER_DRAWS = 100 * RANDOM_DRAWS
"""Draws for a graph after the first, so that a run that could begin is hardly ever stopped by chance."""


def random_digraph(nodes: int, out_degree: int, seed: int, file: str, frame: int) -> Graph:
    """Every node sends to `out_degree` others, all choices equally likely, given that the graph is strongly
    connected.

    Parameters
    ----------
    nodes : number of nodes, at least 2
    out_degree : receivers a node, 1 to N - 1
    seed : seed of the run
    file : the name under which an error refers to the spec
    frame : number of the graph, counted from 0

    Returns
    -------
    bool [N, N], [i, j] True if i sends to j

    Raises
    ------
    InputError : no draw was strongly connected
    """
    graph = _first_connected(lambda chance: _random_receivers(nodes, out_degree, chance), seed, frame)
    return graph if graph is not None else _refuse("out_degree", out_degree, nodes, file)


def erdos_renyi(nodes: int, p: float, seed: int, file: str, frame: int) -> Graph:
    """Every undirected edge exists with probability p, given that the graph is connected.

    Parameters
    ----------
    nodes : number of nodes, at least 2
    p : probability [1] of an edge, above 0
    seed : seed of the run
    file : the name under which an error refers to the spec
    frame : number of the graph, counted from 0

    Returns
    -------
    bool [N, N], symmetric

    Raises
    ------
    InputError : no draw was connected

    Notes
    -----
    The graph G(n, p) of E. N. Gilbert, "Random graphs", Ann. Math. Statist. 30 (1959), known by the names of
    Erdős and Rényi.
    """

    def draw(chance: np.random.Generator) -> Graph:
        upper = np.triu(chance.random((nodes, nodes)) < p, k=1)
        return upper | upper.T

    graph = _first_connected(draw, seed, frame)
    return graph if graph is not None else _refuse("p", p, nodes, file)


def geometric(
    nodes: int, radius_m: float, side_m: float, seed: int, file: str
) -> tuple[Graph, NDArray[np.float64]]:
    """Nodes at uniformly random places of a square, neighbours if not farther apart than the radius, given
    that the graph is connected.

    Parameters
    ----------
    nodes : number of nodes, at least 1
    radius_m : reach of a radio [m]
    side_m : side of the square [m]
    seed : seed of the run
    file : the name under which an error refers to the spec

    Returns
    -------
    graph : bool [N, N], symmetric
    positions_m : float64 [N, 2] [m]

    Raises
    ------
    InputError : no draw was connected
    """
    chance = random_generator(seed, Purpose.GRAPH, 0)
    for _ in range(RANDOM_DRAWS):
        positions_m = side_m * chance.random((nodes, 2))
        graph = within(positions_m, radius_m)
        if first_cut_off(graph) is None:
            return graph, positions_m
    _refuse("radius_m", radius_m, nodes, file)


def within(positions_m: NDArray[np.float64], radius_m: float) -> Graph:
    """Which nodes float64 [N, 2] [m] are at most `radius_m` [m] apart: bool [N, N], no self-loops."""
    across_m = positions_m[:, None] - positions_m
    near = np.hypot(across_m[..., 0], across_m[..., 1]) <= radius_m
    return near & ~np.eye(len(positions_m), dtype=bool)


def random_matching(nodes: int, seed: int, t: int) -> Graph:
    """A perfect matching of round t, all equally likely: bool [N, N], symmetric.

    With an odd number of nodes one of them, equally likely each, is idle.
    """
    order = random_generator(seed, Purpose.GRAPH, t).permutation(nodes)
    one, other = order[: nodes - 1 : 2], order[1::2]
    graph = np.zeros((nodes, nodes), bool)
    graph[one, other] = graph[other, one] = True
    return graph


def _first_connected(draw: Callable[[np.random.Generator], Graph], seed: int, frame: int) -> Graph | None:
    chance = random_generator(seed, Purpose.GRAPH, frame)
    for _ in range(LATER_DRAWS if frame else RANDOM_DRAWS):
        graph = draw(chance)
        if graph.any(axis=0).all() and first_cut_off(graph) is None:
            return graph
    return None


def _refuse(parameter: str, found: float, nodes: int, file: str) -> NoReturn:
    raise InputError(
        file,
        f"topology.{parameter}",
        found,
        f"a larger one: none of {RANDOM_DRAWS} random graphs of {nodes} nodes was strongly connected",
    )


def _random_receivers(nodes: int, out_degree: int, chance: np.random.Generator) -> Graph:
    """A uniform choice of `out_degree` others for every node at once (R. Floyd, CACM 30(9), 1987)."""
    senders = np.arange(nodes)
    chosen = np.zeros((nodes, nodes - 1), bool)
    for last in range(nodes - 1 - out_degree, nodes - 1):
        guess = chance.integers(0, last, size=nodes, endpoint=True)
        chosen[senders, np.where(chosen[senders, guess], last, guess)] = True
    adjacency = np.zeros((nodes, nodes), bool)
    adjacency[~np.eye(nodes, dtype=bool)] = chosen.reshape(-1)
    return adjacency
