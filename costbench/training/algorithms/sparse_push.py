"""Sparse-Push: compressed gossip with error memory and push-sum weights, over directed graphs.

Source: [SP] Aketi, Singh, Rabaey, "Sparse-Push", arXiv 2102.05715, 2021. The recursion is the one of
the first author's published code; that it is the paper's is a reconstruction.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from costbench.training.algorithms.algorithm import Local, Outgoing, PushSum, Round
from costbench.training.compressors import TopK
from costbench.training.nodes import Buffer, Node
from costbench.training.sgd import Sgd
from costbench.training.vectors import Sparse


class SparsePush(PushSum):
    """e error memory; gamma consensus step."""

    buffers: ClassVar[Mapping[str, Buffer]] = {**PushSum.buffers, "e": Buffer("zeros")}
    reading = "Sparse-Push after the first author's code: top-k per tensor of parameters plus error memory"

    def __init__(self, sgd: Sgd, top_k: TopK, gamma: float):
        super().__init__(sgd)
        self.top_k, self.gamma = top_k, gamma
        self.kept = top_k.kept

    def round(self, node: Node, local: Local) -> Round:
        gamma, p = self.gamma, local.self_weight
        self.estimate(node)
        node.gradient(local.draw())
        self.sgd.step(node, node.x, local.t)
        q = self._compressed(node)
        inbox = yield Outgoing(q.scaled(p), p * node.w)
        q.add_to(node.x, gamma * (p - 1))
        node.w.mul_(1 + gamma * (p - 1))
        for message in inbox:
            message.vector.add_to(node.x, gamma)
            node.w.add_(message.side, alpha=gamma)

    def _compressed(self, node: Node) -> Sparse:
        """v = x + e ;  q = TopK(v) ;  e = v - q."""
        node.e.add_(node.x)
        q = self.top_k(node.e)
        node.e[q.index] = 0.0
        return q
