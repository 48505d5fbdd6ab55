"""Invariants of every algorithm on static regular, static irregular and time-varying graphs."""

import numpy as np
import pytest
import torch

from costbench.errors import InputError
from costbench.training.simulate import Simulation

EXPONENTIAL = {"kind": "one-peer-exponential"}
IRREGULAR = {"kind": "random-digraph", "out_degree": 2}
DIRECTED_RING = {"kind": "directed-ring"}
RING = {"kind": "ring"}
SPARSE_PUSH = {"kind": "sparse-push", "keep": 0.05, "gamma": 0.1}
SCSP = {**SPARSE_PUSH, "kind": "scsp", "merge_rounds": 60}
SGP = {"kind": "sgp"}
D_PSGD = {"kind": "d-psgd"}

ON_DIGRAPHS = [
    (algorithm, graph)
    for algorithm in (SPARSE_PUSH, SCSP, SGP)
    for graph in (DIRECTED_RING, IRREGULAR, EXPONENTIAL)
]
ALL = [*ON_DIGRAPHS, (D_PSGD, RING)]
NODES = 8
STILL = {"lr": 0.1, "momentum": 0.0, "weight_decay": 0.0}


def run(simulation):
    for _ in simulation.run():
        pass
    return simulation


def scattered(spec, seed=0):
    """A simulation in which every node has parameters of its own, and no gradient."""
    simulation = Simulation(spec)
    rows = simulation.fleet.stacked["x"]
    rows.copy_(torch.randn(rows.shape, generator=torch.Generator().manual_seed(seed)))
    for node in simulation.fleet.nodes:
        node.gradient = lambda batch, node=node: node.g
    return simulation


@pytest.mark.parametrize(("algorithm", "graph"), ALL)
def test_without_gradients_the_network_mean_does_not_move(spec_of, algorithm, graph):
    simulation = scattered(spec_of(nodes=NODES, algorithm=algorithm, topology=graph, optimizer=STILL))
    before = simulation.fleet.stacked["x"].double().mean(dim=0)
    run(simulation)
    after = simulation.fleet.stacked["x"].double().mean(dim=0)
    assert (after - before).norm() < 1e-5 * before.norm()
    if "w" in simulation.fleet.stacked:
        assert float(simulation.fleet.stacked["w"].double().sum()) == pytest.approx(NODES, rel=1e-6)


def test_push_sum_weights_differ_from_one_exactly_on_irregular_graphs(spec_of):
    def weights(graph):
        spec = spec_of(nodes=NODES, algorithm=SGP, topology=graph, rounds=20, optimizer=STILL)
        return run(scattered(spec)).fleet.stacked["w"]

    assert (weights(DIRECTED_RING) == 1).all() and (weights(EXPONENTIAL) == 1).all()
    assert (weights(IRREGULAR) - 1).abs().max() > 0.1


def test_push_sum_finds_the_mean_on_an_irregular_graph_where_its_numerator_does_not(spec_of):
    spec = spec_of(nodes=NODES, algorithm=SGP, topology=IRREGULAR, rounds=60, optimizer=STILL)
    simulation = scattered(spec)
    mean = simulation.fleet.stacked["x"].mean(dim=0)
    run(simulation)
    unbiased = (simulation.fleet.stacked["z"] - mean).norm(dim=1).max() / mean.norm()
    biased = (simulation.fleet.stacked["x"] - mean).norm(dim=1).max() / mean.norm()
    assert unbiased < 1e-3 < 0.05 < biased


@pytest.mark.parametrize("graph", [DIRECTED_RING, IRREGULAR])
def test_consensus_contracts_at_the_rate_of_the_second_eigenvalue(spec_of, graph):
    spec = spec_of(nodes=NODES, algorithm=SGP, topology=graph, rounds=15, optimizer=STILL)
    simulation = scattered(spec)
    moduli = np.sort(np.abs(np.linalg.eigvals(simulation.transport.weights(0))))
    mean = simulation.fleet.stacked["x"].mean(dim=0)
    distances = [
        float((simulation.fleet.stacked["x"] / simulation.fleet.stacked["w"] - mean).norm())
        for _ in simulation.run()
    ]
    measured = (distances[14] / distances[4]) ** (1 / 10)
    assert measured == pytest.approx(moduli[-2], rel=0.05)


def test_the_exponential_graph_averages_exactly_in_one_period(spec_of):
    spec = spec_of(nodes=NODES, algorithm=SGP, topology=EXPONENTIAL, rounds=3, optimizer=STILL)
    simulation = scattered(spec)
    mean = simulation.fleet.stacked["x"].mean(dim=0)
    assert torch.allclose(run(simulation).fleet.stacked["z"], mean.expand(8, -1), atol=1e-6)


def test_sparse_push_that_keeps_everything_is_sgp(spec_of):
    everything = {"kind": "sparse-push", "keep": 1.0, "gamma": 1.0}
    rows = []
    for algorithm in (everything, SGP):
        simulation = Simulation(spec_of(algorithm=algorithm, topology=IRREGULAR))
        given_gradients(simulation)
        rows.append(run(simulation).fleet.stacked["x"])
    assert torch.allclose(*rows, rtol=0, atol=1e-6)


def test_scsp_is_sparse_push_until_it_merges(spec_of):
    sparse_push = run(Simulation(spec_of(algorithm=SPARSE_PUSH)))
    scsp = Simulation(spec_of(algorithm={**SPARSE_PUSH, "kind": "scsp", "merge_rounds": 2}))
    assert scsp.rounds == sparse_push.rounds + 2
    for done in scsp.run():
        if done == sparse_push.rounds:
            assert torch.equal(scsp.fleet.stacked["x"], sparse_push.fleet.stacked["x"])
    messages = scsp.recorder.ledger().messages.to_pandas()
    merge = messages[messages["round"] >= sparse_push.rounds]
    assert (merge["elements"] == scsp.fleet.layout.parameters).all()


def test_error_memory_and_message_together_lose_nothing(spec_of):
    simulation = Simulation(spec_of(algorithm=SPARSE_PUSH))
    node = simulation.fleet.nodes[0]
    node.e.copy_(torch.randn_like(node.e))
    v = node.x + node.e
    q = simulation.algorithm._compressed(node)
    assert torch.equal(q.dense() + node.e, v)
    assert q.elements == sum(simulation.algorithm.kept)


def test_the_first_rounds_of_sparse_push_follow_the_pseudo_code_written_out_in_numpy(spec_of):
    simulation = Simulation(spec_of(nodes=4, rounds=3, algorithm=SPARSE_PUSH, topology=IRREGULAR))
    gradients = given_gradients(simulation)
    simulation._count = lambda *_: None
    x = simulation.fleet.stacked["x"].double().numpy().copy()
    bounds, weights = simulation.fleet.layout.bounds, simulation.transport.weights(0)
    run_rows(simulation)
    expected = naive_sparse_push(x, gradients, weights, bounds, simulation.algorithm.kept, simulation.spec)
    assert np.allclose(simulation.fleet.stacked["x"].numpy(), expected, rtol=0, atol=2e-6)


def given_gradients(simulation):
    """Give every node random gradients of its own; returns them, float64 [rounds, D] a node."""
    gradients = []
    for node in simulation.fleet.nodes:
        generator = torch.Generator().manual_seed(node.index)
        fixed = torch.randn(simulation.rounds, len(node.g), generator=generator)
        gradients.append(fixed.double().numpy())
        steps = iter(fixed)
        node.gradient = lambda batch, node=node, steps=steps: node.g.copy_(next(steps))
    return gradients


def run_rows(simulation):
    """Only the rounds, without evaluation."""
    simulation._evaluate = lambda: None
    run(simulation)


def naive_sparse_push(x, gradients, weights, bounds, kept, spec):
    """Section by section as in the pseudo-code, node after node, on dense float64 vectors."""
    nodes, gamma, optimizer = len(x), spec.algorithm.gamma, spec.optimizer
    w, e, m = np.ones(nodes), np.zeros_like(x), np.zeros_like(x)
    for t in range(3):
        q = np.zeros_like(x)
        for i in range(nodes):
            g = gradients[i][t] + optimizer.weight_decay * x[i]
            m[i] = optimizer.momentum * m[i] + g
            x[i] = x[i] - optimizer.lr * m[i]
            v = x[i] + e[i]
            for (start, stop), k in zip(bounds, kept, strict=True):
                largest = start + np.argsort(-np.abs(v[start:stop]))[:k]
                q[i, largest] = v[largest]
            e[i] = v - q[i]
        x = x + gamma * (weights @ q - q)
        w = w + gamma * (weights @ w - w)
    return x


def test_d_psgd_refuses_a_directed_graph(spec_of):
    with pytest.raises(InputError, match="topology"):
        Simulation(spec_of(algorithm=D_PSGD, topology=DIRECTED_RING))


def test_d_psgd_averages_what_its_neighbours_reached_by_their_steps(spec_of):
    simulation = Simulation(spec_of(algorithm=D_PSGD, topology=RING, rounds=1, optimizer={"lr": 0.1}))
    x = simulation.fleet.stacked["x"].clone()
    for node in simulation.fleet.nodes:
        node.gradient = lambda batch, node=node: node.g.fill_(float(node.index))
    weights = torch.from_numpy(simulation.transport.weights(0)).float()
    run_rows(simulation)
    half = x - 0.1 * torch.arange(4.0)[:, None]
    assert torch.allclose(simulation.fleet.stacked["x"], weights @ half, atol=1e-6)


def test_losses_of_messages_keep_the_ratio_of_push_sum_unbiased(spec_of):
    lossy = {"links": {"drop": 0.2}, "optimizer": STILL}
    simulation = scattered(spec_of(nodes=NODES, algorithm=SGP, topology=IRREGULAR, rounds=40, **lossy))
    simulation.fleet.stacked["x"].fill_(3.0)
    run(simulation)
    assert torch.allclose(simulation.fleet.stacked["z"], torch.tensor(3.0), rtol=1e-4)
    assert not torch.allclose(simulation.fleet.stacked["x"], torch.tensor(3.0), rtol=1e-1)
