"""What a message carries: a vector over a node's D parameters, dense, sparse, quantised or a block of it.

Every kind has `elements`, the numbers it carries; `scaled(factor)`, a vector of the same kind;
`add_to(y_D, factor)`, which adds factor times the vector to y in place; and `dense()`, float32 [D].

Shapes: D parameters, K kept entries, L entries of a block, T parameter tensors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import torch
from torch import Tensor


def spread(x_T: Tensor, lengths_T: Tensor, parameters: int) -> Tensor:
    """One number of every tensor, repeated for every entry of it: [T] to [D]."""
    return x_T.repeat_interleave(lengths_T, output_size=parameters)


@dataclass(frozen=True)
class Dense:
    """All D entries: float32 [D]."""

    entries: Tensor

    @property
    def elements(self) -> int:
        return self.entries.numel()

    def scaled(self, factor: float) -> Dense:
        return Dense(self.entries * factor)

    def add_to(self, y_D: Tensor, factor: float = 1.0) -> None:
        """y += factor * self, in place."""
        y_D.add_(self.entries, alpha=factor)

    def dense(self) -> Tensor:
        return self.entries


@dataclass(frozen=True)
class Sparse:
    """K of D entries: their positions int64 [K], ascending, and the entries float32 [K]."""

    index: Tensor
    entries: Tensor
    numel: int

    @property
    def elements(self) -> int:
        return self.entries.numel()

    def scaled(self, factor: float) -> Self:
        return replace(self, entries=self.entries * factor)

    def add_to(self, y_D: Tensor, factor: float = 1.0) -> None:
        """y += factor * self, in place; exactly 0 where y holds the entries themselves and factor is -1."""
        y_D.index_add_(0, self.index, self.entries, alpha=factor)

    def dense(self) -> Tensor:
        y_D = torch.zeros(self.numel, dtype=self.entries.dtype, device=self.entries.device)
        return y_D.scatter_(0, self.index, self.entries)


@dataclass(frozen=True)
class Seeded(Sparse):
    """A sparse vector whose positions follow from a seed, a non-negative integer below 2^32."""

    seed: int


@dataclass(frozen=True)
class Block:
    """The L entries from position `start` on, float32 [L], of a vector of `numel`; 0 everywhere else."""

    start: int
    entries: Tensor
    numel: int

    @property
    def elements(self) -> int:
        return self.entries.numel()

    def scaled(self, factor: float) -> Block:
        return replace(self, entries=self.entries * factor)

    def add_to(self, y_D: Tensor, factor: float = 1.0) -> None:
        """y += factor * self, in place."""
        self._inside(y_D).add_(self.entries, alpha=factor)

    def dense(self) -> Tensor:
        y_D = torch.zeros(self.numel, dtype=self.entries.dtype, device=self.entries.device)
        self._inside(y_D).copy_(self.entries)
        return y_D

    def _inside(self, y_D: Tensor) -> Tensor:
        return y_D[self.start : self.start + self.elements]


@dataclass(frozen=True)
class _Quantised:
    """What quantised vectors share: a float32 scale [T] of every tensor, and its length, int64 [T]."""

    scale: Tensor
    lengths: Tensor

    @property
    def elements(self) -> int:
        raise NotImplementedError

    def dense(self) -> Tensor:
        raise NotImplementedError

    def scaled(self, factor: float) -> Self:
        return replace(self, scale=self.scale * factor)

    def add_to(self, y_D: Tensor, factor: float = 1.0) -> None:
        """y += factor * self, in place."""
        y_D.add_(self.dense(), alpha=factor)

    def _scale_of_entries(self) -> Tensor:
        return spread(self.scale, self.lengths, self.elements)


@dataclass(frozen=True)
class Signs(_Quantised):
    """Plus or minus the scale of the tensor: bool [D], true where the entry is minus the scale."""

    negative: Tensor

    @property
    def elements(self) -> int:
        return self.negative.numel()

    def dense(self) -> Tensor:
        scale_D = self._scale_of_entries()
        return torch.where(self.negative, -scale_D, scale_D)


@dataclass(frozen=True)
class Levels(_Quantised):
    """Whole multiples of the scale of the tensor: int16 [D], from -s to s for s levels."""

    multiples: Tensor

    @property
    def elements(self) -> int:
        return self.multiples.numel()

    def dense(self) -> Tensor:
        return self._scale_of_entries() * self.multiples


Vector = Dense | Sparse | Seeded | Block | Signs | Levels
