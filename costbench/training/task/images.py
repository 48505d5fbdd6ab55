"""Classification of images.

Shapes: B batch, C channels, H rows, W columns, n samples, K classes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from costbench.spec import Mlp, RunSpec
from costbench.training import models
from costbench.training.data import Images, channel_statistics
from costbench.training.nodes import Batch
from costbench.training.randomness import Purpose, random_generator
from costbench.training.task.metrics import of_classes
from costbench.training.task.task import Task

EVALUATION_BATCH = 50
CROP_MARGIN = 4


class ImageTask(Task):
    """Image classification with one part of the training images on every node."""

    def __init__(self, spec: RunSpec, images: Images, file: str = "spec"):
        super().__init__(spec, images, {}, file)
        self.images = images
        self.shape = models.image_shape(spec.task.model, images.train_images.shape[1:], file)
        self._layout = torch.channels_last
        if isinstance(spec.task.model, Mlp):
            self._layout = torch.contiguous_format
        mean, std = channel_statistics(images)
        self._mean = torch.tensor(mean, dtype=torch.float32).view(1, -1, 1, 1)
        self._std = torch.tensor(std, dtype=torch.float32).view(1, -1, 1, 1)

    def _model(self) -> nn.Module:
        return models.build(self.spec.task.model, self.shape, self.images.classes, file=self.file)

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

    def loss(self, outputs: Tensor, labels: Tensor) -> Tensor:
        """Mean cross-entropy, a scalar, of logits [B, K] and labels int64 [B]."""
        return F.cross_entropy(outputs, labels)

    def metrics(self, outputs: Tensor, labels: Tensor) -> dict[str, float]:
        """test_accuracy and test_loss of logits [n, K] and labels int64 [n] of the whole test set."""
        return of_classes(outputs, labels)

    def _prepared(self, pixels: np.ndarray) -> Tensor:
        """uint8 [B, C, H, W] to float32 of the model's shape, normalised, zero-padded around."""
        scaled = torch.from_numpy(pixels).float().div_(255).sub_(self._mean).div_(self._std)
        padded = F.pad(scaled, _margins(scaled.shape[2:], self.shape[1:]))
        return padded.contiguous(memory_format=self._layout)


def _margins(inner: tuple[int, ...], outer: tuple[int, ...]) -> list[int]:
    """Columns to add left and right, rows to add above and below; an odd one goes right or below."""
    margins = []
    for have, want in zip(reversed(inner), reversed(outer), strict=True):
        before = (want - have) // 2
        margins += [before, want - have - before]
    return margins


def _augmented(images: Tensor, generator: np.random.Generator) -> Tensor:
    """Random crop after padding by 4 pixels, and horizontal flip, each image on its own."""
    batch, _, height, width = images.shape
    padded = F.pad(images, (CROP_MARGIN,) * 4)
    rows, columns = torch.from_numpy(generator.integers(0, 2 * CROP_MARGIN + 1, size=(2, batch)))
    down, across = torch.arange(height), torch.arange(width)
    backwards = torch.from_numpy(generator.random(batch) < 0.5)[:, None]
    within = torch.where(backwards, width - 1 - across, across)
    at_rows = (rows[:, None] + down)[:, :, None]
    at_columns = (columns[:, None] + within)[:, None, :]
    cropped = padded.permute(0, 2, 3, 1)[torch.arange(batch)[:, None, None], at_rows, at_columns]
    return cropped.permute(0, 3, 1, 2)
