"""Local SGD step with momentum and weight decay, and its learning-rate schedule."""

from __future__ import annotations

from torch import Tensor

from costbench.spec import Optimizer
from costbench.training.counters.phases import phase
from costbench.training.nodes import Buffer, Node

WARMUP_FACTOR = 0.1


class Sgd:
    """SGD as in torch.optim.SGD: heavy ball or Nesterov, coupled weight decay, no dampening.

    g = g + wd x ;  m = mu m + g ;  x = x - lr (m, or g + mu m with Nesterov)

    Parameters
    ----------
    optimizer : the spec's settings
    rounds_per_epoch : rounds in which all nodes together draw as many samples as there are
    """

    def __init__(self, optimizer: Optimizer, rounds_per_epoch: float):
        self.settings = optimizer
        self.rounds_per_epoch = rounds_per_epoch

    @property
    def buffers(self) -> dict[str, Buffer]:
        return {"m": Buffer("zeros", "optimizer")} if self.settings.momentum else {}

    def lr(self, t: int) -> float:
        """Learning rate in round t: a tenth during warm-up epochs, times every factor passed."""
        epoch = t / self.rounds_per_epoch
        lr = self.settings.lr * (WARMUP_FACTOR if epoch < self.settings.warmup_epochs else 1.0)
        for milestone, factor in self.settings.milestones.items():
            lr *= factor if epoch >= milestone else 1.0
        return lr

    @phase("optimizer")
    def step(self, node: Node, x_D: Tensor, t: int) -> None:
        """Apply the node's gradient [D] to x [D], in place."""
        momentum, g_D = self.settings.momentum, node.g
        if self.settings.weight_decay:
            g_D.add_(x_D, alpha=self.settings.weight_decay)
        if momentum:
            node.m.mul_(momentum).add_(g_D)
            g_D = g_D.add_(node.m, alpha=momentum) if self.settings.nesterov else node.m
        x_D.sub_(g_D, alpha=self.lr(t))
