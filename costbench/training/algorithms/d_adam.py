"""D-Adam: local Adam steps, averaging every p rounds; the moments stay where they are.

Source: [ASL] Gao, Huang, "Adaptive serverless learning", arXiv 2008.10422, 2020; a reconstruction.
"""

from __future__ import annotations

from costbench.training.algorithms.algorithm import Local, Optimizer, Periodic, Round
from costbench.training.algorithms.d_psgd import gossip
from costbench.training.nodes import Node


class DAdam(Periodic):
    """x model; only x is exchanged."""

    def __init__(self, adam: Optimizer, period: int):
        super().__init__(adam)
        self.period = period
        self.reading = f"D-Adam, averaging after every {period} local steps, the moments not exchanged"

    def round(self, node: Node, local: Local) -> Round:
        self.local_step(node, local)
        if self.exchanges(local.t):
            yield from gossip(node)
