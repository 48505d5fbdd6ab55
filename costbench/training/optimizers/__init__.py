"""Local steps: what a node does with its gradient before it talks to anybody."""

from costbench.training.optimizers.adam import Adam
from costbench.training.optimizers.schedule import Schedule
from costbench.training.optimizers.sgd import Sgd

__all__ = ["Adam", "Schedule", "Sgd"]
