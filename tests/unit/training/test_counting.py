"""Counting one device's round: what it must contain, and that it changes nothing."""

import hashlib

import numpy as np
import pytest
import torch

from costbench.ledger import DEVICE_PHASES
from costbench.training.counters.device import Arrival, measure_round
from costbench.training.simulate import Simulation


def measure(simulation, node=0, t=0):
    """The counts of a round in which every in-neighbour sends what this node itself sends."""
    weights, arrivals = simulation.transport.weights(t), simulation.transport.arrivals(t)
    alone = simulation.fleet.nodes[node].alone()
    outgoing = next(simulation.algorithm.round(alone, simulation._local(alone, t)))
    message = simulation.wire.encode(outgoing.vector, outgoing.side)
    senders = np.flatnonzero(arrivals[:, node]).tolist()
    return measure_round(
        simulation.fleet.nodes[node],
        simulation.algorithm,
        simulation._local(simulation.fleet.nodes[node], t),
        simulation.wire,
        simulation.fleet.buffers,
        [[Arrival(message.payload, float(weights[node, j]), j, message.codec) for j in senders]],
        [message.codec],
    )


def flop_by_phase(device_round):
    totals = dict.fromkeys(DEVICE_PHASES, 0)
    for (phase, _), counts in device_round.counts.items():
        totals[phase] += counts.flop
    return totals


def fingerprint(simulation):
    digest = hashlib.sha256()
    for rows in simulation.fleet.stacked.values():
        digest.update(rows.numpy().tobytes())
    for node in simulation.fleet.nodes:
        for name, tensor in node.model.state_dict().items():
            digest.update(name.encode() + tensor.contiguous().numpy().tobytes())
    return digest.hexdigest()


def test_counting_leaves_training_untouched(spec_of):
    simulation = Simulation(spec_of())
    model = simulation.fleet.nodes[0].model
    before, bmm, relu = fingerprint(simulation), torch.bmm, torch.nn.functional.relu
    generator = torch.get_rng_state()
    measure(simulation)
    assert fingerprint(simulation) == before
    assert model.training
    assert torch.equal(torch.get_rng_state(), generator)
    assert all(not m._forward_hooks and not m._backward_hooks for m in model.modules())
    assert torch.bmm is bmm and torch.nn.functional.relu is relu


CHOCO = {"kind": "choco-sgd", "compressor": {"kind": "top-k", "keep": 0.01}, "gamma": 0.1}


@pytest.mark.parametrize("changes", [{}, {"algorithm": CHOCO, "topology": {"kind": "ring"}}])
def test_a_round_has_work_in_every_phase(spec_of, changes):
    simulation = Simulation(spec_of(**changes))
    flop = flop_by_phase(measure(simulation))
    assert all(flop[phase] > 0 for phase in DEVICE_PHASES), flop
    # a selection looks at every entry
    assert flop["compress"] >= simulation.fleet.layout.parameters


def test_the_optimizer_step_is_counted(spec_of):
    simulation = Simulation(spec_of())
    # g += wd x: 2 D; m = mu m + g: D + D; x -= lr m: 2 D
    assert flop_by_phase(measure(simulation))["optimizer"] == 6 * simulation.fleet.layout.parameters


@pytest.mark.parametrize(("corrected", "an_element"), [(False, 12), (True, 13)])
def test_the_step_of_adam_is_counted(spec_of, corrected, an_element):
    algorithm = {"kind": "d-adam", "bias_correction": corrected}
    optimizer = {"lr": 0.01, "momentum": 0.0}
    simulation = Simulation(spec_of(algorithm=algorithm, topology={"kind": "ring"}, optimizer=optimizer))
    # b1 m: 1, + (1 - b1) g: 2; b2 v: 1, + (1 - b2) g g: 3; root 1, (correction 1), + tau 1; x - lr m / root 3
    flop = flop_by_phase(measure(simulation))["optimizer"]
    assert flop == an_element * simulation.fleet.layout.parameters


def test_mixing_of_sgp_is_counted(spec_of):
    simulation = Simulation(spec_of(algorithm={"kind": "sgp"}))
    parameters = simulation.fleet.layout.parameters
    # z = x / w, p x for the message, p x for itself, and one message added: 4 D; p w twice, w + w_j: 3
    assert flop_by_phase(measure(simulation))["mix"] == 4 * parameters + 3


def test_a_second_in_neighbour_costs_one_more_decode_and_addition(spec_of):
    algorithm = {"kind": "sgp"}
    one = Simulation(spec_of(algorithm=algorithm))
    two = Simulation(spec_of(algorithm=algorithm, topology={"kind": "ring"}))
    parameters = one.fleet.layout.parameters
    difference = flop_by_phase(measure(two))["mix"] - flop_by_phase(measure(one))["mix"]
    assert difference == parameters + 1


def test_memory_holds_what_the_algorithm_needs(spec_of):
    simulation = Simulation(spec_of())
    row = 4 * simulation.fleet.layout.parameters
    statistics = sum(b.nbytes for b in simulation.fleet.nodes[0].model.buffers())
    held = measure(simulation).bytes_of
    assert held["parameters"] == row + statistics
    assert held["gradients"] == held["optimizer"] == row
    assert held["algorithm"] == 2 * row + 4  # x, e and w
    assert held["peak"] > held["parameters"] + held["gradients"] + held["optimizer"] + held["algorithm"]
    assert held["peak"] <= sum(bytes_ for name, bytes_ in held.items() if name != "peak")


def test_dense_messages_are_held_in_memory(spec_of):
    simulation = Simulation(spec_of(algorithm={"kind": "sgp"}))
    row = 4 * simulation.fleet.layout.parameters
    assert measure(simulation).bytes_of["messages"] >= 2 * row


@pytest.mark.parametrize("node", range(4))
def test_every_node_counts_like_itself_alone(spec_of, node):
    """In a code whose messages are all equally long; in others their bytes are the node's own."""
    simulation = Simulation(spec_of(wire={"codec": "packed"}))
    assert measure(simulation, node).counts == measure(simulation, 0).counts


TOP_K = {"kind": "top-k", "keep": 0.01}


@pytest.mark.parametrize(
    ("algorithm", "graph", "optimizer_rows", "algorithm_rows"),
    [
        ({"kind": "sgp"}, "ring", 1, 1),
        ({"kind": "sparse-push", "keep": 0.01, "gamma": 0.1}, "ring", 1, 2),
        ({"kind": "d-psgd"}, "ring", 1, 0),
        ({"kind": "plain-averaging"}, "ring", 1, 0),
        ({"kind": "deepsqueeze", "compressor": TOP_K, "gamma": 0.1}, "ring", 1, 1),
        ({"kind": "choco-sgd", "compressor": TOP_K, "gamma": 0.1}, "ring", 1, 2),
        ({"kind": "choco-sgd", "compressor": TOP_K, "gamma": 0.1}, "random-matching", 1, 6),
        ({"kind": "qg-dsgdm"}, "ring", 1, 0),
        ({"kind": "d-adam"}, "ring", 2, 0),
        ({"kind": "cd-adam", "compressor": TOP_K, "gamma": 0.1}, "ring", 2, 2),
        ({"kind": "local-sgd", "period": 1}, "directed-ring", 1, 0),
        ({"kind": "fedavg", "period": 1}, "star", 1, 0),
    ],
    ids=lambda value: value if isinstance(value, str) else str(value and getattr(value, "get", str)("kind")),
)
def test_a_device_holds_the_state_of_its_algorithm(spec_of, algorithm, graph, optimizer_rows, algorithm_rows):
    """Rows of D float32: x or z is the model; replicas of every pair of 4 nodes are 2 x 3."""
    momentum = 0.0 if "adam" in algorithm["kind"] else 0.9
    spec = spec_of(
        rounds=1, algorithm=algorithm, topology={"kind": graph}, optimizer={"lr": 0.05, "momentum": momentum}
    )
    simulation = Simulation(spec)
    for _ in simulation.run():
        pass
    row = 4 * simulation.fleet.layout.parameters
    memory = simulation.recorder.ledger().memory.to_pandas()
    held = memory[memory["node"] == 1].set_index("category")["bytes"]
    assert held["optimizer"] == optimizer_rows * row
    push_sum_weight = 4 if algorithm["kind"] in ("sgp", "sparse-push") else 0
    assert held["algorithm"] == algorithm_rows * row + push_sum_weight
    assert held["peak"] > held["parameters"] + held["gradients"] + held["optimizer"] + held["algorithm"]


def test_different_messages_to_different_neighbours_are_counted_one_by_one(spec_of):
    edges = [[t, i, (i + d) % 4] for t in range(2) for i in range(4) for d in ((1, 3) if t == 0 else (2,))]
    choco = {"kind": "choco-sgd", "compressor": TOP_K, "gamma": 0.1}
    spec = spec_of(rounds=2, algorithm=choco, topology={"kind": "file", "edges": edges})
    simulation = Simulation(spec)
    for _ in simulation.run():
        pass
    messages = simulation.recorder.ledger().messages.to_pandas()
    first = messages[messages["round"] == 0]
    assert first.groupby("sender")["content"].nunique().tolist() == [2, 2, 2, 2]
    assert len(messages) == 4 * 2 + 4
