"""FedAvg: local steps, then the average of all models, weighted by samples, computed by a server.

The server is node 0, the hub of a star; like every other node it holds a part of the data and steps on
it, and its traffic stands in the ledger like theirs. Every node takes part in every average.
Source: McMahan et al., "Communication-efficient learning of deep networks from decentralized data",
AISTATS 2017, algorithm 1, with C = 1 and a number of steps instead of epochs.
"""

from __future__ import annotations

from costbench.training.algorithms.algorithm import Local, Optimizer, Outgoing, Periodic, Round
from costbench.training.nodes import Node
from costbench.training.vectors import Dense

SERVER = 0


class FedAvg(Periodic):
    """x model."""

    mixing = "row"

    def __init__(self, optimizer: Optimizer, period: int):
        super().__init__(optimizer)
        self.period = period
        self.reading = (
            f"FedAvg, {period} local steps, all nodes take part, node {SERVER} is server and client"
        )

    def round(self, node: Node, local: Local) -> Round:
        self.local_step(node, local)
        if self.exchanges(local.t):
            yield from (self._serve if node.index == SERVER else self._ask)(node, local)

    def _serve(self, node: Node, local: Local) -> Round:
        """x = sum_k n_k x_k / sum_k n_k over itself and all models that arrived; send it to all."""
        samples = node.x.new_tensor([float(local.samples)])
        total = samples.clone()
        inbox = yield ()
        node.x.mul_(samples)
        for message in inbox:
            node.x.add_(message.vector.dense() * message.side)
            total.add_(message.side)
        node.x.div_(total)
        yield Outgoing(Dense(node.x))

    def _ask(self, node: Node, local: Local) -> Round:
        """Send the model and its samples; take over what the server sends back, if it arrives."""
        yield Outgoing(Dense(node.x), node.x.new_tensor([float(local.samples)]))
        inbox = yield ()
        for message in inbox:
            node.x.copy_(message.vector.dense())
