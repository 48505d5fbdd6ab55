"""Local Adam step."""

from __future__ import annotations

import math

from torch import Tensor

from costbench.spec import CdAdam, DAdam, Optimizer
from costbench.training.counters.phases import phase
from costbench.training.nodes import Buffer, Node
from costbench.training.optimizers.schedule import Schedule


class Adam:
    """m = b1 m + (1 - b1) g ;  v = b2 v + (1 - b2) g g ;  x = x - lr m / (sqrt(v) + tau).

    g = g + wd x before. With `bias_correction`, m and v are divided by 1 - b1^s and 1 - b2^s after s steps,
    as in torch.optim.Adam. Source: [ASL], reconstructed: the recursion without correction; Kingma, Ba,
    "Adam", 2015, algorithm 1 with it.
    """

    def __init__(self, optimizer: Optimizer, moments: DAdam | CdAdam, lr: Schedule):
        self.weight_decay, self.moments, self.lr = optimizer.weight_decay, moments, lr

    @property
    def buffers(self) -> dict[str, Buffer]:
        return {"m": Buffer("zeros", "optimizer"), "v": Buffer("zeros", "optimizer")}

    @phase("optimizer")
    def step(self, node: Node, x_D: Tensor, t: int) -> None:
        """Apply the node's gradient [D] to x [D], in place, as its step t + 1."""
        b1, b2, tau = self.moments.beta1, self.moments.beta2, self.moments.tau
        first, second = (1 - b1 ** (t + 1), 1 - b2 ** (t + 1)) if self.moments.bias_correction else (1, 1)
        g_D = node.g
        if self.weight_decay:
            g_D.add_(x_D, alpha=self.weight_decay)
        node.m.mul_(b1).add_(g_D, alpha=1 - b1)
        node.v.mul_(b2).addcmul_(g_D, g_D, value=1 - b2)
        root_D = node.v.sqrt()
        if second != 1:
            root_D.div_(math.sqrt(second))
        x_D.addcdiv_(node.m, root_D.add_(tau), value=-self.lr(t) / first)
