"""CHOCO-SGD: a local step, then gossip on replicas that compressed differences bring up to date.

Source: Koloskova, Stich, Jaggi, "Decentralized stochastic optimization and gossip algorithms with
compressed communication", ICML 2019, algorithm 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from costbench.training.algorithms.algorithm import Algorithm, Local, Optimizer, Round
from costbench.training.algorithms.replicas import Replicas
from costbench.training.compressors import Compressor
from costbench.training.nodes import Buffer, Node


class ChocoSgd(Algorithm):
    """x model, and replicas; gamma consensus step."""

    def __init__(self, optimizer: Optimizer, replicas: Replicas, compressor: Compressor, gamma: float):
        super().__init__(optimizer)
        self.replicas, self.compressor, self.gamma = replicas, compressor, gamma
        self.buffers = {**Algorithm.buffers, **replicas.buffers}
        self.reading = f"CHOCO-SGD, {replicas.held}"

    def own_buffers(self, neighbours: Sequence[int]) -> Mapping[str, Buffer]:
        return self.replicas.own_buffers(neighbours)

    def round(self, node: Node, local: Local) -> Round:
        self.local_step(node, local)
        yield from self.replicas.exchange(node, local)
        self.replicas.mix(node, local, self.gamma)
