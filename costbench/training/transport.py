"""Carries the bytes between nodes of one process, over the links of each round's graph.

Shapes: N nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from costbench.spec.graph import Bursts, Links
from costbench.training.randomness import Purpose, random_generator
from costbench.training.topology import Topology

WEIGHTS_KEPT = 16
"""Most mixing matrices in memory at once; that of an older graph is computed again."""


class InProcess:
    """The links of every round: who sends to whom, with what weight, and which messages are lost.

    Every answer is a pure function of the arguments, whatever was asked before, so that a resumed run loses
    the messages that an uninterrupted one loses.

    Parameters
    ----------
    topology : the graph of every round
    weights_of : mixing matrix float64 [N, N] of a graph bool [N, N], such as `topology.out_weights`
    links : with which probability messages are lost
    seed : of the losses
    """

    def __init__(
        self,
        topology: Topology,
        weights_of: Callable[[NDArray[np.bool_]], NDArray[np.float64]],
        links: Links,
        seed: int,
    ):
        self.topology, self._drop, self._seed = topology, links.drop, seed
        self._weights = lru_cache(WEIGHTS_KEPT)(lambda frame: weights_of(topology.graph(frame)))
        self._bursts = BurstStates(links.bursts, topology.nodes, seed) if links.bursts else None
        self._bad_drop = links.bursts.drop if links.bursts else links.drop

    def weights(self, t: int) -> NDArray[np.float64]:
        """Mixing matrix W of round t, float64 [N, N], W[i, j] on what i receives from j."""
        return self._weights(self.topology.frame(t))

    def links(self, t: int) -> NDArray[np.bool_]:
        """bool [N, N], sender to receiver."""
        return self.topology.at(t)

    def arrivals(self, t: int, content: int = 0) -> NDArray[np.bool_]:
        """The links of round t whose messages arrive, bool [N, N], sender to receiver.

        Parameters
        ----------
        t : round, counted from 0
        content : exchange within the round, counted from 0; each has losses of its own
        """
        links = self.links(t)
        if not (self._drop or self._bad_drop):
            return links
        chance = random_generator(self._seed, Purpose.LOSSES, t, content)
        return links & (chance.random(links.shape) >= self._loss(t))

    def _loss(self, t: int) -> NDArray[np.float64] | float:
        """Probability [1] that a message is lost in round t: of every link [N, N], or of all."""
        if self._bursts is None:
            return self._drop
        return np.where(self._bursts.bad(t), self._bad_drop, self._drop)


class BurstStates:
    """Which links are in the bad state, round by round: one Markov chain of two states for each link.

    Parameters
    ----------
    bursts : probabilities of a change of state
    nodes : number of nodes N
    seed : seed of the run

    Notes
    -----
    E. N. Gilbert, "Capacity of a burst-noise channel", Bell System Technical Journal 39 (1960), and E. O.
    Elliott, "Estimates of error rates for codes on burst-noise channels", ibid. 42 (1963). Every link starts
    in its stationary state: bad with probability enter / (enter + leave). A bad spell lasts 1 / leave rounds
    in the mean. The chain goes on in the rounds in which the link is not used.
    """

    def __init__(self, bursts: Bursts, nodes: int, seed: int):
        self._bursts, self._nodes, self._seed = bursts, nodes, seed
        self._round, self._bad = 0, self._start()

    def bad(self, t: int) -> NDArray[np.bool_]:
        """Which links are bad in round t, bool [N, N], sender to receiver; the time it takes grows with the
        rounds since the one that was asked for last, or with t if that was later."""
        if t < self._round:
            self._round, self._bad = 0, self._start()
        while self._round < t:
            self._round += 1
            uniform_NN = self._uniform(self._round)
            stays_bad, turns_bad = uniform_NN >= self._bursts.leave, uniform_NN < self._bursts.enter
            self._bad = np.where(self._bad, stays_bad, turns_bad)
        return self._bad

    def _start(self) -> NDArray[np.bool_]:
        enter, leave = self._bursts.enter, self._bursts.leave
        return self._uniform(0) < enter / (enter + leave)

    def _uniform(self, t: int) -> NDArray[np.float64]:
        return random_generator(self._seed, Purpose.BURSTS, t).random((self._nodes, self._nodes))
