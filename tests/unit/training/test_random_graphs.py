"""Graphs by chance: what every draw must be, how often, and that each depends on seed and number alone."""

from __future__ import annotations

import tracemalloc
from collections import Counter

import numpy as np
import pytest

from costbench.errors import InputError
from costbench.training.topology import build
from costbench.training.topology.connected import first_cut_off

REDRAWN = [
    ("random-digraph", {"out_degree": 2, "redraw_every": 3}),
    ("erdos-renyi", {"p": 0.4, "redraw_every": 3}),
]
FRAMES = 60


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


def test_a_fixed_random_digraph_is_the_first_of_the_redrawn_ones():
    fixed = build("random-digraph", 5, seed=1, out_degree=2)
    assert [np.flatnonzero(row).tolist() for row in fixed.at(0)] == [[3, 4], [0, 2], [1, 4], [2, 4], [2, 3]]
    redrawn = build("random-digraph", 5, seed=1, out_degree=2, redraw_every=7)
    assert (redrawn.at(6) == fixed.at(0)).all()


@pytest.mark.parametrize(("kind", "numbers"), REDRAWN)
def test_a_redrawn_graph_lasts_its_rounds_and_is_connected_each_time(kind, numbers):
    topology = build(kind, 8, seed=2, **numbers)
    graphs = [topology.at(3 * frame) for frame in range(FRAMES)]
    assert topology.period is None
    assert not topology.static
    assert topology.neighbours(3) == [0, 1, 2, 4, 5, 6, 7]
    assert all((topology.at(3 * frame + 2) == graphs[frame]).all() for frame in range(FRAMES))
    assert all(first_cut_off(graph) is None for graph in graphs)
    assert len({graph.tobytes() for graph in graphs}) > FRAMES // 2
    assert [(graph == graph.T).all() for graph in graphs].count(True) == FRAMES * topology.symmetric


@pytest.mark.parametrize(("kind", "numbers"), [*REDRAWN, ("random-matching", {})])
def test_a_redrawn_graph_depends_on_seed_and_round_alone(kind, numbers):
    rounds = range(0, 3 * FRAMES, 3)
    forward, backward = build(kind, 8, seed=2, **numbers), build(kind, 8, seed=2, **numbers)
    there = {t: forward.at(t) for t in rounds}
    back = {t: backward.at(t) for t in reversed(rounds)}
    assert all((there[t] == back[t]).all() for t in rounds)
    other = build(kind, 8, seed=3, **numbers)
    assert sum((there[t] == other.at(t)).all() for t in rounds) < FRAMES // 4


def test_redrawn_graphs_do_not_pile_up_in_memory():
    # 2,000 graphs of 64 x 64 bytes are 8 MB
    topology = build("random-matching", 64)
    topology.at(0)
    tracemalloc.start()
    for t in range(2000):
        topology.at(t)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 500_000


def test_a_redrawn_graph_that_is_hardly_ever_connected_is_refused_before_round_0():
    with pytest.raises(InputError, match=r"\.out_degree: found 1; allowed: a larger one"):
        build("random-digraph", 30, out_degree=1, redraw_every=5)
    with pytest.raises(InputError, match=r"\.p: found 0\.01; allowed: a larger one: none of 1000 random"):
        build("erdos-renyi", 20, p=0.01, redraw_every=1)
    with pytest.raises(InputError, match=r"topology\.radius_m: found 1\.0; allowed: a larger one"):
        build("geometric", 20, radius_m=1.0, side_m=100.0)


def test_erdos_renyi_has_every_edge_equally_often():
    # 12 nodes, p = 0.5: a draw is disconnected with probability about 12 * 2^-11 = 0.006, which shifts the
    # share of an edge by less than 0.001. 600 graphs: one edge within 5 standard deviations = 0.102; all 66
    # together within 5 * 0.5 / sqrt(39600) = 0.0126.
    drawn = build("erdos-renyi", 12, p=0.5, redraw_every=1)
    share = np.mean([drawn.at(t) for t in range(600)], axis=0)[np.triu_indices(12, 1)]
    assert share == pytest.approx(0.5, abs=0.103)
    assert share.mean() == pytest.approx(0.5, abs=0.0136)


def test_erdos_renyi_of_probability_1_is_complete():
    assert (build("erdos-renyi", 6, p=1.0).at(0) == ~np.eye(6, dtype=bool)).all()


def pairs_of(graph):
    return frozenset((i, j) for i, j in np.argwhere(graph).tolist() if i < j)


@pytest.mark.parametrize("nodes", [2, 3, 8, 9])
def test_a_matching_pairs_all_nodes_but_one_if_odd(nodes):
    topology = build("random-matching", nodes)
    for t in range(50):
        graph = topology.at(t)
        assert (graph == graph.T).all()
        assert not graph.diagonal().any()
        assert sorted(graph.sum(axis=0).tolist()) == [0] * (nodes % 2) + [1] * (nodes - nodes % 2)


def test_all_perfect_matchings_are_equally_likely():
    # 6 nodes have 5 * 3 * 1 = 15 of them. 3,000 rounds, 200 each; chi-squared with 14 degrees of freedom
    # exceeds 42.6 with probability 1e-4.
    topology = build("random-matching", 6, seed=5)
    counts = Counter(pairs_of(topology.at(t)) for t in range(3000))
    assert len(counts) == 15
    assert sum((count - 200) ** 2 / 200 for count in counts.values()) < 42.6


def test_the_idle_node_of_an_odd_matching_is_any_equally_often():
    # 5 nodes, 2,000 rounds, 400 each; chi-squared of 4 degrees of freedom exceeds 23.5 with probability 1e-4
    topology = build("random-matching", 5, seed=5)
    idle = Counter(int(np.flatnonzero(~topology.at(t).any(axis=0))[0]) for t in range(2000))
    assert sum((idle[node] - 400) ** 2 / 400 for node in range(5)) < 23.5


def test_geometric_edges_are_the_distances_within_the_radius():
    topology = build("geometric", 12, seed=3, radius_m=45.0, side_m=100.0)
    places = topology.positions_m
    assert places.shape == (12, 2)
    assert places.dtype == np.float64
    assert places.min() >= 0
    assert 50 < places.max() < 100
    for i in range(12):
        for j in range(12):
            apart = ((places[i, 0] - places[j, 0]) ** 2 + (places[i, 1] - places[j, 1]) ** 2) ** 0.5
            assert topology.at(0)[i, j] == (i != j and apart <= 45.0)


def test_geometric_places_fill_the_square_evenly():
    # a radius that reaches all: no draw is rejected. 200 runs of 10 nodes: mean of 2,000 uniform numbers
    # within 5 * 0.289 / sqrt(2000) = 0.032 of a half, in both directions, and a quarter of them in each
    # quarter within 5 * sqrt(0.1875 / 2000) = 0.048.
    places = np.concatenate(
        [build("geometric", 10, seed=s, radius_m=3.0, side_m=2.0).positions_m for s in range(200)]
    )
    assert places.mean(axis=0) / 2.0 == pytest.approx(0.5, abs=0.032)
    quarter = (places[:, 0] > 1.0) * 2 + (places[:, 1] > 1.0)
    assert np.bincount(quarter) / 2000 == pytest.approx(0.25, abs=0.048)
