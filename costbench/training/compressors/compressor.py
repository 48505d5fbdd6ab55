"""What a compressor is: a function of a vector and a seed that says what of the vector is sent.

Shapes: D parameters.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from torch import Tensor

from costbench.training.vectors import Vector


class Compressor(ABC):
    """Contracts: E ||v - C(v)||^2 <= (1 - omega) ||v||^2, with an omega in (0, 1] that each kind states."""

    @abstractmethod
    def __call__(self, v_D: Tensor, seed: int) -> Vector:
        """What is sent of v, float32 [D].

        `seed` is a non-negative integer below 2^32, another one for every node and message; compressors
        that draw nothing ignore it. The vector shares no memory with v.
        """
