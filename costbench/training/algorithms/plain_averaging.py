"""Plain averaging: a local step, then the mean of the own model and whatever arrived.

What one does on a directed graph without push-sum. The weights of a node sum to 1, but those put on a
node do not, so that on an irregular digraph the consensus is a biased average of the nodes: it is here to
show what push-sum mends.
"""

from __future__ import annotations

from costbench.training.algorithms.d_psgd import DPsgd


class PlainAveraging(DPsgd):
    """x model; W[i,j] = 1 / (in-degree of i + 1)."""

    mixing = "row"
    reading = "plain averaging with what arrives, without push-sum weights"
