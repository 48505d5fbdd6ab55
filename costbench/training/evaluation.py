"""Test metrics of every node's model and of their average; consensus distance."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import deepcopy

import torch
from torch import Tensor, nn

from costbench.errors import Diverged
from costbench.training.nodes import Batch, Fleet, Node
from costbench.training.recorder import Recorder

Metrics = Callable[[Tensor, Tensor], dict[str, float]]
"""Metrics by name of all outputs and all labels of the test set."""


def evaluate(
    fleet: Fleet, batches: list[Batch], metrics: Metrics, recorder: Recorder, t: int, each: Callable
) -> None:
    """Record the metrics of the state after t rounds; `each` maps a function over all nodes.

    Raises
    ------
    Diverged : a node's test loss is not a number
    """
    scores = each(lambda node: score(node.model, batches, metrics))
    for node, of_node in zip(fleet.nodes, scores, strict=True):
        if math.isnan(of_node["test_loss"]):
            raise diverged("test loss", of_node["test_loss"], node.index, t - 1)
        for metric, measured in of_node.items():
            recorder.metric(t, node.index, "test", metric, measured)
        recorder.metric(t, node.index, "train", "train_loss", float(node.loss))
    of_mean = score(mean_model(fleet.nodes, fleet.model_rows), batches, metrics)
    for metric, measured in of_mean.items():
        recorder.metric(t, None, "test", metric, _mean([of_node[metric] for of_node in scores]))
        recorder.metric(t, None, "test-of-mean", metric, measured)
    distance = consensus_distance(fleet.model_rows)
    norm = float(fleet.model_rows.mean(dim=0).norm())
    recorder.metric(t, None, "state", "consensus_distance", distance)
    recorder.metric(t, None, "state", "relative_consensus_distance", distance / norm)


def diverged(what: str, found: float, node: int, t: int) -> Diverged:
    """The error of a loss that is not finite."""
    return Diverged(
        f"training diverged: the {what} of node {node} became {found} in round {t}; the run is not sealed. "
        "Try a smaller optimizer.lr or algorithm.gamma"
    )


def score(model: nn.Module, batches: list[Batch], metrics: Metrics) -> dict[str, float]:
    """The metrics over all batches, with the model in evaluation mode."""
    was_training = model.training
    model.eval()
    with torch.no_grad():
        outputs = torch.cat([model(batch.inputs) for batch in batches])
    model.train(was_training)
    return metrics(outputs, torch.cat([batch.labels for batch in batches]))


def consensus_distance(rows: Tensor) -> float:
    """Root mean square distance of the nodes' parameters [N, D] to their mean: sqrt(mean ||x_i - x||^2)."""
    return float((rows - rows.mean(dim=0)).square().sum(dim=1).mean().sqrt())


def mean_model(nodes: list[Node], rows: Tensor) -> nn.Module:
    """A model with the mean of all parameters and of all BatchNorm statistics."""
    alone = nodes[0].alone()
    alone.rows[alone.model_row].copy_(rows.mean(dim=0))
    model = deepcopy(alone.model)
    for name, buffer in model.named_buffers():
        if buffer.is_floating_point():
            buffer.copy_(torch.stack([node.model.get_buffer(name) for node in nodes]).mean(dim=0))
    return model


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers)
