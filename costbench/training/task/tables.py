"""Two classes from rows of categorical fields.

Shapes: B batch, F fields, n samples.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from costbench.errors import InputError
from costbench.spec import RunSpec
from costbench.training import models
from costbench.training.data import Tables
from costbench.training.nodes import Batch
from costbench.training.task.metrics import of_two_classes
from costbench.training.task.task import Task

EVALUATION_BATCH = 4096


class TableTask(Task):
    """Binary classification of ids int64 [B, F], with one part of the training rows on every node."""

    def __init__(self, spec: RunSpec, tables: Tables, file: str = "spec"):
        if spec.task.augment:
            raise InputError(file, "task.augment", True, f"false: {tables.name} holds no images to augment")
        super().__init__(spec, tables, tables.train_fields, file)
        self.tables = tables

    def _model(self) -> nn.Module:
        shape = (len(self.tables.fields),)
        return models.build(self.spec.task.model, shape, 1, self.tables.vocabulary, self.file)

    def batch(self, node: int, step: int) -> Batch:
        """What the node draws at a step: a pure function of seed, node and step."""
        chosen = self._samplers[node].indices(step)
        ids, labels = self.tables.train_ids[chosen], self.tables.train_labels[chosen]
        return Batch(torch.from_numpy(ids), torch.from_numpy(labels))

    def test_batches(self) -> Iterator[Batch]:
        """The whole test set in order."""
        ids, labels = torch.from_numpy(self.tables.test_ids), torch.from_numpy(self.tables.test_labels)
        for pair in zip(ids.split(EVALUATION_BATCH), labels.split(EVALUATION_BATCH), strict=True):
            yield Batch(*pair)

    def loss(self, outputs: Tensor, labels: Tensor) -> Tensor:
        """Mean log-loss, a scalar, of logits [B] and labels int64 [B]."""
        return F.binary_cross_entropy_with_logits(outputs, labels.to(outputs.dtype))

    def metrics(self, outputs: Tensor, labels: Tensor) -> dict[str, float]:
        """test_auc, test_accuracy and test_loss of logits [n] and labels int64 [n] of the whole test set."""
        return of_two_classes(outputs, labels)
