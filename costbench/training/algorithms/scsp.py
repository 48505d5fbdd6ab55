"""Skew-Compensated Sparse Push, final-merge reading: Sparse-Push, then dense gossip without steps.

Source: [SP]. That the merge belongs to SCSP is well supported by the paper's published ratios; that it
is all of it is not. Fifty rounds are not a full merge on every graph.
"""

from __future__ import annotations

from costbench.training.algorithms.algorithm import Local, Optimizer, Round
from costbench.training.algorithms.sgp import push
from costbench.training.algorithms.sparse_push import SparsePush
from costbench.training.compressors import Compressor
from costbench.training.nodes import Node


class Scsp(SparsePush):
    """Sparse-Push for T rounds, then R rounds of dense push-sum.

    BatchNorm's running statistics are not exchanged: after the merge they are those of the node's own
    model before it. `refresh` is an addition of ours that lets every merge round end with a forward pass
    of a local batch, so that they follow the merged model; it is counted like any forward pass.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        top_k: Compressor,
        gamma: float,
        training_rounds: int,
        merge_rounds: int,
        refresh: bool,
    ):
        super().__init__(optimizer, top_k, gamma)
        self.training_rounds, self.extra_rounds, self.refresh = training_rounds, merge_rounds, refresh
        self.reading = "SCSP, final-merge reading: Sparse-Push, then dense push-sum rounds without steps"
        if refresh:
            self.reading += "; our addition: a forward pass a merge round refreshes BatchNorm's statistics"

    def regime(self, t: int) -> str:
        return "train" if t < self.training_rounds else "merge"

    def round(self, node: Node, local: Local) -> Round:
        step = super().round if self.regime(local.t) == "train" else self._merge
        yield from step(node, local)

    def _merge(self, node: Node, local: Local) -> Round:
        yield from push(node, local)
        if self.refresh:
            self.estimate(node)
            node.refresh_statistics(local.draw())
