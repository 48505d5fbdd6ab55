"""Sparsifiers: k of the n entries of every tensor, or of the whole vector, are sent.

Shapes: D parameters, K kept entries.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Literal

import torch
from torch import Tensor

from costbench.training.compressors.compressor import Compressor
from costbench.training.compressors.selection import Largest
from costbench.training.counters.phases import phase
from costbench.training.layout import Layout
from costbench.training.values import TYPES
from costbench.training.vectors import Seeded, Sparse

Scope = Literal["tensor", "global"]


def kept(numel: int, keep: float) -> int:
    """Entries that a sparsifier keeps of n: max(1, int(numel * keep)), the rule of [SP]'s authors."""
    return max(1, int(numel * keep))


class Sparsifier(Compressor):
    """Keeps k of n entries.

    Parameters
    ----------
    layout : the parameter tensors
    keep : share of the entries that is kept
    scope : "tensor" keeps `kept(n, keep)` of every tensor of n entries, "global" `kept(D, keep)` of all D
    values : the type that the kept entries are rounded to, one of `costbench.training.values.TYPES`

    Attributes
    ----------
    numels, kept : n and k of every piece that is compressed on its own: the tensors, or one of D entries
    """

    def __init__(self, layout: Layout, keep: float, scope: Scope = "tensor", values: str = "float32"):
        self.numels = layout.numels if scope == "tensor" else (layout.parameters,)
        self.kept = [kept(numel, keep) for numel in self.numels]
        self.bounds = list(pairwise(accumulate(self.numels, initial=0)))
        starts = torch.tensor([start for start, _ in self.bounds])
        self.starts_K = starts.repeat_interleave(torch.tensor(self.kept))
        self.values = TYPES[values]

    def entries(self, v_D: Tensor, index_K: Tensor) -> Tensor:
        """The entries at these positions [K], rounded to what a message carries."""
        return self.values.rounded(v_D[index_K], self.kept)


class TopK(Sparsifier):
    """The k entries of largest magnitude of every tensor on its own, or of all.

    The error obeys ||v - q||^2 <= (1 - k/n) ||v||^2 in every piece of n entries.
    Source: Stich et al., "Sparsified SGD with memory", 2018, definition 2.1; per tensor as in [SP].
    """

    def __init__(self, layout: Layout, keep: float, scope: Scope = "tensor", values: str = "float32"):
        super().__init__(layout, keep, scope, values)
        self.largest = Largest(self.bounds, self.kept)

    @phase("compress")
    def __call__(self, v_D: Tensor, seed: int) -> Sparse:
        index_K = self.largest.positions(v_D.abs())
        return Sparse(index_K, self.entries(v_D, index_K), v_D.numel())


class RandomK(Sparsifier):
    """k entries of every tensor, or of all, at positions that sender and receiver draw from the seed.

    The entries are sent as they are, not scaled up by n/k: the operator is biased and contracts.
    E ||v - q||^2 = (1 - k/n) ||v||^2 in every piece of n entries, over the seeds.
    Source: Stich et al., "Sparsified SGD with memory", 2018, definition 2.1.
    """

    @phase("compress")
    def __call__(self, v_D: Tensor, seed: int) -> Seeded:
        index_K = self.positions(seed)
        return Seeded(index_K, self.entries(v_D, index_K), v_D.numel(), seed)

    def positions(self, seed: int) -> Tensor:
        """int64 [K], ascending: the same on every device that knows the seed."""
        generator = torch.Generator().manual_seed(seed)
        inside = [
            torch.randperm(numel, generator=generator)[:k].sort().values
            for numel, k in zip(self.numels, self.kept, strict=True)
        ]
        return torch.cat(inside).add_(self.starts_K)
