"""The algorithms that a spec can name, one file each."""

from costbench.training.algorithms.algorithm import Algorithm, Incoming, Local, Outgoing
from costbench.training.algorithms.build import build

__all__ = ["Algorithm", "Incoming", "Local", "Outgoing", "build"]
