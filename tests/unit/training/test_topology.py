"""Graphs and mixing weights, each written out by hand."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from costbench.errors import InputError
from costbench.spec import graph as spec
from costbench.training.topology import KINDS, build, metropolis, out_weights, row_weights

NUMBERS = {
    "exponential": {"peers": 2},
    "random-digraph": {"out_degree": 2},
    "erdos-renyi": {"p": 0.5},
    "geometric": {"radius_m": 60.0, "side_m": 100.0},
    "file": {"edges": [(0, i, (i + 1) % 9) for i in range(9)]},
}
SYMMETRIC = {"ring", "complete", "star", "torus", "erdos-renyi", "random-matching", "geometric"}


def receivers(topology):
    """For each round of the period, the list of receivers of each node."""
    return [[np.flatnonzero(row).tolist() for row in graph] for graph in topology.adjacency]


def first_receivers(topology):
    """For each round of the period, the receivers of node 0."""
    return [nodes[0] for nodes in receivers(topology)]


def test_rings_and_complete():
    assert receivers(build("directed-ring", 4)) == [[[1], [2], [3], [0]]]
    assert receivers(build("ring", 4)) == [[[1, 3], [0, 2], [1, 3], [0, 2]]]
    assert receivers(build("complete", 3)) == [[[1, 2], [0, 2], [0, 1]]]


def test_a_ring_of_two_sends_one_message_each():
    assert receivers(build("ring", 2)) == receivers(build("directed-ring", 2)) == [[[1], [0]]]


def test_a_star_has_node_0_in_the_middle():
    assert receivers(build("star", 4)) == [[[1, 2, 3], [0], [0], [0]]]


def test_a_torus_of_two_rows_has_one_edge_down_each_column():
    # 0 1 2
    # 3 4 5
    neighbours = [[1, 2, 3], [0, 2, 4], [0, 1, 5], [0, 4, 5], [1, 3, 5], [2, 3, 4]]
    assert receivers(build("torus", 6)) == receivers(build("torus", 6, rows=2)) == [neighbours]


def test_a_torus_of_three_rows_and_columns():
    # node 4 in the middle of 0 1 2 | 3 4 5 | 6 7 8; node 0 wraps to 2 and 6
    grid = receivers(build("torus", 9))[0]
    assert grid[4] == [1, 3, 5, 7]
    assert grid[0] == [1, 2, 3, 6]


@pytest.mark.parametrize(("nodes", "rows"), [(4, 2), (5, 1), (12, 3), (16, 4), (18, 3), (100, 10)])
def test_the_default_torus_is_the_most_square_one(nodes, rows):
    assert receivers(build("torus", nodes)) == receivers(build("torus", nodes, rows=rows))


def test_a_torus_of_one_row_is_a_ring():
    assert receivers(build("torus", 5)) == receivers(build("torus", 5, rows=5)) == receivers(build("ring", 5))


@pytest.mark.parametrize(
    ("nodes", "peers", "rounds"),
    [
        (9, 2, [[1, 2], [3, 6]]),
        (8, 2, [[1, 2], [3, 6]]),
        (10, 2, [[1, 2], [3, 6], [8, 9]]),  # 9 and 18 = 8
        (6, 2, [[1, 2], [3]]),  # 3, and 6 = 0 is left out
        (7, 5, [[1, 2, 3, 4, 5], [2, 3, 4, 5, 6]]),  # 6, 12 = 5, 18 = 4, 24 = 3, 30 = 2
        (6, 4, [[1, 2, 3, 4], [2, 3, 4, 5]]),  # 5, 10 = 4, 15 = 3, 20 = 2
        (4, 9, [[1, 2, 3]]),
        (9, 3, [[1, 2, 3], [3, 4, 8]]),  # 4, 8, 12 = 3
        (6, None, [[1, 2, 4]]),
        (9, None, [[1, 2, 4, 8]]),
        (2, None, [[1]]),
    ],
)
def test_exponential_distances(nodes, peers, rounds):
    assert first_receivers(build("exponential", nodes, peers=peers)) == rounds


def test_exponential_of_one_peer_is_one_peer_exponential():
    for nodes in (2, 3, 8, 13):
        assert receivers(build("exponential", nodes, peers=1)) == receivers(
            build("one-peer-exponential", nodes)
        )


def test_the_time_varying_ring_turns_round():
    assert receivers(build("time-varying-ring", 4)) == [[[1], [2], [3], [0]], [[3], [0], [1], [2]]]


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


def test_the_kinds_are_those_of_the_spec():
    parts = get_args(get_args(spec.TopologyPart)[0])
    assert {kind for part in parts for kind in get_args(part.model_fields["kind"].annotation)} == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_what_every_graph_says_of_itself(kind):
    topology = build(kind, 9, **NUMBERS.get(kind, {}))
    graphs = [topology.at(t) for t in range(240)]
    ever = np.any(graphs, axis=0)
    assert topology.kind == kind
    assert topology.nodes == 9
    assert topology.symmetric == (kind in SYMMETRIC) == all((graph == graph.T).all() for graph in graphs)
    assert topology.static == all((graph == graphs[0]).all() for graph in graphs)
    assert (topology.period is None) == (kind == "random-matching")
    assert (topology.positions_m is None) == (kind != "geometric")
    assert [topology.neighbours(i) for i in range(9)] == [np.flatnonzero(row).tolist() for row in ever]
    assert all(graph.dtype == bool and not graph.diagonal().any() for graph in graphs)
    with pytest.raises(ValueError, match="read-only"):
        topology.at(0)[0, 1] = True


def test_two_rounds_with_one_graph_are_static():
    assert build("time-varying-ring", 2).static
    assert not build("time-varying-ring", 3).static


@pytest.mark.parametrize("kind", KINDS)
def test_a_single_node_sends_nothing(kind):
    topology = build(kind, 1, out_degree=1, p=0.5, radius_m=1.0, side_m=10.0, redraw_every=1)
    assert topology.static
    assert topology.symmetric
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
        ({"kind": "random-digraph", "redraw_every": 1, "out_degree": 3}, "allowed: 1 to nodes - 1 = 2"),
        ({"kind": "erdos-renyi"}, "topology.p: found None; allowed: a number above 0"),
        ({"kind": "geometric", "side_m": 9.0}, "topology.radius_m: found None; allowed: a number above 0"),
        ({"kind": "geometric", "radius_m": 9.0}, "topology.side_m: found None; allowed: a number above 0"),
        ({"kind": "torus", "rows": 2}, "topology.rows: found 2; allowed: a divisor of nodes = 3: 1, 3"),
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


def test_row_weights_of_an_irregular_digraph():
    # 0 -> 1, 2;  1 -> 0;  2 -> 0.  Node 0 hears both others (thirds, row 0), 1 and 2 hear node 0 (halves).
    graph = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]], bool)
    third = 1 / 3
    assert row_weights(graph).tolist() == [[third, third, third], [0.5, 0.5, 0], [0.5, 0, 0.5]]


def test_row_weights_point_from_column_to_row():
    # 0 -> 1 only: node 1 takes the mean of both, node 0 keeps what it has.
    assert row_weights(np.array([[0, 1], [0, 0]], bool)).tolist() == [[1.0, 0.0], [0.5, 0.5]]


def test_metropolis_of_a_star():
    # centre 0 of degree 3, leaves of degree 1: each edge 1 / (1 + 3); the centre keeps 1/4, a leaf 3/4
    star = np.zeros((4, 4), bool)
    star[0, 1:] = star[1:, 0] = True
    q = 0.25
    assert metropolis(star).tolist() == [[q, q, q, q], [q, 0.75, 0, 0], [q, 0, 0.75, 0], [q, 0, 0, 0.75]]


def test_metropolis_refuses_a_directed_graph():
    with pytest.raises(ValueError, match="undirected"):
        metropolis(build("directed-ring", 3).adjacency[0])
