"""The local steps and their learning rates."""

import math

import numpy as np
import pytest
import torch
from toys import given_gradients, rounds_only, rows_of

from costbench.spec import Optimizer
from costbench.training.optimizers import Schedule
from costbench.training.simulate import Simulation


def rates(rounds_per_epoch=10, training_rounds=100, **settings):
    schedule = Schedule(Optimizer(lr=1.0, **settings), rounds_per_epoch, training_rounds)
    return [schedule(t) for t in range(training_rounds)]


def test_a_flat_warm_up_is_a_tenth_and_then_all():
    lr = rates(warmup_epochs=2)
    assert lr[:20] == [0.1] * 20 and lr[20:] == [1.0] * 80


def test_a_linear_warm_up_rises_from_a_tenth():
    lr = rates(warmup_epochs=2, warmup="linear")
    # 0.1 + 0.9 x t / 20
    assert lr[0] == pytest.approx(0.1) and lr[10] == pytest.approx(0.55) and lr[20] == 1.0


def test_every_milestone_that_has_passed_multiplies():
    lr = rates(milestones={3: 0.5, 6: 0.1})
    assert lr[29] == 1.0 and lr[30] == 0.5 and lr[60] == pytest.approx(0.05)


def test_a_cosine_falls_to_zero_over_the_training_rounds():
    lr = rates(schedule="cosine")
    assert lr[0] == 1.0 and lr[50] == pytest.approx(0.5)
    assert lr[99] == pytest.approx((1 + math.cos(0.99 * math.pi)) / 2)


@pytest.mark.parametrize("nesterov", [False, True])
def test_a_node_alone_steps_like_torchs_sgd(spec_of, nesterov):
    settings = {"momentum": 0.9, "nesterov": nesterov, "weight_decay": 0.01}
    spec = spec_of(
        nodes=1,
        rounds=5,
        algorithm={"kind": "d-psgd"},
        topology={"kind": "ring"},
        optimizer={"lr": 0.1, **settings},
    )
    simulation = Simulation(spec)
    (gradients,) = given_gradients(simulation)
    parameter = torch.nn.Parameter(simulation.fleet.stacked["x"][0].clone())
    sgd = torch.optim.SGD([parameter], lr=0.1, **settings)
    for gradient in gradients:
        parameter.grad = torch.from_numpy(gradient).float()
        sgd.step()
    rounds_only(simulation)
    np.testing.assert_allclose(rows_of(simulation)[0], parameter.detach().numpy(), rtol=0, atol=1e-6)
