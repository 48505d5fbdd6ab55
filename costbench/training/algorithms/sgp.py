"""Stochastic Gradient Push: uncompressed gossip with push-sum weights, over directed graphs.

Source: Assran, Loizou, Ballas, Rabbat, "Stochastic Gradient Push", ICML 2019, algorithm 1.
"""

from __future__ import annotations

from costbench.training.algorithms.algorithm import Local, Outgoing, PushSum, Round
from costbench.training.nodes import Node
from costbench.training.vectors import Dense


def push(node: Node, local: Local) -> Round:
    """Push-sum: send (W[j,i] x, W[j,i] w) to every out-neighbour j, then add up what arrives."""
    p = local.self_weight
    inbox = yield Outgoing(Dense(node.x * p), p * node.w)
    node.x.mul_(p)
    node.w.mul_(p)
    for message in inbox:
        message.vector.add_to(node.x)
        node.w.add_(message.side)


class Sgp(PushSum):
    """A local step at z, then one push-sum round."""

    reading = "SGP, synchronous, the push-sum weight sent in every message"

    def round(self, node: Node, local: Local) -> Round:
        self.local_step(node, local)
        yield from push(node, local)
