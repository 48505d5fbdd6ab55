"""VGG11 for 32x32 images: Simonyan and Zisserman, "Very Deep Convolutional Networks", 2015, configuration A.

The convolutions are the paper's. After the fifth pooling one pixel of 512 channels is left, and the head is
that of Sparse-Push (arXiv 2102.05715; its first author's scripts): dropout, 512 units, ReLU, classes.
"""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor, nn

from costbench.training.models.dropout import Dropout
from costbench.training.models.norms import Norm, activation, norm

STAGES = ((64,), (128,), (256, 256), (512, 512), (512, 512))
"""Channels of the convolutions between two poolings."""


class Vgg11(nn.Module):
    """Eight 3x3 convolutions with biases in five stages, each ended by 2x2 max pooling, and the head.

    Parameters
    ----------
    channels : image channels
    classes : outputs
    kind : norm after each convolution: "none", "batch", "group" or "evonorm-s0" (8 groups)
    dropout : share of the 512 features that a training step sets to 0
    """

    def __init__(self, channels: int, classes: int, kind: Norm, dropout: float):
        super().__init__()
        self.features = nn.Sequential(*_features(channels, kind))
        self.head = nn.Sequential(
            Dropout(dropout), nn.Linear(512, 512), nn.ReLU(inplace=True), nn.Linear(512, classes)
        )
        self.apply(_initialise)

    def forward(self, x_BCHW: Tensor) -> Tensor:
        return self.head(self.features(x_BCHW).flatten(1))


def _features(channels: int, kind: Norm) -> Iterator[nn.Module]:
    for stage in STAGES:
        for width in stage:
            yield nn.Conv2d(channels, width, 3, padding=1)
            yield norm(kind, width)
            yield activation(kind, inplace=True)
            channels = width
        yield nn.MaxPool2d(2)


def _initialise(module: nn.Module) -> None:
    """He et al. 2015: normal weights of variance 2 / fan_in in every convolution, no bias at the start."""
    if isinstance(module, nn.Conv2d):
        nn.init.kaiming_normal_(module.weight)
        nn.init.zeros_(module.bias)  # type: ignore[arg-type]
