"""D-PSGD: a local step, then averaging with the neighbours of an undirected graph.

Source: Lian et al., "Can decentralized algorithms outperform centralized algorithms?", NeurIPS 2017, in
the adapt-then-combine order of later codes: the 2017 paper mixes x_t and steps afterwards.
"""

from __future__ import annotations

from costbench.training.algorithms.algorithm import Algorithm, Local, Outgoing, Round
from costbench.training.nodes import Node
from costbench.training.vectors import Dense


def gossip(node: Node) -> Round:
    """x_i = sum_j W[i,j] x_j. A message that was lost leaves its weight with the node's own x."""
    inbox = list((yield Outgoing(Dense(node.x))))
    node.x.mul_(1 - sum(message.weight for message in inbox))
    for message in inbox:
        message.vector.add_to(node.x, message.weight)


class DPsgd(Algorithm):
    """x model."""

    reading = "D-PSGD, adapt then combine, Metropolis weights"

    def round(self, node: Node, local: Local) -> Round:
        self.local_step(node, local)
        yield from gossip(node)
