"""What holds for every graph, every mixing matrix and every partition."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from costbench.errors import InputError
from costbench.training.partition import Sampler, batch_indices, describe, partition
from costbench.training.topology import build, metropolis, out_weights

NODES = st.integers(1, 40)
SEEDS = st.integers(0, 2**63 - 1)


@st.composite
def graphs(draw):
    kind = draw(
        st.sampled_from(["directed-ring", "ring", "one-peer-exponential", "complete", "random-digraph"])
    )
    nodes = draw(NODES)
    try:
        return build(kind, nodes, draw(SEEDS), out_degree=draw(st.integers(1, max(1, min(6, nodes - 1)))))
    except InputError as refusal:
        assert refusal.key == "topology.out_degree"
        assume(False)


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_out_weights_are_column_stochastic_and_follow_the_graph(topology):
    for graph in topology.adjacency:
        weights = out_weights(graph)
        np.testing.assert_allclose(weights.sum(axis=0), 1, rtol=1e-14)
        assert ((weights > 0) == (graph.T | np.eye(topology.nodes, dtype=bool))).all()


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_metropolis_is_symmetric_and_doubly_stochastic(topology):
    for graph in topology.adjacency:
        weights = metropolis(graph | graph.T)
        assert (weights == weights.T).all()
        np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-14)
        assert (weights >= -1e-15).all()


@settings(deadline=None)
@given(NODES)
def test_both_rings_are_doubly_stochastic(nodes):
    for kind in ("ring", "directed-ring"):
        weights = out_weights(build(kind, nodes).adjacency[0])
        np.testing.assert_allclose([weights.sum(axis=0), weights.sum(axis=1)], 1, rtol=1e-14)


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_everybody_reaches_everybody_within_nodes_periods(topology):
    union = topology.adjacency.any(axis=0) | np.eye(topology.nodes, dtype=bool)
    assert np.linalg.matrix_power(union / topology.nodes, max(1, topology.nodes - 1)).all()
    assert not topology.adjacency[:, np.arange(topology.nodes), np.arange(topology.nodes)].any()


@settings(deadline=None)
@given(st.integers(2, 300))
def test_one_peer_exponential_sends_and_receives_one_message_a_round(nodes):
    topology = build("one-peer-exponential", nodes)
    assert (topology.adjacency.sum(axis=2) == 1).all()
    assert (topology.adjacency.sum(axis=1) == 1).all()
    assert topology.adjacency.sum(axis=0).max() == 1


@settings(deadline=None)
@given(st.integers(1, 5))
def test_one_peer_exponential_of_a_power_of_two_averages_exactly_in_one_period(exponent):
    # each round with weights 1/2 halves the differences in one bit of the index (Assran et al. 2019)
    product = np.eye(2**exponent)
    for graph in build("one-peer-exponential", 2**exponent).adjacency:
        product = out_weights(graph) @ product
    np.testing.assert_allclose(product, 1 / 2**exponent, rtol=1e-12)


@st.composite
def partitions(draw):
    labels = np.array(draw(st.lists(st.integers(0, 5), min_size=1, max_size=200)), np.int64)
    nodes = draw(st.integers(1, min(20, len(labels))))
    kind = draw(
        st.one_of(
            st.just({"kind": "iid"}),
            st.fixed_dictionaries({"kind": st.just("label-skew"), "skew": st.floats(0, 1)}),
            st.fixed_dictionaries({"kind": st.just("dirichlet"), "alpha": st.floats(0.5, 1e6)}),
        )
    )
    seed = draw(SEEDS)
    return labels, nodes, kind, seed


@settings(max_examples=150, deadline=None)
@given(partitions())
def test_every_sample_goes_to_exactly_one_node(case):
    labels, nodes, kind, seed = case
    try:
        parts = partition(labels, nodes, seed=seed, **kind)
    except InputError as refusal:
        assert refusal.key == "task.partition.alpha"
        assume(False)
    assert len(parts) == nodes
    assert all(part.dtype == np.int64 and len(part) for part in parts)
    assert np.sort(np.concatenate(parts)).tolist() == list(range(len(labels)))
    if kind["kind"] != "dirichlet":
        assert max(map(len, parts)) - min(map(len, parts)) <= 1
    described = describe(parts, labels)
    assert np.sum(described["class_counts"], axis=0).tolist() == np.bincount(labels).tolist()
    assert 0 <= described["mean_js_distance"] <= 1 + 1e-12


@settings(deadline=None)
@given(st.integers(1, 30), st.integers(1, 40), SEEDS, st.lists(st.integers(0, 60), min_size=1, max_size=6))
def test_a_resumed_sampler_draws_the_same_batches(samples, batch, seed, steps):
    part = np.arange(100, 100 + samples)
    sampler = Sampler(part, batch, seed, node=3)
    for step in steps:
        assert (sampler.indices(step) == batch_indices(part, batch, step, seed, node=3)).all()


@settings(deadline=None)
@given(st.integers(1, 30), st.integers(1, 40), SEEDS, st.integers(1, 20))
def test_after_any_number_of_steps_all_samples_were_drawn_equally_often(samples, batch, seed, steps):
    part = np.arange(samples)
    sampler = Sampler(part, batch, seed, node=0)
    drawn = np.concatenate([sampler.indices(step) for step in range(steps)])
    counts = np.bincount(drawn, minlength=samples)
    assert counts.max() - counts.min() <= 1
