"""Skew-Compensated Sparse Push, final-merge reading: Sparse-Push, then dense gossip without steps.

Source: [SP]. That the merge belongs to SCSP is well supported by the paper's published ratios; that it
is all of it is not. Fifty rounds are not a full merge on every graph.
"""

from __future__ import annotations

from costbench.training.algorithms.algorithm import Local, Round
from costbench.training.algorithms.sgp import push
from costbench.training.algorithms.sparse_push import SparsePush
from costbench.training.compressors import TopK
from costbench.training.nodes import Node
from costbench.training.sgd import Sgd


class Scsp(SparsePush):
    """Sparse-Push for T rounds, then R rounds of dense push-sum."""

    reading = "SCSP, final-merge reading: Sparse-Push, then dense push-sum rounds without steps"

    def __init__(self, sgd: Sgd, top_k: TopK, gamma: float, training_rounds: int, merge_rounds: int):
        super().__init__(sgd, top_k, gamma)
        self.training_rounds, self.extra_rounds = training_rounds, merge_rounds

    def regime(self, t: int) -> str:
        return "train" if t < self.training_rounds else "merge"

    def round(self, node: Node, local: Local) -> Round:
        step = super().round if self.regime(local.t) == "train" else push
        yield from step(node, local)
