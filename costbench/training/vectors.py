"""What a message carries: a dense or a sparse vector over a node's D parameters.

Shapes: D parameters, K kept entries.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


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
    """K of D entries: distinct positions int64 [K], tensor after tensor, and their entries float32 [K]."""

    index: Tensor
    entries: Tensor
    numel: int

    @property
    def elements(self) -> int:
        return self.entries.numel()

    def scaled(self, factor: float) -> Sparse:
        return Sparse(self.index, self.entries * factor, self.numel)

    def add_to(self, y_D: Tensor, factor: float = 1.0) -> None:
        """y += factor * self, in place."""
        y_D.index_add_(0, self.index, self.entries, alpha=factor)

    def dense(self) -> Tensor:
        y_D = torch.zeros(self.numel, dtype=self.entries.dtype, device=self.entries.device)
        return y_D.scatter_(0, self.index, self.entries)


Vector = Dense | Sparse
