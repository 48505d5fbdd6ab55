"""Test accuracy and loss of every node's model and of their average; consensus distance."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from costbench.training.nodes import Batch, Fleet, Node
from costbench.training.recorder import Recorder


def evaluate(fleet: Fleet, batches: list[Batch], recorder: Recorder, t: int, each: Callable) -> None:
    """Record the metrics of the state after t rounds; `each` maps a function over all nodes."""
    scores = each(lambda node: score(node.model, batches))
    for node, (accuracy, loss) in zip(fleet.nodes, scores, strict=True):
        recorder.metric(t, node.index, "test", "test_accuracy", accuracy)
        recorder.metric(t, node.index, "test", "test_loss", loss)
        recorder.metric(t, node.index, "train", "train_loss", float(node.loss))
    mean_accuracy, mean_loss = score(mean_model(fleet.nodes, fleet.model_rows), batches)
    fleet_metrics = {
        ("test", "test_accuracy"): _mean([accuracy for accuracy, _ in scores]),
        ("test", "test_loss"): _mean([loss for _, loss in scores]),
        ("test-of-mean", "test_accuracy"): mean_accuracy,
        ("test-of-mean", "test_loss"): mean_loss,
        ("state", "consensus_distance"): consensus_distance(fleet.model_rows),
        ("state", "relative_consensus_distance"): consensus_distance(fleet.model_rows)
        / float(fleet.model_rows.mean(dim=0).norm()),
    }
    for (split, metric), measured in fleet_metrics.items():
        recorder.metric(t, None, split, metric, measured)


def score(model: nn.Module, batches: list[Batch]) -> tuple[float, float]:
    """Accuracy and mean cross-entropy over all batches, with the model in evaluation mode."""
    was_training = model.training
    model.eval()
    correct, loss, samples = 0, 0.0, 0
    with torch.no_grad():
        for batch in batches:
            logits = model(batch.images)
            correct += int((logits.argmax(dim=1) == batch.labels).sum())
            loss += float(F.cross_entropy(logits, batch.labels, reduction="sum"))
            samples += len(batch.labels)
    model.train(was_training)
    return correct / samples, loss / samples


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
