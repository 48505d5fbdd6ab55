"""Which of its samples a node draws at each step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from costbench.training.randomness import Purpose, random_generator

Indices = NDArray[np.int64]


class Sampler:
    """The batches of one node, without replacement within an epoch.

    Each epoch is a fresh random order of the node's samples, and the epochs follow one another without a gap,
    so that every batch is full; one that crosses an epoch's end may hold a sample twice. `indices(step)` is a
    pure function of the step: a resumed run needs no state. Only the order of the current epoch is kept in
    memory.

    Parameters
    ----------
    part : int64 [m], the node's samples, m >= 1
    batch : samples a step
    seed : seed of the run
    node : number of the node
    """

    def __init__(self, part: Indices, batch: int, seed: int, node: int):
        self._part, self._batch, self._seed, self._node = part, batch, seed, node
        self._epoch = -1
        self._order = part

    def indices(self, step: int) -> Indices:
        """The samples int64 [batch] of a step, counted from 0."""
        position, stop = step * self._batch, (step + 1) * self._batch
        pieces = []
        while position < stop:
            epoch, start = divmod(position, len(self._part))
            pieces.append(self._epoch_order(epoch)[start : start + stop - position])
            position += len(pieces[-1])
        return np.concatenate(pieces)

    def _epoch_order(self, epoch: int) -> Indices:
        if epoch != self._epoch:
            generator = random_generator(self._seed, Purpose.BATCHES, self._node, epoch)
            self._order = generator.permutation(self._part)
            self._epoch = epoch
        return self._order


def batch_indices(part: Indices, batch: int, step: int, seed: int, node: int) -> Indices:
    """The samples int64 [batch] that a node draws at a step; `Sampler` is faster for many steps."""
    return Sampler(part, batch, seed, node).indices(step)
