"""Dropout that draws from a generator of its own.

torch's own layer draws from one generator a process, so with several nodes in several threads its masks would
depend on which node comes first.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn


class Dropout(nn.Module):
    """While training, set each entry to 0 with probability `share` and scale the others by 1 / (1 - share).

    Source: Srivastava et al., "Dropout", 2014, in its inverted form. Copies of a model that are not seeded
    apart (`seed_dropout`) draw the same masks.
    """

    def __init__(self, share: float):
        super().__init__()
        self.share = share
        self.generator = torch.Generator()

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.share == 0:
            return x
        kept = torch.rand(x.shape, generator=self.generator) >= self.share
        return x * kept / (1 - self.share)


def seed_dropout(model: nn.Module, generator: np.random.Generator) -> None:
    """Seed every dropout layer of a model; the same `generator` state gives the same masks.

    For masks that depend on seed, node and step alone, seed a node's model before each of its steps.
    """
    for module in model.modules():
        if isinstance(module, Dropout):
            module.generator.manual_seed(int(generator.integers(2**63)))


def with_own_generators(model: nn.Module) -> nn.Module:
    """The model with each of torch's dropout layers (nn.Dropout) replaced by one of ours."""
    if isinstance(model, nn.Dropout):
        return Dropout(model.p)
    for name, child in model.named_children():
        if isinstance(child, nn.Dropout):
            setattr(model, name, Dropout(child.p))
        else:
            with_own_generators(child)
    return model
