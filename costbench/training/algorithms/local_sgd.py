"""Local SGD: local steps, then the exact average of all models by ring all-reduce.

Source: Stich, "Local SGD converges fast and communicates little", ICLR 2019; the ring of Patarasuk, Yuan,
"Bandwidth optimal all-reduce algorithms", J. Parallel Distrib. Comput. 69 (2009): 2 (n - 1) messages a
node, each a part of about D / n entries.
"""

from __future__ import annotations

from collections.abc import Generator

from costbench.training.algorithms.algorithm import Inbox, Local, Optimizer, Outgoing, Periodic, Round
from costbench.training.nodes import Node
from costbench.training.vectors import Block


class LocalSgd(Periodic):
    """x model."""

    mixing = "row"

    def __init__(self, optimizer: Optimizer, period: int):
        super().__init__(optimizer)
        self.period = period
        self.reading = f"local SGD, {period} local steps, then ring all-reduce"

    def round(self, node: Node, local: Local) -> Round:
        self.local_step(node, local)
        if self.exchanges(local.t):
            yield from self._all_reduce(node, local.nodes)

    def _all_reduce(self, node: Node, n: int) -> Round:
        """Add the parts up on their way around the ring; then pass the sums around."""
        i = node.index
        for s in range(n - 1):
            inbox = yield _part(node, i - s, n)
            for message in inbox:
                message.vector.add_to(node.x)
        own = slice(*_bounds(node, i + 1, n))
        node.x[own] /= n
        for s in range(n - 1):
            yield from self._replace(node, i + 1 - s, n)

    def _replace(self, node: Node, k: int, n: int) -> Generator[Outgoing, Inbox, None]:
        """Send the sum of part k, and take over that of part k - 1."""
        inbox = yield _part(node, k, n)
        for message in inbox:
            node.x[slice(*_bounds(node, k - 1, n))] = 0.0
            message.vector.add_to(node.x)


def _bounds(node: Node, k: int, n: int) -> tuple[int, int]:
    """Where part k mod n begins and ends."""
    parameters = node.x.numel()
    k %= n
    return k * parameters // n, (k + 1) * parameters // n


def _part(node: Node, k: int, n: int) -> Outgoing:
    start, stop = _bounds(node, k, n)
    return Outgoing(Block(start, node.x[start:stop].clone(), node.x.numel()))
