"""Replicas: what a node's neighbours know of its model, kept equal on both sides by compressed differences.

On a graph that never changes, all neighbours know the same, so that one replica of the own model and one
weighted sum of the neighbours' are enough. On one that changes, a neighbour hears only the rounds in which
it is one: then every pair of nodes that ever meet keeps a replica of each other's model, two a neighbour.

Source: Koloskova, Stich, Jaggi, "Decentralized stochastic optimization and gossip algorithms with
compressed communication", ICML 2019, algorithms 2 and 5 (the weighted sum) and 1; the replicas of pairs are
ours, after the same rule. A message that is lost leaves a replica behind for good: the links must be
reliable for the mean to be kept.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Protocol

from costbench.training.algorithms.algorithm import Inbox, Local, Outgoing
from costbench.training.compressors import Compressor
from costbench.training.nodes import Buffer, Node

Exchange = Generator[Outgoing | Sequence[Outgoing], Inbox, None]


class Replicas(Protocol):
    """Both kinds: exchange differences, and mix the model with the replicas."""

    buffers: Mapping[str, Buffer]
    held: str

    def own_buffers(self, neighbours: Sequence[int]) -> Mapping[str, Buffer]: ...

    def exchange(self, node: Node, local: Local) -> Exchange: ...

    def mix(self, node: Node, local: Local, gamma: float) -> None: ...


class WeightedSum:
    """xhat replica of the own model; s = sum_j W[i,j] xhat_j, of all neighbours and itself."""

    buffers: Mapping[str, Buffer] = {"xhat": Buffer("zeros"), "s": Buffer("zeros")}
    held = "one weighted sum of the neighbours' replicas"

    def __init__(self, compressor: Compressor):
        self.compressor = compressor

    def own_buffers(self, neighbours: Sequence[int]) -> Mapping[str, Buffer]:
        return {}

    def exchange(self, node: Node, local: Local) -> Exchange:
        """q = Q(x - xhat), send ;  xhat += q ;  s += sum_j W[i,j] q_j."""
        q = self.compressor(node.x - node.xhat, local.seed)
        q.add_to(node.xhat)
        q.add_to(node.s, local.self_weight)
        inbox = yield Outgoing(q)
        for message in inbox:
            message.vector.add_to(node.s, message.weight)

    def mix(self, node: Node, local: Local, gamma: float) -> None:
        """x += gamma sum_j W[i,j] (xhat_j - xhat_i)."""
        node.x.add_(node.s, alpha=gamma).sub_(node.xhat, alpha=gamma)


class OfEveryPair:
    """to_j what neighbour j knows of this node's model; of_j what this node knows of j's."""

    buffers: Mapping[str, Buffer] = {}
    held = "two replicas a neighbour, for the graph changes"

    def __init__(self, compressor: Compressor):
        self.compressor = compressor

    def own_buffers(self, neighbours: Sequence[int]) -> Mapping[str, Buffer]:
        return {f"{side}_{j}": Buffer("zeros") for j in neighbours for side in ("to", "of")}

    def exchange(self, node: Node, local: Local) -> Exchange:
        """To every neighbour j of the round: q = Q(x - to_j), send ;  to_j += q ;  of_j += q_j."""
        outgoing = [self._difference(node, j, local.seed) for j in local.weights]
        inbox = yield outgoing
        del outgoing
        for message in inbox:
            message.vector.add_to(node.rows[f"of_{message.sender}"])

    def _difference(self, node: Node, j: int, seed: int) -> Outgoing:
        replica_D = node.rows[f"to_{j}"]
        q = self.compressor(node.x - replica_D, seed)
        q.add_to(replica_D)
        return Outgoing(q, to=(j,))

    def mix(self, node: Node, local: Local, gamma: float) -> None:
        """x += gamma sum_j W[i,j] (of_j - to_j), over the neighbours of the round."""
        for j, weight in local.weights.items():
            node.x.add_(node.rows[f"of_{j}"], alpha=gamma * weight)
            node.x.sub_(node.rows[f"to_{j}"], alpha=gamma * weight)


def replicas(compressor: Compressor, static: bool) -> Replicas:
    """The replicas that a graph needs: `static` if it never changes."""
    return WeightedSum(compressor) if static else OfEveryPair(compressor)
