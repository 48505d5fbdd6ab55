"""How a model's parameters lie in a node's row of D numbers.

A convolution's weight [O, I, H, W] lies in memory as [O, H, W, I] (channels last), everything else
as it is; an entry's index inside its tensor is its place in that order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from torch import Tensor, nn


@dataclass(frozen=True)
class Layout:
    """Names and shapes of the parameter tensors, in the order in which they lie in a row."""

    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, model: nn.Module) -> Layout:
        named = list(model.named_parameters())
        return cls(tuple(name for name, _ in named), tuple(tuple(p.shape) for _, p in named))

    @property
    def numels(self) -> tuple[int, ...]:
        return tuple(_product(shape) for shape in self.shapes)

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """(start, stop) of every tensor in the row."""
        return list(pairwise(accumulate(self.numels, initial=0)))

    @property
    def parameters(self) -> int:
        """D, the length of a row."""
        return sum(self.numels)

    def views(self, row_D: Tensor) -> list[Tensor]:
        """The row as tensors of the model's shapes, sharing its memory."""
        return [
            _view(row_D[start:stop], shape)
            for (start, stop), shape in zip(self.bounds, self.shapes, strict=True)
        ]


def _view(part: Tensor, shape: tuple[int, ...]) -> Tensor:
    if len(shape) != 4:
        return part.view(shape)
    outputs, inputs, height, width = shape
    return part.view(outputs, height, width, inputs).permute(0, 3, 1, 2)


def _product(shape: Sequence[int]) -> int:
    numel = 1
    for length in shape:
        numel *= length
    return numel
