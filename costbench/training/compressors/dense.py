"""No compression: everything is sent.

Shapes: D parameters.
"""

from __future__ import annotations

from torch import Tensor

from costbench.training.compressors.compressor import Compressor
from costbench.training.counters.phases import phase
from costbench.training.layout import Layout
from costbench.training.values import TYPES
from costbench.training.vectors import Dense


class NoCompression(Compressor):
    """All entries, rounded to the type that a message carries: v - q = 0 where that is float32."""

    def __init__(self, layout: Layout, values: str = "float32"):
        self.numels, self.values = layout.numels, TYPES[values]

    @phase("compress")
    def __call__(self, v_D: Tensor, seed: int) -> Dense:
        return Dense(self.values.rounded(v_D.clone(), self.numels))
