"""QG-DSGDm: SGD whose momentum follows the difference of consecutive models, not the local gradient.

Source: Lin, Karimireddy, Stich, Jaggi, "Quasi-global momentum", ICML 2021, algorithm 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from torch import Tensor

from costbench import spec
from costbench.training.algorithms.algorithm import Algorithm, Local, Round
from costbench.training.algorithms.d_psgd import gossip
from costbench.training.counters.phases import phase
from costbench.training.nodes import Buffer, Node
from costbench.training.optimizers import Schedule


class QuasiGlobalStep:
    """g = g + wd x ;  m = b mhat + g ;  x = x - lr (m, or g + b m with Nesterov)."""

    buffers: ClassVar[Mapping[str, Buffer]] = {"mhat": Buffer("zeros", "optimizer")}

    def __init__(self, optimizer: spec.Optimizer, lr: Schedule):
        self.settings, self.lr = optimizer, lr

    @phase("optimizer")
    def step(self, node: Node, x_D: Tensor, t: int) -> None:
        b, g_D = self.settings.momentum, node.g
        if self.settings.weight_decay:
            g_D.add_(x_D, alpha=self.settings.weight_decay)
        m_D = node.mhat.mul(b).add_(g_D)
        x_D.sub_(g_D.add_(m_D, alpha=b) if self.settings.nesterov else m_D, alpha=self.lr(t))


class QgDsgdm(Algorithm):
    """x model, mhat quasi-global momentum; mu weight of the newest difference."""

    reading = "QG-DSGDm, momentum of the difference of consecutive models"

    def __init__(self, optimizer: QuasiGlobalStep, mu: float):
        super().__init__(optimizer)
        self.lr, self.mu = optimizer.lr, mu

    def round(self, node: Node, local: Local) -> Round:
        before_D = node.x.clone()
        self.local_step(node, local)
        yield from gossip(node)
        with phase("optimizer"):
            node.mhat.mul_(1 - self.mu)
            if lr := self.lr(local.t):
                node.mhat.add_(before_D.sub_(node.x), alpha=self.mu / lr)
