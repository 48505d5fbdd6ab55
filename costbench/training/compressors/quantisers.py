"""Quantisers: every entry is sent in a few bits, and one float32 for every tensor.

Shapes: D parameters, T parameter tensors.
"""

from __future__ import annotations

import torch
from torch import Tensor

from costbench.training.compressors.compressor import Compressor
from costbench.training.counters.phases import phase
from costbench.training.layout import Layout
from costbench.training.vectors import Levels, Signs, spread


class Quantiser(Compressor):
    """Treats every tensor of n entries on its own; `numels` and `lengths_T` hold the n of each."""

    def __init__(self, layout: Layout):
        self.numels, self.parameters = layout.numels, layout.parameters
        self.lengths_T = torch.tensor(self.numels)
        self.bounds = layout.bounds

    def spread(self, x_T: Tensor) -> Tensor:
        """[T] to [D]."""
        return spread(x_T, self.lengths_T, self.parameters)

    def parts(self, x_D: Tensor) -> list[Tensor]:
        """[D] as views of its tensors."""
        return [x_D[start:stop] for start, stop in self.bounds]


class Sign(Quantiser):
    """q = (||v||_1 / n) sign(v) in every tensor of n entries, with sign(0) = 1: two values a tensor.

    The error obeys ||v - q||^2 = (1 - ||v||_1^2 / (n ||v||_2^2)) ||v||^2 in every tensor, zeros included.
    Source: Karimireddy et al., "Error feedback fixes SignSGD", 2019, the scaled sign.
    """

    @phase("compress")
    def __call__(self, v_D: Tensor, seed: int) -> Signs:
        scale_T = torch.stack([part.mean() for part in self.parts(v_D.abs())])
        return Signs(scale_T, self.lengths_T, v_D < 0)


class Qsgd(Quantiser):
    """Entries rounded at random to multiples of ||v|| / (s tau): s levels, scaled down so as to contract.

        q = sign(v) ||v|| / (s tau) floor(s |v| / ||v|| + xi),  xi uniform in [0, 1)
        tau = 1 + min(n / s^2, sqrt(n) / s)

    E ||v - q||^2 <= (1 - 1/tau) ||v||^2 in every tensor of n entries, over xi. Magnitudes are taken
    relative to the largest, so that no square overflows or vanishes; tensors of zeros give zeros.
    Source: Koloskova et al., "Decentralized stochastic optimization and gossip algorithms with compressed
    communication", 2019, the operator qsgd_s among those it supports; without tau, Alistarh et al.,
    "QSGD", 2017.

    Parameters
    ----------
    layout : the parameter tensors
    levels : s, from 1 to 32767
    """

    def __init__(self, layout: Layout, levels: int):
        super().__init__(layout)
        self.levels = levels
        tau = [1 + min(n / levels**2, n**0.5 / levels) for n in self.numels]
        self.steps_T = torch.tensor([levels * tau_of_tensor for tau_of_tensor in tau])

    @phase("compress")
    def __call__(self, v_D: Tensor, seed: int) -> Levels:
        s = self.levels
        magnitude_D = v_D.abs()
        largest_T = torch.stack([part.max() for part in self.parts(magnitude_D)])
        u_D = magnitude_D.div_(self.spread(torch.where(largest_T > 0, largest_T, 1.0)))
        norm_T = torch.stack([torch.linalg.vector_norm(part) for part in self.parts(u_D)]).clamp_(min=1)
        xi_D = torch.rand(v_D.numel(), generator=torch.Generator().manual_seed(seed))
        level_D = u_D.mul_(self.spread(s / norm_T)).add_(xi_D).floor_().clamp_(max=s)
        multiples_D = level_D.copysign_(v_D).nan_to_num_(0.0).to(torch.int16)
        return Levels(largest_T * (norm_T / self.steps_T), self.lengths_T, multiples_D)
