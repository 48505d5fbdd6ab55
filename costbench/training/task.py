"""The learning task of a run: images on every node, batches, and the test set.

Shapes: N nodes, B batch, C channels, H rows, W columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from costbench.spec import RunSpec
from costbench.training import models
from costbench.training.data import Images, channel_statistics, load
from costbench.training.nodes import Batch
from costbench.training.partition import Sampler, describe, partition
from costbench.training.randomness import Purpose, random_generator

EVALUATION_BATCH = 50
CROP_MARGIN = 4


class ImageTask:
    """Image classification with one part of the training images on every node.

    Parameters
    ----------
    spec : the run's spec
    file : name under which an error refers to the spec
    """

    def __init__(self, spec: RunSpec, file: str = "spec"):
        self.spec = spec
        self.images: Images = load(spec.task.dataset)
        labels = self.images.train_labels
        self.parts = partition(
            labels, spec.nodes, seed=spec.seed, file=file, **spec.task.partition.model_dump()
        )
        self.partition_report: dict[str, Any] = describe(self.parts, labels)
        self._samplers = [
            Sampler(part, spec.task.batch, spec.seed, node) for node, part in enumerate(self.parts)
        ]
        mean, std = channel_statistics(self.images)
        self._mean = torch.tensor(mean, dtype=torch.float32).view(1, -1, 1, 1)
        self._std = torch.tensor(std, dtype=torch.float32).view(1, -1, 1, 1)

    @property
    def rounds_per_epoch(self) -> float:
        """Rounds in which all nodes together draw as many samples as there are."""
        return len(self.images.train_labels) / (self.spec.nodes * self.spec.task.batch)

    def model(self) -> nn.Module:
        """The model that all nodes start from; the same for the same seed."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.spec.seed)
            channels = self.images.train_images.shape[1]
            return models.build(self.spec.task.model, channels, self.images.classes)

    def batch(self, node: int, step: int) -> Batch:
        """What the node draws at a step: a pure function of seed, node and step."""
        chosen = self._samplers[node].indices(step)
        images = self._prepared(self.images.train_images[chosen])
        if self.spec.task.augment:
            generator = random_generator(self.spec.seed, Purpose.AUGMENTATION, node, step)
            images = _augmented(images, generator)
        return Batch(images, torch.from_numpy(self.images.train_labels[chosen]))

    def test_batches(self) -> Iterator[Batch]:
        """The whole test set in order."""
        for start in range(0, len(self.images.test_labels), EVALUATION_BATCH):
            part = slice(start, start + EVALUATION_BATCH)
            yield Batch(
                self._prepared(self.images.test_images[part]),
                torch.from_numpy(self.images.test_labels[part]),
            )

    def _prepared(self, pixels: np.ndarray) -> Tensor:
        """uint8 [B, C, H, W] to normalised float32 [B, C, 32, 32], channels last, zero-padded around."""
        scaled = torch.from_numpy(pixels).float().div_(255).sub_(self._mean).div_(self._std)
        margin = (models.IMAGE_SIDE - scaled.shape[-1]) // 2
        padded = F.pad(scaled, (margin,) * 4) if margin else scaled
        return padded.contiguous(memory_format=torch.channels_last)


def _augmented(images: Tensor, generator: np.random.Generator) -> Tensor:
    """Random crop after padding by 4 pixels, and horizontal flip, each image on its own."""
    batch, _, side, _ = images.shape
    padded = F.pad(images, (CROP_MARGIN,) * 4)
    rows, columns = torch.from_numpy(generator.integers(0, 2 * CROP_MARGIN + 1, size=(2, batch)))
    across = torch.arange(side)
    backwards = torch.from_numpy(generator.random(batch) < 0.5)[:, None]
    within = torch.where(backwards, side - 1 - across, across)
    at_rows = (rows[:, None] + across)[:, :, None]
    at_columns = (columns[:, None] + within)[:, None, :]
    cropped = padded.permute(0, 2, 3, 1)[torch.arange(batch)[:, None, None], at_rows, at_columns]
    return cropped.permute(0, 3, 1, 2)
