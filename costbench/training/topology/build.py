"""From the settings of a spec to a graph.

Shapes: P period, N nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from costbench.errors import InputError
from costbench.training.topology.connected import check_connected
from costbench.training.topology.edges import Edge, from_edges
from costbench.training.topology.fixed_graphs import (
    by_distances,
    complete,
    exponential_distances,
    star,
    torus,
)
from costbench.training.topology.random_graphs import erdos_renyi, geometric, random_digraph, random_matching
from costbench.training.topology.topology import Graph, Periodic, Redrawn, Topology

KINDS = (
    "directed-ring",
    "ring",
    "complete",
    "star",
    "torus",
    "one-peer-exponential",
    "exponential",
    "time-varying-ring",
    "random-digraph",
    "erdos-renyi",
    "random-matching",
    "geometric",
    "file",
)


def build(
    kind: str,
    nodes: int,
    seed: int = 0,
    *,
    rows: int | None = None,
    peers: int | None = None,
    out_degree: int | None = None,
    p: float | None = None,
    redraw_every: int | None = None,
    radius_m: float | None = None,
    side_m: float | None = None,
    edges: Sequence[Edge] = (),
    file: str = "spec",
) -> Topology:
    """Build a graph, and refuse one over which some node could never reach another.

    Parameters
    ----------
    kind : one of `KINDS`
    nodes : number of nodes, at least 1; a single node sends nothing, whatever the kind
    seed : seed of the run; random-digraph, erdos-renyi, random-matching and geometric depend on it
    rows : rows of a torus, a divisor of `nodes`; None: the most square torus
    peers : out-neighbours a round, for exponential; None: all, every round
    out_degree : receivers a node, for random-digraph
    p : probability [1] of an edge, for erdos-renyi
    redraw_every : rounds that a random-digraph or an erdos-renyi graph lasts; None: for ever
    radius_m, side_m : reach of a radio and side of the square [m], for geometric
    edges : (round, sender, receiver) triples counted from 0, for file; the period is the largest round + 1
    file : the name under which an error refers to the spec

    Raises
    ------
    InputError : an unknown kind, a parameter missing or out of range, a self-loop, an edge given twice, a
        node without out-neighbour, or a node that cannot be reached from node 0, or cannot reach it, over the
        whole period

    Notes
    -----
    - directed-ring: i sends to i + 1. ring: i sends to i - 1 and i + 1.
    - complete: everybody sends to everybody else. star: node 0, the hub, and each other node send to each
      other. torus: a grid of `rows` rows, closed in both directions, numbered row by row.
    - one-peer-exponential (Assran et al., "Stochastic Gradient Push", ICML 2019, and its published code): in
      round t node i sends to i + 2^(t mod P), with P = floor(log2(N - 1)) + 1.
    - exponential: the same with p = `peers` out-neighbours, i + j (p + 1)^(t mod P) for j = 1 .. p, where P
      counts the powers of p + 1 below N; without `peers`, to i + 2^r for all 2^r < N in every round.
    - time-varying-ring: i sends to i + 1 in even rounds and to i - 1 in odd ones. The Sparse-Push paper
      (arXiv 2102.05715) names a "time-varying ring" of 4 nodes without saying what varies; a directed ring
      that turns round is this project's reading of it, for any number of nodes.
    - random-digraph: each node sends to `out_degree` others, all choices equally likely; in-degrees are
      irregular. With few receivers a node (below about ln N) a large graph is hardly ever connected.
    - erdos-renyi: every undirected edge exists with probability p. geometric: nodes at uniformly random
      places of a square, undirected edges between those at most `radius_m` apart.
    - These three are drawn anew until strongly connected, at most `RANDOM_DRAWS` times, and refused then; a
      redrawn graph is strongly connected in every round.
    - random-matching: every round a perfect matching, all equally likely; with odd N one node is idle. A
      single round is not connected; over the rounds everybody meets everybody, with probability 1.
    """
    if nodes < 1:
        raise InputError(file, "nodes", nodes, "at least 1")
    match kind:
        case "file":
            return _checked(kind, from_edges(edges, nodes, file), file)
        case "geometric":
            radius_m, side_m = _given("radius_m", radius_m, file), _given("side_m", side_m, file)
            graph, positions_m = geometric(nodes, radius_m, side_m, seed, file)
            return Periodic(kind, graph[None], positions_m)
        case _ if nodes == 1 and kind in KINDS:
            return Periodic(kind, np.zeros((1, 1, 1), bool))
        case "random-matching":
            return Redrawn(kind, nodes, True, 1, partial(random_matching, nodes, seed))
        case "random-digraph":
            if out_degree is None or not 1 <= out_degree < nodes:
                raise InputError(file, "topology.out_degree", out_degree, f"1 to nodes - 1 = {nodes - 1}")
            draw = partial(random_digraph, nodes, out_degree, seed, file)
            return _drawn(kind, nodes, False, redraw_every, draw)
        case "erdos-renyi":
            draw = partial(erdos_renyi, nodes, _given("p", p, file), seed, file)
            return _drawn(kind, nodes, True, redraw_every, draw)
        case _:
            return _checked(kind, _fixed(kind, nodes, rows, peers, file), file)


def _fixed(kind: str, nodes: int, rows: int | None, peers: int | None, file: str) -> Graph:
    match kind:
        case "directed-ring":
            return by_distances(nodes, [[1]])
        case "ring":
            return by_distances(nodes, [[1, -1]])
        case "time-varying-ring":
            return by_distances(nodes, [[1], [-1]])
        case "one-peer-exponential":
            return by_distances(nodes, exponential_distances(nodes, peers=1))
        case "exponential":
            return by_distances(nodes, exponential_distances(nodes, peers))
        case "complete":
            return complete(nodes)
        case "star":
            return star(nodes)
        case "torus":
            return torus(nodes, rows, file)
        case _:
            raise InputError(file, "topology.kind", kind, KINDS)


def _checked(kind: str, adjacency: Graph, file: str) -> Topology:
    check_connected(adjacency, file)
    return Periodic(kind, adjacency)


def _drawn(
    kind: str, nodes: int, symmetric: bool, every: int | None, draw: Callable[[int], Graph]
) -> Topology:
    """One graph for ever, or one every few rounds; either way the first is drawn, or refused, now."""
    if every is None:
        return Periodic(kind, draw(0)[None])
    redrawn = Redrawn(kind, nodes, symmetric, every, draw)
    redrawn.graph(0)
    return redrawn


def _given(parameter: str, found: float | None, file: str) -> float:
    if found is None:
        raise InputError(file, f"topology.{parameter}", found, "a number above 0")
    return found
