"""What a device holds in a round: optimizer state apart, tied tables once, each node for itself."""

import pytest
import torch
from test_counting import measure
from test_tied import BATCH, TiedModel
from torch import nn
from torch.nn import functional as F

from costbench.training.counters.memory import MemoryCounter
from costbench.training.counters.phases import phase
from costbench.training.models.resnet import ResNet
from costbench.training.nodes import Buffer, Fleet
from costbench.training.simulate import Simulation

RING = {"algorithm": {"kind": "d-psgd"}, "topology": {"kind": "ring"}}


def row_bytes(simulation):
    return 4 * simulation.fleet.layout.parameters


def test_adams_state_is_two_rows_and_its_temporaries_are_workspace(spec_of):
    spec = spec_of(
        algorithm={"kind": "d-adam"}, topology={"kind": "ring"}, optimizer={"lr": 0.01, "momentum": 0.0}
    )
    simulation = Simulation(spec)
    held = measure(simulation).bytes_of
    assert held["optimizer"] == 2 * row_bytes(simulation)
    # the root of v, one row, is there while the step runs
    assert held["workspace"] >= row_bytes(simulation)


def test_torchs_adam_holds_two_moments_and_a_step_for_each_tensor():
    layer = nn.Linear(20, 10)
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.1, foreach=False)
    for parameter in layer.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimizer.step()
    with MemoryCounter() as counter, phase("optimizer"):
        counter.hold("parameters", *layer.parameters())
        counter.hold("optimizer", *optimizer.state.values())
        optimizer.step()
    # 210 parameters: two moments of 840 bytes, two steps of 4
    assert counter.peak_of["optimizer"] == 2 * 840 + 2 * 4
    # of the larger tensor, 800 bytes: the root of v, and that divided by its correction
    assert counter.peak_of["workspace"] == 2 * 800


def gradient_bytes(tied):
    """Bytes of parameters and gradients of a node, by category."""
    fleet = Fleet(TiedModel(tied), 2, {"x": Buffer("parameters", "parameters")}, "x", F.cross_entropy)
    node, counter = fleet.nodes[0].alone(), MemoryCounter()
    for name, row in node.rows.items():
        counter.hold(fleet.buffers[name].category, row)
    counter.hold("parameters", *node.model.parameters())
    with counter:
        node.gradient(BATCH)
    return counter.peak_of["parameters"], counter.peak_of["gradients"]


def test_a_tied_table_is_held_once():
    # 7 words x 5 numbers x 4 bytes
    assert gradient_bytes(tied=True) == (140, 140)
    assert gradient_bytes(tied=False) == (280, 280)


@pytest.fixture
def sixteen(spec_of):
    return Simulation(spec_of(nodes=16, rounds=1, **RING))


def test_each_of_16_nodes_has_the_figures_of_that_node_alone(sixteen, spec_of):
    for _ in sixteen.run():
        pass
    table = sixteen.recorder.ledger().memory.to_pandas()
    apart = Simulation(spec_of(nodes=16, rounds=1, **RING))
    for i in (0, 7, 15):
        alone = measure(apart, i).bytes_of
        held = table[table["node"] == i].set_index("category")["bytes"].to_dict()
        assert {name: alone.get(name, 0) for name in held} == held


def test_a_node_of_16_holds_and_computes_what_a_node_of_4_does(sixteen, spec_of):
    # both have two neighbours
    four = Simulation(spec_of(nodes=4, rounds=1, **RING))
    assert measure(sixteen, 5) == measure(four, 2)


def on_gpu(model, x):
    """Peak bytes of a training step on the GPU, by our counter, and by torch's allocator."""
    block = 512
    for _ in range(2):  # what libraries allocate once and keep is there before
        F.cross_entropy(model(x), torch.zeros(len(x), dtype=torch.int64, device="cuda")).backward()
        model.zero_grad(set_to_none=True)
    labels = torch.zeros(len(x), dtype=torch.int64, device="cuda")
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    with MemoryCounter(block) as counter:
        F.cross_entropy(model(x), labels).backward()
    torch.cuda.synchronize()
    return counter.peak, torch.cuda.max_memory_allocated() - before


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU to compare with")
def test_the_peak_of_a_perceptron_is_that_of_torchs_allocator():
    # matrix products need no memory of their own beyond the library's, which is there before
    layers = nn.Sequential(nn.Flatten(), nn.Linear(3072, 256), nn.ReLU(), nn.Linear(256, 10)).cuda()
    ours, torchs = on_gpu(layers, torch.randn(64, 3, 32, 32, device="cuda"))
    assert ours <= torchs <= ours + 16 * 512


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU to compare with")
def test_the_peak_of_a_resnet_is_that_of_torchs_allocator_but_for_convolutions(monkeypatch):
    # without cuDNN convolutions unfold one image at a time into a buffer: at most 64 x 9 numbers a position
    monkeypatch.setattr(torch.backends.cudnn, "enabled", False)
    model = ResNet(3, 3, 10, "A", "batch").cuda()
    ours, torchs = on_gpu(model, torch.randn(32, 3, 32, 32, device="cuda"))
    inside = 4 * 64 * 9 * 32 * 32
    assert ours <= torchs <= ours + 2 * inside
