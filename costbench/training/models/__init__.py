"""The models that a spec can name. All take float32 [B, C, 32, 32] and return logits [B, classes]."""

from __future__ import annotations

from torch import nn

from costbench.spec import LeNet as LeNetSpec
from costbench.spec import ResNet20
from costbench.training.models.lenet import LeNet
from costbench.training.models.resnet import ResNet

IMAGE_SIDE = 32


def build(model: ResNet20 | LeNetSpec, channels: int, classes: int) -> nn.Module:
    """The model that the spec asks for, freshly initialised from torch's global generator."""
    if isinstance(model, ResNet20):
        return ResNet(3, channels, classes, model.shortcut, model.norm)
    return LeNet(channels, classes, model.norm)
