"""Who sends to whom in each round, and the weights of the mixing matrix W.

A graph is directed and may change from round to round; it repeats after P rounds. Shapes: P period, N nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from costbench.errors import InputError
from costbench.training.randomness import Purpose, random_generator

Edge = tuple[int, int, int]

KINDS = ("directed-ring", "ring", "one-peer-exponential", "complete", "random-digraph", "file")
RANDOM_DRAWS = 1_000
_LARGEST = 2**31
"""Most entries of an adjacency array; beyond it the memory of one machine ends."""


@dataclass(frozen=True)
class Topology:
    """A periodic sequence of directed graphs without self-loops.

    Attributes
    ----------
    kind : one of `KINDS`
    adjacency : bool [P, N, N]; adjacency[p, i, j] is True if and only if node i SENDS to node j in the rounds
        p, p + P, p + 2P, ... So row i holds the out-neighbours of i, and column j the in-neighbours of j.
    """

    kind: str
    adjacency: NDArray[np.bool_]

    @property
    def period(self) -> int:
        """Number of rounds after which the graph repeats."""
        return self.adjacency.shape[0]

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return self.adjacency.shape[1]

    @property
    def symmetric(self) -> bool:
        """Whether in every round each node receives from exactly those to which it sends."""
        return bool((self.adjacency == self.adjacency.transpose(0, 2, 1)).all())

    def at(self, round_: int) -> NDArray[np.bool_]:
        """The graph of a round, counted from 0: bool [N, N], [i, j] True if i sends to j."""
        return self.adjacency[round_ % self.period]


def build(
    kind: str,
    nodes: int,
    seed: int = 0,
    *,
    out_degree: int | None = None,
    edges: Sequence[Edge] = (),
    file: str = "spec",
) -> Topology:
    """Build a graph, and refuse one over which some node could never reach another.

    Parameters
    ----------
    kind : one of `KINDS`
    nodes : number of nodes, at least 1; a single node sends nothing, whatever the kind
    seed : seed of the run; only random-digraph depends on it
    out_degree : receivers a node, for random-digraph
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
    - one-peer-exponential (Assran et al., "Stochastic Gradient Push", ICML 2019, and its published code): in
      round t node i sends to i + 2^(t mod P), with P = floor(log2(N - 1)) + 1.
    - complete: everybody sends to everybody else.
    - random-digraph: each node sends to `out_degree` others, all choices equally likely; in-degrees are
      irregular. Fixed over the run; drawn anew until strongly connected, at most `RANDOM_DRAWS` times. With
      few receivers a node (below about ln N) a large graph is hardly ever connected and is refused.
    """
    if nodes < 1:
        raise InputError(file, "nodes", nodes, "at least 1")
    if kind not in KINDS:
        raise InputError(file, "topology.kind", kind, KINDS)
    if kind == "file":
        adjacency = _from_edges(edges, nodes, file)
    elif nodes == 1:
        adjacency = np.zeros((1, 1, 1), bool)
    elif kind == "random-digraph":
        adjacency = _random_digraph(nodes, out_degree, seed, file)
    elif kind == "complete":
        adjacency = ~np.eye(nodes, dtype=bool)[None]
    else:
        adjacency = np.stack([_shifts(nodes, distances) for distances in _distances(kind, nodes)])
    _check_connected(adjacency, file)
    return Topology(kind, adjacency)


def _distances(kind: str, nodes: int) -> list[list[int]]:
    """For each round of the period, the distances at which every node sends."""
    if kind == "one-peer-exponential":
        return [[2**t] for t in range((nodes - 1).bit_length())]
    return [[1]] if kind == "directed-ring" else [[1, -1]]


def _shifts(nodes: int, distances: Sequence[int]) -> NDArray[np.bool_]:
    adjacency = np.zeros((nodes, nodes), bool)
    senders = np.arange(nodes)
    for distance in distances:
        adjacency[senders, (senders + distance) % nodes] = True
    return adjacency


def _random_digraph(nodes: int, out_degree: int | None, seed: int, file: str) -> NDArray[np.bool_]:
    if out_degree is None or not 1 <= out_degree < nodes:
        raise InputError(file, "topology.out_degree", out_degree, f"1 to nodes - 1 = {nodes - 1}")
    generator = random_generator(seed, Purpose.GRAPH)
    for _ in range(RANDOM_DRAWS):
        adjacency = _random_receivers(nodes, out_degree, generator)
        if adjacency.any(axis=0).all() and _first_cut_off(adjacency) is None:
            return adjacency[None]
    raise InputError(
        file,
        "topology.out_degree",
        out_degree,
        f"a larger one: none of {RANDOM_DRAWS} random graphs of {nodes} nodes was strongly connected",
    )


def _random_receivers(nodes: int, out_degree: int, generator: np.random.Generator) -> NDArray[np.bool_]:
    """A uniform choice of `out_degree` others for every node at once (R. Floyd, CACM 30(9), 1987)."""
    senders = np.arange(nodes)
    chosen = np.zeros((nodes, nodes - 1), bool)
    for last in range(nodes - 1 - out_degree, nodes - 1):
        guess = generator.integers(0, last, size=nodes, endpoint=True)
        chosen[senders, np.where(chosen[senders, guess], last, guess)] = True
    adjacency = np.zeros((nodes, nodes), bool)
    adjacency[~np.eye(nodes, dtype=bool)] = chosen.reshape(-1)
    return adjacency


def _from_edges(edges: Sequence[Edge], nodes: int, file: str) -> NDArray[np.bool_]:
    period = max((edge[0] for edge in edges), default=0) + 1
    if period * nodes**2 > _LARGEST:
        raise InputError(
            file, "topology.edges", f"round {period - 1}", f"at most {_LARGEST // nodes**2} rounds"
        )
    adjacency = np.zeros((period, nodes, nodes), bool)
    for round_, sender, receiver in edges:
        key = f"topology.edges {round_},{sender},{receiver}"
        if round_ < 0:
            raise InputError(file, key, round_, "rounds counted from 0")
        for node in (sender, receiver):
            if not 0 <= node < nodes:
                raise InputError(file, key, node, f"nodes 0 to {nodes - 1}")
        if sender == receiver:
            raise InputError(file, key, sender, "no self-loop: a node keeps its own share without sending it")
        if adjacency[round_, sender, receiver]:
            raise InputError(file, key, "the same edge twice", "each edge once a round")
        adjacency[round_, sender, receiver] = True
    return adjacency


def _check_connected(adjacency: NDArray[np.bool_], file: str) -> None:
    union: NDArray[np.bool_] = np.logical_or.reduce(adjacency)
    silent = np.flatnonzero(~union.any(axis=1))
    if len(union) > 1 and len(silent):
        raise InputError(
            file, "topology.edges", f"node {silent[0]} never sends", "an out-neighbour for every node"
        )
    cut_off = _first_cut_off(union)
    if cut_off is not None:
        raise InputError(file, "topology.edges", cut_off, "a path from every node to every other")


def _first_cut_off(adjacency: NDArray[np.bool_]) -> str | None:
    """Which node cannot be reached from node 0, or cannot reach it; None if strongly connected."""
    unreachable, stuck = _not_reached(adjacency), _not_reached(adjacency.T)
    if len(unreachable):
        return f"node {unreachable[0]} unreachable from node 0"
    return f"node 0 unreachable from node {stuck[0]}" if len(stuck) else None


def _not_reached(adjacency: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The nodes to which no path leads from node 0, ascending."""
    reached = frontier = np.arange(len(adjacency)) == 0
    while frontier.any():
        frontier = np.logical_or.reduce(adjacency[frontier]) & ~reached
        reached = reached | frontier
    return np.flatnonzero(~reached)


def out_weights(adjacency: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Column-stochastic W of one round's graph: every node splits itself evenly over itself and its
    receivers.

    Parameters
    ----------
    adjacency : bool [N, N], [i, j] True if i sends to j

    Returns
    -------
    W : float64 [N, N] [1]; W[j, i] = 1 / (out-degree of i + 1) for j = i and for every j to which i sends,
        else 0. W[i, j] is the weight that i puts on what it receives from j; columns sum to 1.

    Notes
    -----
    Assran et al., "Stochastic Gradient Push", ICML 2019, uniform mixing.
    """
    receivers = adjacency.T | np.eye(len(adjacency), dtype=bool)
    return receivers / receivers.sum(axis=0)


def metropolis(adjacency: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Symmetric, doubly stochastic W of one round's undirected graph, by Metropolis-Hastings weights.

    Parameters
    ----------
    adjacency : bool [N, N], symmetric

    Returns
    -------
    W : float64 [N, N] [1]; W[i, j] = 1 / (1 + max(degree of i, degree of j)) for neighbours, W[i, i] = 1
        minus the rest of row i

    Raises
    ------
    ValueError : the graph is not symmetric

    Notes
    -----
    Xiao, Boyd, "Fast linear iterations for distributed averaging", Systems & Control Letters 53 (2004),
    and Xiao, Boyd, Lall, "A scheme for robust distributed sensor fusion based on average consensus", IPSN
    2005.
    """
    if not (adjacency == adjacency.T).all():
        raise ValueError("Metropolis weights need an undirected graph")
    degree = adjacency.sum(axis=1)
    weights = adjacency / (1.0 + np.maximum(degree[:, None], degree))
    return weights + np.diag(1.0 - weights.sum(axis=1))
