"""Counting a step changes nothing that a later step could notice, and three counts of it are equal."""

import random

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from costbench import spec
from costbench.training import models
from costbench.training.algorithms.algorithm import Algorithm, Local
from costbench.training.counters.device import measure_round
from costbench.training.nodes import Batch, Fleet
from costbench.training.optimizers import Schedule
from costbench.training.optimizers.sgd import Sgd

NORMS = ("none", "batch", "group", "evonorm-s0")
IMAGES = [
    spec.Mlp(kind="mlp"),
    spec.ResNet(kind="resnet20", shortcut="B"),
    *(spec.ResNet(kind="resnet8", norm=norm) for norm in NORMS[1:]),
    *(spec.LeNet(kind="lenet", norm=norm) for norm in NORMS),
    *(spec.Vgg11(kind="vgg11", norm=norm, dropout=0.5) for norm in NORMS),
]


def noisy():
    """A user's model that draws in training: torch's own dropout, and batch norm."""
    layers = nn.Flatten(), nn.Linear(3072, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 10)
    return nn.Sequential(*layers)


CASES = {" ".join(map(str, settings.model_dump().values())): settings for settings in IMAGES}
CASES |= {"deepfm": spec.DeepFm(kind="deepfm", dropout=0.2), "torch's dropout": None}


def model_and_batch(settings):
    torch.manual_seed(0)
    if isinstance(settings, spec.DeepFm):
        ids, labels = torch.tensor([[0, 0, 0], [3, 4, 5]]), torch.tensor([0.0, 1.0])
        model = models.build(settings, (3,), 1, (4, 5, 6))
        return model, Batch(ids, labels), F.binary_cross_entropy_with_logits
    model = noisy() if settings is None else models.build(settings, (3, 32, 32), 10)
    return model, Batch(torch.randn(2, 3, 32, 32), torch.tensor([0, 1])), F.cross_entropy


class OneStep(Algorithm):
    """A local step, and no exchange."""

    def round(self, node, local):
        self.local_step(node, local)
        yield from ()


def node_and_round(settings):
    """A node, and a function that measures its round."""
    model, batch, loss_of = model_and_batch(settings)
    model.to(memory_format=torch.channels_last)
    schedule = Schedule(spec.Optimizer(lr=0.1, momentum=0.9), 10, 10)
    algorithm = OneStep(Sgd(spec.Optimizer(lr=0.1, momentum=0.9), schedule))
    fleet = Fleet(model, 1, {**algorithm.buffers, **algorithm.optimizer.buffers}, "x", loss_of)
    (node,) = fleet.nodes
    local = Local(0, lambda: batch, 1.0, {}, 1, 2, 0)
    return node, lambda: measure_round(node, algorithm, local, None, fleet.buffers, [], [])


def everything(node):
    """All that a later step could notice."""
    tensors = {**node.rows, **node.model.state_dict()}
    tensors |= {f"gradient of {name}": p.grad for name, p in node.model.named_parameters()}
    generators = [torch.get_rng_state(), *(d.generator.get_state() for d in drawing(node.model))]
    modules = [(m.training, len(m._forward_hooks), len(m._backward_hooks)) for m in node.model.modules()]
    requires = [parameter.requires_grad for parameter in node.model.parameters()]
    return {
        "tensors": {name: tensor.clone() for name, tensor in tensors.items()},
        "generators": [generator.clone() for generator in generators],
        "numpy": [part.tolist() if isinstance(part, np.ndarray) else part for part in np.random.get_state()],
        "plain": (random.getstate(), modules, requires, list(map(id, node.model.parameters()))),
    }


def drawing(model):
    return [m for m in model.modules() if isinstance(getattr(m, "generator", None), torch.Generator)]


@pytest.mark.parametrize("case", CASES)
def test_three_counts_are_equal_and_leave_everything_as_it_was(case):
    node, measure = node_and_round(CASES[case])
    before, functions = everything(node), (torch.bmm, F.relu, F.linear, torch.Tensor.__matmul__)
    counts = [measure() for _ in range(3)]
    assert counts[0] == counts[1] == counts[2]
    assert not counts[0].uncounted
    after = everything(node)
    assert all(torch.equal(kept, after["tensors"][name]) for name, kept in before["tensors"].items())
    assert all(map(torch.equal, before["generators"], after["generators"]))
    assert before["numpy"] == after["numpy"] and before["plain"] == after["plain"]
    assert functions == (torch.bmm, F.relu, F.linear, torch.Tensor.__matmul__)


class Whimsical(nn.Linear):
    """A user's layer that draws from the global generators of numpy and Python."""

    def forward(self, x):
        return super().forward(x.flatten(1)) * (1 + np.random.rand() + random.random())


def test_generators_of_numpy_and_python_that_a_users_model_draws_from(monkeypatch):
    monkeypatch.setitem(CASES, "whimsical", "whimsical")
    monkeypatch.setattr(models, "build", lambda *_: Whimsical(3072, 10))
    test_three_counts_are_equal_and_leave_everything_as_it_was("whimsical")


@pytest.mark.parametrize("case", ["deepfm", "torch's dropout"])
def test_the_parts_of_a_count_add_up_to_the_whole(case):
    _, measure = node_and_round(CASES[case])
    counts = measure().counts
    whole = [sum(getattr(c, name) for c in counts.values()) for name in ("flop", "launches", "bytes_read")]
    parts = [
        sum(getattr(c, name) for (of, _), c in counts.items() if of == part)
        for name in ("flop", "launches", "bytes_read")
        for part in ("forward", "backward", "optimizer", "compress", "mix")
    ]
    assert [sum(parts[5 * k : 5 * k + 5]) for k in range(3)] == whole
    assert all(isinstance(number, int) for number in [*parts, *whole])
