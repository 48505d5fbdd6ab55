"""DeepSqueeze: compressed models with error memory, mixed over an undirected graph.

Source: Tang et al., "DeepSqueeze: decentralization meets error-compensated compression", 2019, with the
consensus step gamma (eta in the paper) and the update order of the authors of [SP].
"""

from __future__ import annotations

from collections.abc import Mapping

from costbench.training.algorithms.algorithm import Algorithm, Local, Optimizer, Outgoing, Round
from costbench.training.algorithms.error_memory import ERROR_MEMORY, compressed
from costbench.training.compressors import Compressor
from costbench.training.nodes import Buffer, Node


class DeepSqueeze(Algorithm):
    """x model, e error memory; gamma consensus step."""

    buffers: Mapping[str, Buffer] = {**Algorithm.buffers, **ERROR_MEMORY}
    compressor: Compressor
    reading = "DeepSqueeze: error memory on the model, x += gamma sum_j W[i,j] (q_j - q_i)"

    def __init__(self, optimizer: Optimizer, compressor: Compressor, gamma: float):
        super().__init__(optimizer)
        self.compressor, self.gamma = compressor, gamma

    def round(self, node: Node, local: Local) -> Round:
        self.local_step(node, local)
        q = compressed(node, self.compressor, local.seed)
        inbox = yield Outgoing(q)
        for message in inbox:
            message.vector.add_to(node.x, self.gamma * message.weight)
            q.add_to(node.x, -self.gamma * message.weight)
