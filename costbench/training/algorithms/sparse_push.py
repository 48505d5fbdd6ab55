"""Sparse-Push: compressed gossip with error memory and push-sum weights, over directed graphs.

Source: [SP] Aketi, Singh, Rabaey, "Sparse-Push", arXiv 2102.05715, 2021. The recursion is the one of
the first author's published code; that it is the paper's is a reconstruction.
"""

from __future__ import annotations

from collections.abc import Mapping

from costbench.training.algorithms.algorithm import Local, Optimizer, Outgoing, PushSum, Round
from costbench.training.algorithms.error_memory import ERROR_MEMORY, compressed
from costbench.training.compressors import Compressor
from costbench.training.nodes import Buffer, Node


class SparsePush(PushSum):
    """e error memory; gamma consensus step."""

    buffers: Mapping[str, Buffer] = {**PushSum.buffers, **ERROR_MEMORY}
    compressor: Compressor
    reading = "Sparse-Push after the first author's code: top-k per tensor of parameters plus error memory"

    def __init__(self, optimizer: Optimizer, top_k: Compressor, gamma: float):
        super().__init__(optimizer)
        self.compressor, self.gamma = top_k, gamma

    def round(self, node: Node, local: Local) -> Round:
        gamma, p = self.gamma, local.self_weight
        self.local_step(node, local)
        q = compressed(node, self.compressor, local.seed)
        inbox = yield Outgoing(q.scaled(p), p * node.w)
        q.add_to(node.x, gamma * (p - 1))
        node.w.mul_(1 + gamma * (p - 1))
        for message in inbox:
            message.vector.add_to(node.x, gamma)
            node.w.add_(message.side, alpha=gamma)
