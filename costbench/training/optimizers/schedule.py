"""The learning rate of every round."""

from __future__ import annotations

import math

from costbench.spec import Optimizer

WARMUP_FACTOR = 0.1


class Schedule:
    """lr(t): warm-up from a tenth, then factors at milestones, or a cosine.

    Parameters
    ----------
    optimizer : the spec's settings
    rounds_per_epoch : rounds in which all nodes together draw as many samples as there are
    training_rounds : rounds after which a cosine ends at 0
    """

    def __init__(self, optimizer: Optimizer, rounds_per_epoch: float, training_rounds: int):
        self.settings = optimizer
        self.rounds_per_epoch, self.training_rounds = rounds_per_epoch, training_rounds

    def __call__(self, t: int) -> float:
        """Learning rate in round t, counted from 0."""
        epoch = t / self.rounds_per_epoch
        return self.settings.lr * self._warmup(epoch) * self._decay(epoch, t)

    def _warmup(self, epoch: float) -> float:
        """A tenth throughout the warm-up epochs, or rising from it in a straight line."""
        epochs = self.settings.warmup_epochs
        if epoch >= epochs:
            return 1.0
        rising = self.settings.warmup == "linear"
        return WARMUP_FACTOR + (1 - WARMUP_FACTOR) * epoch / epochs if rising else WARMUP_FACTOR

    def _decay(self, epoch: float, t: int) -> float:
        """Every factor whose epoch has come; or (1 + cos(pi t / T)) / 2 (Loshchilov, Hutter 2017, eq. 5)."""
        if self.settings.schedule == "cosine":
            return 0.5 * (1 + math.cos(math.pi * t / self.training_rounds))
        passed = (factor for milestone, factor in self.settings.milestones.items() if epoch >= milestone)
        return math.prod(passed)
