"""Normalisation of feature maps, and the activation that follows it.

Shapes: B batch, C channels, H rows, W columns, G groups, K channels a group.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

Norm = Literal["none", "batch", "group", "evonorm-s0"]
GROUPS = 8


class EvoNormS0(nn.Module):
    """x sigmoid(v x) / sqrt(var + eps) * gamma + beta: normalisation and activation in one.

    Source: Liu, Brock, Simonyan, Le, "Evolving Normalization-Activation Layers", 2020 (arXiv 2004.02967),
    table 2: EvoNorm-S0. The variance is that of all entries of a sample's group of channels, divided by their
    number. v, gamma and beta hold one number a channel and begin as 1, 1 and 0.

    Parameters
    ----------
    groups : groups of channels; they must divide the channels
    channels : C
    eps : added to the variance
    """

    def __init__(self, groups: int, channels: int, eps: float = 1e-5):
        super().__init__()
        self.groups, self.eps = groups, eps
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.v = nn.Parameter(torch.ones(channels))

    def forward(self, x_BCHW: Tensor) -> Tensor:
        gamma_CHW, beta_CHW, v_CHW = (p.view(-1, 1, 1) for p in (self.weight, self.bias, self.v))
        swish_BCHW = x_BCHW * torch.sigmoid(v_CHW * x_BCHW)
        variance_BGKHW = x_BCHW.unflatten(1, (self.groups, -1)).var((2, 3, 4), correction=0, keepdim=True)
        deviation_BGKHW = torch.sqrt(variance_BGKHW + self.eps)
        normal_BGKHW = swish_BCHW.unflatten(1, (self.groups, -1)) / deviation_BGKHW
        return normal_BGKHW.flatten(1, 2) * gamma_CHW + beta_CHW


def norm(kind: Norm, channels: int, groups: int = GROUPS) -> nn.Module:
    """The layer that normalises `channels` feature maps; EvoNorm-S0 also holds their activation."""
    if kind == "none":
        return nn.Identity()
    if kind == "batch":
        return nn.BatchNorm2d(channels)
    return nn.GroupNorm(groups, channels) if kind == "group" else EvoNormS0(groups, channels)


def linear_norm(kind: Norm, channels: int, groups: int = GROUPS) -> nn.Module:
    """The layer where no activation follows: EvoNorm-S0 has one inside, so its place takes group norm."""
    return norm("group" if kind == "evonorm-s0" else kind, channels, groups)


def activation(kind: Norm, inplace: bool = False) -> nn.Module:
    """The ReLU after the layer, or nothing where the layer is EvoNorm-S0."""
    return nn.Identity() if kind == "evonorm-s0" else nn.ReLU(inplace)
