"""Simulations on which an algorithm's equations can be checked: no gradient, given ones, or quadratics."""

import torch

from costbench.training.simulate import Simulation

STILL = {"lr": 0.1, "momentum": 0.0, "weight_decay": 0.0}


def run(simulation):
    for _ in simulation.run():
        pass
    return simulation


def rounds_only(simulation):
    """All rounds, without counting and evaluation."""
    simulation._count = lambda *_: None
    simulation._evaluate = lambda: None
    return run(simulation)


def scattered(spec, seed=0):
    """A simulation in which every node has parameters of its own, and no gradient."""
    simulation = Simulation(spec)
    rows = simulation.fleet.stacked["x"]
    rows.copy_(torch.randn(rows.shape, generator=torch.Generator().manual_seed(seed)))
    for node in simulation.fleet.nodes:
        node.gradient = lambda batch, node=node: node.g.zero_()
    return simulation


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


def quadratic(simulation, centres_ND):
    """F_i(x) = |x - c_i|^2 / 2 at the model's row: the optimum of the mean is the mean of the centres."""
    row = simulation.algorithm.model_row
    for node in simulation.fleet.nodes:
        centre = centres_ND[node.index]
        node.gradient = lambda batch, node=node, c=centre: torch.sub(node.rows[row], c, out=node.g)
    return simulation


def rows_of(simulation, name="x"):
    return simulation.fleet.stacked[name].double().numpy().copy()
