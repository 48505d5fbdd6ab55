"""Local SGD step with momentum and weight decay."""

from __future__ import annotations

from torch import Tensor

from costbench.spec import Optimizer
from costbench.training.counters.phases import phase
from costbench.training.nodes import Buffer, Node
from costbench.training.optimizers.schedule import Schedule


class Sgd:
    """SGD as in torch.optim.SGD: heavy ball or Nesterov, coupled weight decay, no dampening.

    g = g + wd x ;  m = mu m + g ;  x = x - lr (m, or g + mu m with Nesterov)
    """

    def __init__(self, optimizer: Optimizer, lr: Schedule):
        self.settings, self.lr = optimizer, lr

    @property
    def buffers(self) -> dict[str, Buffer]:
        return {"m": Buffer("zeros", "optimizer")} if self.settings.momentum else {}

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
