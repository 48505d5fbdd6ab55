"""ResNet for small images: He et al., "Deep Residual Learning", 2016, section 4.2."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

from torch import Tensor, nn
from torch.nn import functional as F

from costbench.training.models.norms import Norm, activation, linear_norm, norm

Shortcut = Literal["A", "B"]


class _PadShortcut(nn.Module):
    """Option A: take every second pixel and pad the new channels with zeros; no parameters."""

    def __init__(self, added: int):
        super().__init__()
        self.added = added

    def forward(self, x_BCHW: Tensor) -> Tensor:
        before = self.added // 2
        return F.pad(x_BCHW[:, :, ::2, ::2], (0, 0, 0, 0, before, self.added - before))


def _projection(inputs: int, outputs: int, kind: Norm) -> nn.Module:
    """Option B: a strided 1x1 convolution."""
    return nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride=2, bias=False), linear_norm(kind, outputs))


class _Block(nn.Module):
    def __init__(self, inputs: int, outputs: int, shortcut: Shortcut, kind: Norm):
        super().__init__()
        narrows = inputs != outputs
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride=2 if narrows else 1, padding=1, bias=False)
        self.norm1 = norm(kind, outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.norm2 = norm(kind, outputs)
        self.activation = activation(kind, inplace=True)
        if not narrows:
            self.shortcut: nn.Module = nn.Identity()
        elif shortcut == "A":
            self.shortcut = _PadShortcut(outputs - inputs)
        else:
            self.shortcut = _projection(inputs, outputs, kind)

    def forward(self, x_BCHW: Tensor) -> Tensor:
        h_BCHW = self.activation(self.norm1(self.conv1(x_BCHW)))
        return self.activation(self.norm2(self.conv2(h_BCHW)) + self.shortcut(x_BCHW))


class ResNet(nn.Module):
    """A 3x3 convolution, three stages of 16, 32 and 64 channels, global pooling, a linear head.

    Parameters
    ----------
    blocks : residual blocks a stage; depth is 6 * blocks + 2
    channels : image channels
    classes : outputs
    shortcut : "A" (zero padding) or "B" (1x1 convolution) where the shape changes
    kind : "batch", "group" (8 groups), or "evonorm-s0" (8 groups; also in place of every ReLU, so none
        follows the addition at a block's end)
    """

    def __init__(self, blocks: int, channels: int, classes: int, shortcut: Shortcut, kind: Norm):
        super().__init__()
        self.conv = nn.Conv2d(channels, 16, 3, padding=1, bias=False)
        self.norm = norm(kind, 16)
        self.activation = activation(kind, inplace=True)
        widths = [16] * (blocks + 1) + [32] * blocks + [64] * blocks
        self.blocks = nn.Sequential(
            *(_Block(before, after, shortcut, kind) for before, after in pairwise(widths))
        )
        self.head = nn.Linear(64, classes)
        self.apply(_initialise)

    def forward(self, x_BCHW: Tensor) -> Tensor:
        h_BCHW = self.blocks(self.activation(self.norm(self.conv(x_BCHW))))
        return self.head(h_BCHW.mean(dim=(2, 3)))


def _initialise(module: nn.Module) -> None:
    """He et al. 2015: normal weights of variance 2 / fan_in in every convolution."""
    if isinstance(module, nn.Conv2d):
        nn.init.kaiming_normal_(module.weight)
