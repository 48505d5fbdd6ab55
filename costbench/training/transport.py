"""Carries the bytes between nodes of one process, over the links of each round's graph.

Shapes: N nodes.
"""

from __future__ import annotations

import numpy as np

from costbench.training.randomness import Purpose, random_generator
from costbench.training.topology import Topology, metropolis, out_weights


class InProcess:
    """The links of every round: who sends to whom, with what weight, and which messages are lost.

    Parameters
    ----------
    topology : the graph of every round
    doubly_stochastic : Metropolis weights; else the sender splits itself evenly
    drop : probability that a message is lost, independent for each round and link
    seed : of the losses
    """

    def __init__(self, topology: Topology, doubly_stochastic: bool, drop: float, seed: int):
        weights_of = metropolis if doubly_stochastic else out_weights
        self._weights = [weights_of(adjacency) for adjacency in topology.adjacency]
        self.topology, self.drop, self.seed = topology, drop, seed

    def weights(self, t: int) -> np.ndarray:
        """Mixing matrix W of round t, float64 [N, N], W[i, j] on what i receives from j."""
        return self._weights[t % self.topology.period]

    def links(self, t: int) -> np.ndarray:
        """bool [N, N], sender to receiver."""
        return self.topology.at(t)

    def arrivals(self, t: int) -> np.ndarray:
        """The links of round t whose messages arrive, bool [N, N], sender to receiver."""
        links = self.links(t)
        if not self.drop:
            return links
        survives = random_generator(self.seed, Purpose.LOSSES, t).random(links.shape) >= self.drop
        return links & survives
