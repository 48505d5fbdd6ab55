"""Multilayer perceptron on flattened images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import prod

from torch import nn

from costbench.training.models.dropout import Dropout


def hidden_layers(widths: Sequence[int], dropout: float = 0.0) -> Iterator[nn.Module]:
    """Linear layers from each width to the next, each with ReLU and, where asked for, dropout."""
    for before, after in pairwise(widths):
        yield nn.Linear(before, after)
        yield nn.ReLU()
        if dropout:
            yield Dropout(dropout)


class Mlp(nn.Sequential):
    """Linear layers with ReLU between them.

    Parameters
    ----------
    shape : C, H, W of an image
    classes : outputs
    hidden : units of each hidden layer
    """

    def __init__(self, shape: tuple[int, ...], classes: int, hidden: Sequence[int]):
        widths = [prod(shape), *hidden]
        super().__init__(nn.Flatten(), *hidden_layers(widths), nn.Linear(widths[-1], classes))
