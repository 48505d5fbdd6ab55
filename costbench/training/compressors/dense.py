"""No compression: everything is sent.

Shapes: D parameters.
"""

from __future__ import annotations

from torch import Tensor

from costbench.training.compressors.compressor import Compressor
from costbench.training.counters.phases import phase
from costbench.training.vectors import Dense


class NoCompression(Compressor):
    """All entries as they are: v - q = 0."""

    @phase("compress")
    def __call__(self, v_D: Tensor, seed: int) -> Dense:
        return Dense(v_D.clone())
