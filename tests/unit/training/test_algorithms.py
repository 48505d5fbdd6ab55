"""Invariants of every algorithm on static regular, static irregular and time-varying graphs."""

import naive
import numpy as np
import pytest
import torch
from toys import STILL, given_gradients, quadratic, rounds_only, rows_of, run, scattered

from costbench.errors import InputError
from costbench.training.simulate import Simulation

EXPONENTIAL = {"kind": "one-peer-exponential"}
IRREGULAR = {"kind": "random-digraph", "out_degree": 2}
CHANGING = {"kind": "random-digraph", "out_degree": 2, "redraw_every": 1}
DIRECTED_RING = {"kind": "directed-ring"}
RING = {"kind": "ring"}
ERDOS_RENYI = {"kind": "erdos-renyi", "p": 0.5}
MATCHING = {"kind": "random-matching"}
STAR = {"kind": "star"}

TOP_K = {"kind": "top-k", "keep": 0.05}
EVERYTHING = {"kind": "none"}
SPARSE_PUSH = {"kind": "sparse-push", "keep": 0.05, "gamma": 0.1}
SCSP = {**SPARSE_PUSH, "kind": "scsp", "merge_rounds": 60}
SGP = {"kind": "sgp"}
D_PSGD = {"kind": "d-psgd"}
PLAIN = {"kind": "plain-averaging"}
DEEPSQUEEZE = {"kind": "deepsqueeze", "compressor": TOP_K, "gamma": 0.1}
CHOCO = {"kind": "choco-sgd", "compressor": TOP_K, "gamma": 0.1}
QG = {"kind": "qg-dsgdm"}
D_ADAM = {"kind": "d-adam", "period": 2}
CD_ADAM = {"kind": "cd-adam", "period": 2, "compressor": TOP_K, "gamma": 0.1}
LOCAL_SGD = {"kind": "local-sgd", "period": 2}
FEDAVG = {"kind": "fedavg", "period": 2}

ON_DIGRAPHS = [SPARSE_PUSH, SCSP, SGP]
ON_GRAPHS = [D_PSGD, DEEPSQUEEZE, CHOCO, QG, D_ADAM, CD_ADAM]
COMBINATIONS = [
    *((a, g) for a in ON_DIGRAPHS for g in (DIRECTED_RING, IRREGULAR, EXPONENTIAL, CHANGING)),
    *((a, g) for a in ON_GRAPHS for g in (RING, ERDOS_RENYI, MATCHING)),
    (LOCAL_SGD, DIRECTED_RING),
]
NODES = 8


def name_of(value):
    return value["kind"] + ("-changing" if "redraw_every" in value else "") if isinstance(value, dict) else ""


@pytest.mark.parametrize(("algorithm", "graph"), COMBINATIONS, ids=name_of)
def test_without_gradients_the_network_mean_does_not_move(spec_of, algorithm, graph):
    simulation = scattered(spec_of(nodes=NODES, algorithm=algorithm, topology=graph, optimizer=STILL))
    before = rows_of(simulation).mean(axis=0)
    rounds_only(simulation)
    after = rows_of(simulation).mean(axis=0)
    assert np.linalg.norm(after - before) < 1e-5 * np.linalg.norm(before)
    if "w" in simulation.fleet.stacked:
        assert float(simulation.fleet.stacked["w"].double().sum()) == pytest.approx(NODES, rel=1e-5)


@pytest.mark.parametrize(("algorithm", "graph"), [*COMBINATIONS, (FEDAVG, STAR)], ids=name_of)
def test_the_network_mean_moves_by_the_mean_of_the_local_steps(spec_of, algorithm, graph):
    """x[t+1] averaged over nodes is x[t] averaged, less lr times the mean gradient or Adam direction."""
    spec = spec_of(nodes=NODES, algorithm=algorithm, topology=graph, rounds=6, optimizer=STILL)
    simulation = Simulation(spec)
    gradients, x = given_gradients(simulation), rows_of(simulation)
    simulation.task.parts = [np.arange(10)] * NODES
    rounds_only(simulation)
    directions = [g[:6] for g in gradients]
    if algorithm in (D_ADAM, CD_ADAM):
        directions = [naive.adam_directions(g, spec.algorithm) for g in directions]
    expected = x.mean(axis=0) - spec.optimizer.lr * np.mean(directions, axis=0).sum(axis=0)
    np.testing.assert_allclose(rows_of(simulation).mean(axis=0), expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize(("algorithm", "graph"), COMBINATIONS, ids=name_of)
def test_without_gradients_the_nodes_approach_each_other(spec_of, algorithm, graph):
    spec = spec_of(nodes=NODES, algorithm=algorithm, topology=graph, optimizer=STILL, rounds=30)
    simulation = scattered(spec)
    before = rows_of(simulation).std(axis=0).mean()
    rounds_only(simulation)
    for node in simulation.fleet.nodes:
        simulation.algorithm.estimate(node)
    after = rows_of(simulation, simulation.algorithm.model_row).std(axis=0).mean()
    slow = algorithm["kind"] in ("sparse-push", "deepsqueeze", "choco-sgd", "cd-adam")
    assert after < before * (0.999 if slow else 0.2)


def test_fedavg_averages_weighted_by_samples(spec_of):
    simulation = scattered(spec_of(nodes=4, algorithm=FEDAVG, topology=STAR, optimizer=STILL, rounds=2))
    x, samples = rows_of(simulation), np.array([100, 300, 200, 400])
    simulation.task.parts = [np.arange(n) for n in samples]
    for node in simulation.fleet.nodes:
        node.gradient = lambda batch, node=node: node.g.zero_()
    rounds_only(simulation)
    np.testing.assert_allclose(rows_of(simulation), np.tile(samples @ x / 1000, (4, 1)), atol=1e-5)


def test_traffic_of_fedavg_stands_in_the_ledger_with_the_servers(spec_of):
    simulation = run(Simulation(spec_of(nodes=4, algorithm=FEDAVG, topology=STAR, rounds=4)))
    messages = simulation.recorder.ledger().messages.to_pandas()
    exchanges = 2
    assert messages.groupby("sender").size().tolist() == [3 * exchanges, exchanges, exchanges, exchanges]
    assert (messages["elements"] == simulation.fleet.layout.parameters).all()


def test_ring_all_reduce_gives_the_exact_mean_and_sends_twice_the_model(spec_of):
    simulation = scattered(
        spec_of(nodes=5, algorithm=LOCAL_SGD, topology=DIRECTED_RING, rounds=2, optimizer=STILL)
    )
    mean = rows_of(simulation).mean(axis=0)
    simulation._evaluate = lambda: None
    run(simulation)
    np.testing.assert_allclose(rows_of(simulation), np.tile(mean, (5, 1)), atol=1e-5)
    messages = simulation.recorder.ledger().messages.to_pandas()
    parameters = simulation.fleet.layout.parameters
    assert messages["elements"].sum() == 2 * 4 * parameters
    assert messages.groupby("sender").size().tolist() == [8] * 5


def test_push_sum_weights_differ_from_one_exactly_on_irregular_graphs(spec_of):
    def weights(graph):
        spec = spec_of(nodes=NODES, algorithm=SGP, topology=graph, rounds=20, optimizer=STILL)
        return rounds_only(scattered(spec)).fleet.stacked["w"]

    assert (weights(DIRECTED_RING) == 1).all() and (weights(EXPONENTIAL) == 1).all()
    assert (weights(IRREGULAR) - 1).abs().max() > 0.1


@pytest.mark.parametrize("graph", [IRREGULAR, CHANGING], ids=name_of)
def test_push_sum_finds_the_mean_on_an_irregular_graph_where_plain_averaging_does_not(spec_of, graph):
    def distance(algorithm):
        spec = spec_of(nodes=NODES, algorithm=algorithm, topology=graph, rounds=80, optimizer=STILL)
        simulation = scattered(spec)
        mean = rows_of(simulation).mean(axis=0)
        rounds_only(simulation)
        for node in simulation.fleet.nodes:
            simulation.algorithm.estimate(node)
        reached = rows_of(simulation, simulation.algorithm.model_row)
        return np.linalg.norm(reached - mean, axis=1).max() / np.linalg.norm(mean)

    assert distance(SGP) < 1e-3 < 0.05 < distance(PLAIN)


@pytest.mark.parametrize(
    ("algorithm", "graph"), [(SGP, DIRECTED_RING), (SGP, IRREGULAR), (D_PSGD, RING), (D_PSGD, ERDOS_RENYI)]
)
def test_consensus_contracts_at_the_rate_of_the_second_eigenvalue(spec_of, algorithm, graph):
    spec = spec_of(nodes=NODES, algorithm=algorithm, topology=graph, rounds=15, optimizer=STILL)
    simulation = scattered(spec)
    simulation._count, simulation._evaluate = lambda *_: None, lambda: None
    moduli = np.sort(np.abs(np.linalg.eigvals(simulation.transport.weights(0))))
    mean = rows_of(simulation).mean(axis=0)
    weight = simulation.fleet.stacked.get("w", torch.ones(1))
    distances = [
        np.linalg.norm((simulation.fleet.stacked["x"] / weight).numpy() - mean) for _ in simulation.run()
    ]
    measured = (distances[14] / distances[4]) ** (1 / 10)
    assert measured == pytest.approx(moduli[-2], rel=0.05)


def test_the_exponential_graph_averages_exactly_in_one_period(spec_of):
    spec = spec_of(nodes=NODES, algorithm=SGP, topology=EXPONENTIAL, rounds=3, optimizer=STILL)
    simulation = scattered(spec)
    mean = simulation.fleet.stacked["x"].mean(dim=0)
    assert torch.allclose(run(simulation).fleet.stacked["z"], mean.expand(8, -1), atol=1e-6)


def final_rows(spec, algorithm_rounds=rounds_only):
    simulation = Simulation(spec)
    given_gradients(simulation)
    return rows_of(algorithm_rounds(simulation))


@pytest.mark.parametrize(
    ("compressed", "plain", "graph"),
    [
        ({"kind": "sparse-push", "keep": 1.0, "gamma": 1.0}, SGP, IRREGULAR),
        ({"kind": "deepsqueeze", "compressor": EVERYTHING, "gamma": 1.0}, D_PSGD, RING),
        ({"kind": "deepsqueeze", "compressor": EVERYTHING, "gamma": 1.0}, D_PSGD, ERDOS_RENYI),
        ({"kind": "choco-sgd", "compressor": EVERYTHING, "gamma": 1.0}, D_PSGD, RING),
        ({"kind": "choco-sgd", "compressor": EVERYTHING, "gamma": 1.0}, D_PSGD, MATCHING),
        ({"kind": "qg-dsgdm", "mu": 1.0}, D_PSGD, {"kind": "ring"}),
    ],
    ids=name_of,
)
def test_without_compression_it_is_the_uncompressed_algorithm(spec_of, compressed, plain, graph):
    optimizer = {"lr": 0.1, "momentum": 0.0 if compressed["kind"] == "qg-dsgdm" else 0.9}
    rows = [
        final_rows(spec_of(algorithm=a, topology=graph, rounds=6, optimizer=optimizer))
        for a in (compressed, plain)
    ]
    np.testing.assert_allclose(*rows, rtol=0, atol=2e-6)


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


@pytest.mark.parametrize("graph", [IRREGULAR, EXPONENTIAL, CHANGING], ids=name_of)
def test_sparse_push_and_scsp_follow_the_naive_implementation(spec_of, graph):
    algorithm = {**SPARSE_PUSH, "kind": "scsp", "merge_rounds": 3}
    simulation = Simulation(spec_of(rounds=4, algorithm=algorithm, topology=graph))
    gradients, x = given_gradients(simulation), rows_of(simulation)
    bounds, kept = simulation.fleet.layout.bounds, simulation.algorithm.compressor.kept
    weights, spec = simulation.transport.weights, simulation.spec
    rounds_only(simulation)
    x, w = naive.sparse_push(
        x, gradients, weights, spec.optimizer, 0.1, lambda v: naive.top_k(v, bounds, kept), 4
    )
    x, w = naive.merge(x, w, weights, 3, start=4)
    np.testing.assert_allclose(rows_of(simulation), x, rtol=0, atol=3e-6)
    np.testing.assert_allclose(rows_of(simulation, "w")[:, 0], w, rtol=0, atol=1e-6)


@pytest.mark.parametrize("graph", [RING, ERDOS_RENYI, MATCHING], ids=name_of)
def test_d_adam_follows_the_naive_implementation(spec_of, graph):
    spec = spec_of(rounds=5, algorithm=D_ADAM, topology=graph, optimizer={"lr": 0.01})
    simulation = Simulation(spec)
    gradients, x = given_gradients(simulation), rows_of(simulation)
    rounds_only(simulation)
    expected = naive.d_adam(x, gradients, simulation.transport.weights, 0.01, spec.algorithm, 5)
    np.testing.assert_allclose(rows_of(simulation), expected, rtol=0, atol=3e-6)


@pytest.mark.parametrize("graph", [RING, ERDOS_RENYI], ids=name_of)
@pytest.mark.parametrize("compressor", [TOP_K, EVERYTHING], ids=name_of)
def test_cd_adam_follows_the_naive_implementation(spec_of, graph, compressor):
    algorithm = {**CD_ADAM, "compressor": compressor, "gamma": 0.5}
    spec = spec_of(rounds=8, algorithm=algorithm, topology=graph, optimizer={"lr": 0.01})
    simulation = Simulation(spec)
    gradients, x = given_gradients(simulation), rows_of(simulation)
    bounds, top_k = simulation.fleet.layout.bounds, simulation.algorithm.compressor
    rounds_only(simulation)

    def compress(v):
        return naive.top_k(v, bounds, top_k.kept) if compressor is TOP_K else v

    weights = simulation.transport.weights
    expected = naive.cd_adam(x, gradients, weights, 0.01, spec.algorithm, compress, 8)
    np.testing.assert_allclose(rows_of(simulation), expected, rtol=0, atol=3e-6)


@pytest.mark.parametrize("graph", [RING, MATCHING], ids=name_of)
@pytest.mark.parametrize("nesterov", [False, True])
def test_quasi_global_momentum_follows_the_naive_implementation(spec_of, graph, nesterov):
    optimizer = {"lr": 0.05, "momentum": 0.9, "weight_decay": 0.01, "nesterov": nesterov}
    spec = spec_of(rounds=6, algorithm={**QG, "mu": 0.3}, topology=graph, optimizer=optimizer)
    simulation = Simulation(spec)
    gradients, x = given_gradients(simulation), rows_of(simulation)
    rounds_only(simulation)
    expected = naive.qg_dsgdm(x, gradients, simulation.transport.weights, spec.optimizer, 0.3, 6)
    np.testing.assert_allclose(rows_of(simulation), expected, rtol=0, atol=3e-6)


@pytest.mark.parametrize("corrected", [True, False])
def test_d_adam_of_one_node_is_torchs_adam_in_its_matching_form(spec_of, corrected):
    algorithm = {"kind": "d-adam", "bias_correction": corrected}
    spec = spec_of(nodes=1, rounds=6, algorithm=algorithm, topology=RING, optimizer={"lr": 0.01})
    simulation = Simulation(spec)
    gradients = given_gradients(simulation)[0]
    parameter = torch.nn.Parameter(simulation.fleet.stacked["x"][0].clone())
    adam = torch.optim.Adam([parameter], lr=0.01)
    for t, gradient in enumerate(gradients, start=1):
        if not corrected:  # what torch divides by, taken back
            root = (1 - 0.999**t) ** 0.5
            adam.param_groups[0].update(lr=0.01 * (1 - 0.9**t) / root, eps=1e-8 / root)
        parameter.grad = torch.from_numpy(gradient).float()
        adam.step()
    rounds_only(simulation)
    np.testing.assert_allclose(rows_of(simulation)[0], parameter.detach().numpy(), rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("algorithm", "graph"),
    [
        (SGP, IRREGULAR),
        ({"kind": "sparse-push", "keep": 0.3, "gamma": 0.3}, IRREGULAR),
        (D_PSGD, RING),
        ({**DEEPSQUEEZE, "compressor": {"kind": "top-k", "keep": 0.3}, "gamma": 0.3}, RING),
        ({**CHOCO, "gamma": 0.2}, RING),
        (QG, RING),
        ({**LOCAL_SGD, "period": 2}, DIRECTED_RING),
        ({**FEDAVG, "period": 2}, STAR),
    ],
    ids=name_of,
)
def test_a_strongly_convex_problem_is_solved(spec_of, algorithm, graph):
    """Quadratics with centres c_i: with lr falling to 0, the mean of the nodes comes within 5 % of mean c."""
    optimizer = {"lr": 0.2, "schedule": "cosine"}
    spec = spec_of(nodes=4, algorithm=algorithm, topology=graph, rounds=150, optimizer=optimizer)
    simulation = Simulation(spec)
    shape = simulation.fleet.stacked["x"].shape
    centres = torch.randn(shape, generator=torch.Generator().manual_seed(1)) + 1.0
    rounds_only(quadratic(simulation, centres))
    for node in simulation.fleet.nodes:
        simulation.algorithm.estimate(node)
    reached = simulation.fleet.model_rows.mean(dim=0)
    optimum = centres.mean(dim=0)
    assert (reached - optimum).norm() < 0.05 * optimum.norm()


@pytest.mark.parametrize("algorithm", [D_ADAM, {**CD_ADAM, "gamma": 0.2}], ids=name_of)
def test_adams_solve_a_strongly_convex_problem_that_all_nodes_share(spec_of, algorithm):
    """Normalised gradients of different centres do not balance at their mean, so all centres are one."""
    optimizer = {"lr": 0.1, "schedule": "cosine"}
    spec = spec_of(nodes=4, algorithm=algorithm, topology=RING, rounds=200, optimizer=optimizer)
    simulation = Simulation(spec)
    centre = torch.randn(simulation.fleet.stacked["x"].shape[1], generator=torch.Generator().manual_seed(1))
    rounds_only(quadratic(simulation, centre.expand(4, -1)))
    assert (simulation.fleet.model_rows - centre).norm(dim=1).max() < 0.02 * centre.norm()


def test_choco_keeps_a_replica_of_every_pair_where_the_graph_changes(spec_of):
    fixed = Simulation(spec_of(nodes=4, algorithm=CHOCO, topology=RING))
    changing = Simulation(spec_of(nodes=4, algorithm=CHOCO, topology=MATCHING))
    assert "s" in fixed.fleet.stacked and not fixed.fleet.own[0]
    assert "s" not in changing.fleet.stacked
    assert sorted(changing.fleet.own[1]) == ["of_0", "of_2", "of_3", "to_0", "to_2", "to_3"]


def test_both_ends_of_a_pair_hold_the_same_replica(spec_of):
    spec = spec_of(nodes=4, rounds=9, algorithm=CHOCO, topology=MATCHING, optimizer=STILL)
    own = rounds_only(scattered(spec)).fleet.own
    for i in range(4):
        for j in set(range(4)) - {i}:
            assert torch.equal(own[i][f"to_{j}"], own[j][f"of_{i}"])


def test_a_symmetric_algorithm_refuses_a_directed_graph(spec_of):
    for algorithm in ON_GRAPHS:
        with pytest.raises(InputError, match=r"topology\.kind"):
            Simulation(spec_of(algorithm=algorithm, topology=DIRECTED_RING, optimizer=STILL))


def test_d_psgd_averages_what_its_neighbours_reached_by_their_steps(spec_of):
    simulation = Simulation(spec_of(algorithm=D_PSGD, topology=RING, rounds=1, optimizer={"lr": 0.1}))
    x = simulation.fleet.stacked["x"].clone()
    for node in simulation.fleet.nodes:
        node.gradient = lambda batch, node=node: node.g.fill_(float(node.index))
    weights = torch.from_numpy(simulation.transport.weights(0)).float()
    rounds_only(simulation)
    half = x - 0.1 * torch.arange(4.0)[:, None]
    assert torch.allclose(simulation.fleet.stacked["x"], weights @ half, atol=1e-6)


def test_plain_averaging_takes_the_mean_of_itself_and_what_arrives(spec_of):
    spec = spec_of(nodes=NODES, algorithm=PLAIN, topology=IRREGULAR, rounds=1, optimizer=STILL)
    simulation = scattered(spec)
    x, talks = rows_of(simulation), simulation.transport.weights(0) > 0
    rounds_only(simulation)
    means = [x[talks[i]].mean(axis=0) for i in range(NODES)]
    np.testing.assert_allclose(rows_of(simulation), means, rtol=0, atol=1e-6)


def test_losses_of_messages_keep_the_ratio_of_push_sum_unbiased(spec_of):
    lossy = {"links": {"drop": 0.2}, "optimizer": STILL}
    simulation = scattered(spec_of(nodes=NODES, algorithm=SGP, topology=IRREGULAR, rounds=40, **lossy))
    simulation.fleet.stacked["x"].fill_(3.0)
    rounds_only(simulation)
    for node in simulation.fleet.nodes:
        simulation.algorithm.estimate(node)
    assert torch.allclose(simulation.fleet.stacked["z"], torch.tensor(3.0), rtol=1e-4)
    assert not torch.allclose(simulation.fleet.stacked["x"], torch.tensor(3.0), rtol=1e-1)
