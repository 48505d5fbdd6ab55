"""Graphs and mixing weights, each written out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from costbench.errors import InputError
from costbench.training.topology import KINDS, build, metropolis, out_weights


def receivers(topology):
    """For each round of the period, the list of receivers of each node."""
    return [[np.flatnonzero(row).tolist() for row in graph] for graph in topology.adjacency]


def test_rings_and_complete():
    assert receivers(build("directed-ring", 4)) == [[[1], [2], [3], [0]]]
    assert receivers(build("ring", 4)) == [[[1, 3], [0, 2], [1, 3], [0, 2]]]
    assert receivers(build("complete", 3)) == [[[1, 2], [0, 2], [0, 1]]]


def test_a_ring_of_two_sends_one_message_each():
    assert receivers(build("ring", 2)) == receivers(build("directed-ring", 2)) == [[[1], [0]]]


def test_one_peer_exponential_doubles_the_distance():
    # n = 6: floor(log2 5) + 1 = 3 rounds, distances 1, 2, 4
    assert receivers(build("one-peer-exponential", 6)) == [
        [[1], [2], [3], [4], [5], [0]],
        [[2], [3], [4], [5], [0], [1]],
        [[4], [5], [0], [1], [2], [3]],
    ]


@pytest.mark.parametrize(
    ("nodes", "period"), [(2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4), (16, 4), (17, 5)]
)
def test_one_peer_exponential_period(nodes, period):
    # floor(log2(n - 1)) + 1
    assert build("one-peer-exponential", nodes).period == period


def test_the_graph_repeats_after_its_period():
    topology = build("one-peer-exponential", 8)
    assert topology.nodes == 8
    assert (topology.at(5) == topology.adjacency[2]).all()
    assert not (topology.at(5) == topology.at(4)).all()


def test_symmetric():
    assert build("ring", 5).symmetric
    assert build("complete", 5).symmetric
    assert not build("directed-ring", 5).symmetric
    # 0 -> 1 in one round and 1 -> 0 in the next is not symmetric, although the union is
    assert not build("file", 2, edges=[(0, 0, 1), (1, 1, 0)]).symmetric


def test_random_digraph_has_equal_out_degrees_irregular_in_degrees_and_is_seeded():
    graph = build("random-digraph", 16, seed=0, out_degree=3).adjacency[0]
    assert graph.sum(axis=1).tolist() == [3] * 16
    assert len(set(graph.sum(axis=0).tolist())) > 1
    assert not graph.diagonal().any()
    assert (graph == build("random-digraph", 16, seed=0, out_degree=3).adjacency[0]).all()
    assert not (graph == build("random-digraph", 16, seed=1, out_degree=3).adjacency[0]).all()


def test_random_digraph_chooses_every_receiver_equally_often():
    # 4 nodes, 2 of 3 others each: every edge has probability 2/3; 400 graphs, 6 standard deviations = 0.14.
    # (Strong connectivity excludes few of them: fewer than 2 of 81.)
    share = np.mean(
        [build("random-digraph", 4, seed=s, out_degree=2).adjacency[0] for s in range(400)], axis=0
    )
    assert share[~np.eye(4, dtype=bool)] == pytest.approx(2 / 3, abs=0.14)


def test_random_digraph_that_is_hardly_ever_connected_is_refused():
    # out-degree 1 of 30 nodes: connected only as one cycle, probability 29! / 29^29 < 1e-11
    with pytest.raises(InputError, match=r"\.out_degree: found 1; allowed: a larger one"):
        build("random-digraph", 30, out_degree=1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_single_node_sends_nothing(kind):
    topology = build(kind, 1, out_degree=1, edges=[])
    assert topology.adjacency.shape == (1, 1, 1)
    assert not topology.adjacency.any()
    assert (
        out_weights(topology.adjacency[0]).tolist() == metropolis(topology.adjacency[0]).tolist() == [[1.0]]
    )


def test_edges_a_round():
    topology = build("file", 3, edges=[(0, 0, 1), (0, 1, 2), (1, 2, 0)])
    assert receivers(topology) == [[[1], [2], []], [[], [], [0]]]


RING = [(0, 0, 1), (0, 1, 2), (0, 2, 0)]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"kind": "file", "edges": [*RING, (0, 1, 1)]}, ".edges 0,1,1: found 1; allowed: no self-loop"),
        ({"kind": "file", "edges": [*RING, (0, 1, 3)]}, ".edges 0,1,3: found 3; allowed: nodes 0 to 2"),
        ({"kind": "file", "edges": [*RING, (0, -1, 0)]}, "found -1; allowed: nodes 0 to 2"),
        ({"kind": "file", "edges": [*RING, (-1, 0, 1)]}, "found -1; allowed: rounds counted from 0"),
        ({"kind": "file", "edges": [*RING, (0, 0, 1)]}, "the same edge twice"),
        ({"kind": "file", "edges": [*RING, (10**12, 0, 1)]}, "at most 238609294 rounds"),
        ({"kind": "file", "edges": [(0, 0, 1), (0, 1, 0)]}, "node 2 never sends"),
        ({"kind": "file", "edges": [(0, 0, 1), (0, 1, 0), (0, 2, 0)]}, "node 2 unreachable from node 0"),
        ({"kind": "file", "edges": [(0, 0, 1), (0, 1, 2), (1, 2, 1)]}, "node 0 unreachable from node 1"),
        ({"kind": "file"}, "node 0 never sends"),
        ({"kind": "random-digraph", "out_degree": 3}, ".out_degree: found 3; allowed: 1 to nodes - 1 = 2"),
        ({"kind": "random-digraph"}, "topology.out_degree: found None"),
        ({"kind": "torus-of-saturn"}, "topology.kind: found 'torus-of-saturn'"),
        ({"kind": "ring", "nodes": 0}, "nodes: found 0"),
    ],
)
def test_refusals_name_what_is_wrong(arguments, sentence):
    with pytest.raises(InputError) as caught:
        build(**{"nodes": 3, "file": "spec.yaml", **arguments})
    assert str(caught.value).startswith("spec.yaml: ")
    assert sentence in str(caught.value)


def test_out_weights_of_an_irregular_digraph():
    # 0 -> 1, 2;  1 -> 0;  2 -> 0.  Node 0 splits itself in thirds (column 0), 1 and 2 in halves.
    graph = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]], bool)
    expected = [[1 / 3, 1 / 2, 1 / 2], [1 / 3, 1 / 2, 0], [1 / 3, 0, 1 / 2]]
    np.testing.assert_allclose(out_weights(graph), expected, rtol=1e-15)


def test_out_weights_point_from_column_to_row():
    # 0 -> 1 only: node 1 (row 1) receives 1/2 of node 0 (column 0), and node 0 nothing of node 1.
    weights = out_weights(np.array([[0, 1], [0, 0]], bool))
    assert weights.tolist() == [[0.5, 0.0], [0.5, 1.0]]


def test_metropolis_of_a_star():
    # centre 0 of degree 3, leaves of degree 1: each edge 1 / (1 + 3); the centre keeps 1/4, a leaf 3/4
    star = np.zeros((4, 4), bool)
    star[0, 1:] = star[1:, 0] = True
    q = 0.25
    assert metropolis(star).tolist() == [[q, q, q, q], [q, 0.75, 0, 0], [q, 0, 0.75, 0], [q, 0, 0, 0.75]]


def test_metropolis_refuses_a_directed_graph():
    with pytest.raises(ValueError, match="undirected"):
        metropolis(build("directed-ring", 3).adjacency[0])
