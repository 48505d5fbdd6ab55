"""Compressors: what of a vector is sent.

Shapes: D parameters, K kept entries.
"""

from __future__ import annotations

import torch
from torch import Tensor

from costbench.training.counters.phases import phase
from costbench.training.layout import Layout
from costbench.training.vectors import Sparse


def kept(numel: int, keep: float) -> int:
    """Entries that top-k keeps of a tensor: max(1, int(numel * keep)), the rule of [SP]'s authors."""
    return max(1, int(numel * keep))


class TopK:
    """The k entries of largest magnitude of every parameter tensor on its own.

    The error obeys ||v - q||^2 <= (1 - k/n) ||v||^2 in every tensor of n entries.
    Source: Stich et al., "Sparsified SGD with memory", 2018, definition 2.1; per tensor as in [SP].
    """

    def __init__(self, layout: Layout, keep: float):
        self.bounds = layout.bounds
        self.kept = [kept(numel, keep) for numel in layout.numels]
        starts = torch.tensor([start for start, _ in self.bounds])
        self.starts_K = starts.repeat_interleave(torch.tensor(self.kept))

    @phase("compress")
    def __call__(self, v_D: Tensor) -> Sparse:
        magnitude_D = v_D.abs()
        inside = [
            magnitude_D[start:stop].topk(k, sorted=False).indices
            for (start, stop), k in zip(self.bounds, self.kept, strict=True)
        ]
        index_K = torch.cat(inside).add_(self.starts_K.to(v_D.device))
        return Sparse(index_K, v_D[index_K], v_D.numel())
