"""What all tasks share: who holds which samples, and which of them are drawn at each step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from costbench.spec import RunSpec
from costbench.training.data import Images, Tables
from costbench.training.nodes import Batch
from costbench.training.partition import Sampler, describe, partition


class Task(ABC):
    """Data dealt to the nodes, a model to train on them, and how well it does.

    Parameters
    ----------
    spec : the run's spec
    dataset : the data that it names
    fields : entries [n] of the training samples by field, for a partition by field
    file : name under which an error refers to the spec

    Attributes
    ----------
    parts : the training samples of each node, int64 [m] each
    partition_report : what the partition looks like, ready for JSON
    """

    def __init__(
        self, spec: RunSpec, dataset: Images | Tables, fields: Mapping[str, Any], file: str = "spec"
    ):
        self.spec, self.file = spec, file
        self.dataset = dataset
        labels = dataset.train_labels
        settings = spec.task.partition.model_dump()
        self.parts = partition(labels, spec.nodes, seed=spec.seed, fields=fields, file=file, **settings)
        self.partition_report: dict[str, Any] = describe(self.parts, labels)
        self._samplers = [
            Sampler(part, spec.task.batch, spec.seed, node) for node, part in enumerate(self.parts)
        ]

    @property
    def rounds_per_epoch(self) -> float:
        """Rounds in which all nodes together draw as many samples as there are."""
        return len(self.dataset.train_labels) / (self.spec.nodes * self.spec.task.batch)

    def model(self) -> nn.Module:
        """The model that all nodes start from; the same for the same seed."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.spec.seed)
            return self._model()

    @abstractmethod
    def _model(self) -> nn.Module: ...

    @abstractmethod
    def batch(self, node: int, step: int) -> Batch:
        """What the node draws at a step: a pure function of seed, node and step."""

    @abstractmethod
    def test_batches(self) -> Iterator[Batch]:
        """The whole test set in order."""

    @abstractmethod
    def loss(self, outputs: Tensor, labels: Tensor) -> Tensor:
        """The mean loss, a scalar, of a batch's outputs and labels int64 [B]."""

    @abstractmethod
    def metrics(self, outputs: Tensor, labels: Tensor) -> dict[str, float]:
        """Metrics by name, from the outputs and labels of the whole test set."""
