"""Which samples each node holds, and which of them it draws at each step.

Both are pure functions of the data, the parameters and the seed: no draw depends on another node's draws,
on the order of calls or on the number of workers.
"""

from costbench.training.partition.deal import partition
from costbench.training.partition.description import describe
from costbench.training.partition.sampler import Sampler, batch_indices

__all__ = ["Sampler", "batch_indices", "describe", "partition"]
