"""CD-Adam: local Adam steps; every p rounds, gossip on replicas, then a compressed difference to them.

Source: [ASL] Gao, Huang, "Adaptive serverless learning", arXiv 2008.10422, 2020; a reconstruction, of
which the order, mixing before sending, is the least certain part. So the replicas that are mixed are those
of the exchange before: without compression this is D-Adam that mixes first and steps afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from costbench.training.algorithms.algorithm import Algorithm, Local, Optimizer, Periodic, Round
from costbench.training.algorithms.replicas import Replicas
from costbench.training.compressors import Compressor
from costbench.training.nodes import Buffer, Node


class CdAdam(Periodic):
    """x model, and replicas; gamma consensus step, p period."""

    def __init__(
        self, adam: Optimizer, replicas: Replicas, compressor: Compressor, gamma: float, period: int
    ):
        super().__init__(adam)
        self.replicas, self.compressor, self.gamma, self.period = replicas, compressor, gamma, period
        self.buffers = {**Algorithm.buffers, **replicas.buffers}
        self.reading = f"CD-Adam, mixing before sending, every {period} local steps, {replicas.held}"

    def own_buffers(self, neighbours: Sequence[int]) -> Mapping[str, Buffer]:
        return self.replicas.own_buffers(neighbours)

    def round(self, node: Node, local: Local) -> Round:
        self.local_step(node, local)
        if self.exchanges(local.t):
            self.replicas.mix(node, local, self.gamma)
            yield from self.replicas.exchange(node, local)
