"""Graphs: who sends to whom in each round, and the weights of the mixing matrix W."""

from costbench.training.topology.build import KINDS, build
from costbench.training.topology.random_graphs import RANDOM_DRAWS
from costbench.training.topology.topology import Periodic, Redrawn, Topology
from costbench.training.topology.weights import metropolis, out_weights, row_weights

__all__ = [
    "KINDS",
    "RANDOM_DRAWS",
    "Periodic",
    "Redrawn",
    "Topology",
    "build",
    "metropolis",
    "out_weights",
    "row_weights",
]
