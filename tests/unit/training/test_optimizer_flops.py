"""Optimizer steps: by hand, an element of the parameters, whichever way torch runs them."""

import pytest
import torch
from counts import flop_of
from torch import nn
from torch.optim import SGD, Adagrad, Adam, AdamW

TENSORS, D = 4, 4 * 5 + 5 + 5 * 2 + 2


def second_step(kind, **settings):
    """FLOP of the second step, in which the states are there."""
    layers = nn.Sequential(nn.Linear(4, 5), nn.Linear(5, 2))
    for parameter in layers.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimizer = kind(layers.parameters(), lr=0.1, **settings)
    optimizer.step()
    return flop_of(optimizer.step)


LISTS = pytest.mark.parametrize("lists", [False, True], ids=["tensor by tensor", "foreach"])
MOMENTUM = {"momentum": 0.9}


@LISTS
@pytest.mark.parametrize(
    ("settings", "an_element"),
    [
        ({}, 2),  # x -= lr g
        ({"weight_decay": 0.1}, 2 + 2),  # g + wd x
        (MOMENTUM, 2 + 2),  # mu m + g
        ({**MOMENTUM, "dampening": 0.1}, 2 + 3),  # mu m + (1 - dampening) g
        ({**MOMENTUM, "nesterov": True}, 2 + 2 + 2),  # g + mu m
    ],
)
def test_sgd_by_hand(settings, an_element, lists):
    assert second_step(SGD, **settings, foreach=lists) == an_element * D
    assert second_step(SGD, **settings, fused=True) == an_element * D


# m + (1 - b1) (g - m): 3; b2 v + (1 - b2) g g: 1 + 3; root 1, correction 1, + epsilon 1; x - lr m / root: 3
ADAM = 13


@LISTS
@pytest.mark.parametrize(
    ("kind", "settings", "an_element"),
    [
        (Adam, {}, ADAM),
        (Adam, {"weight_decay": 0.1}, ADAM + 2),  # g + wd x
        (Adam, {"amsgrad": True}, ADAM + 1),  # the larger of two
        (AdamW, {"weight_decay": 0.1}, ADAM + 1),  # (1 - lr wd) x
    ],
)
def test_adam_by_hand(kind, settings, an_element, lists):
    # every tensor counts its steps: + 1 each
    assert second_step(kind, **settings, foreach=lists) == an_element * D + TENSORS
    assert second_step(kind, **settings, fused=True) == an_element * D + TENSORS


def test_adagrad_by_hand():
    # s + g g: 2; root 1, + epsilon 1; x - lr g / root: 3
    assert second_step(Adagrad, foreach=False) == second_step(Adagrad, fused=True) == 7 * D + TENSORS


def test_clipping_gradients_is_counted():
    gradients = [torch.ones(5), torch.ones(7)]
    parameters = [nn.Parameter(torch.zeros_like(g)) for g in gradients]
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient
    # norms 2 x 12, of the two norms 2 x 2; + epsilon, divide, times, clamp: 4; scale 12
    assert flop_of(lambda: nn.utils.clip_grad_norm_(parameters, 1.0)) == 24 + 4 + 4 + 12
