"""The terms of a price, what each means, and their sums over a whole run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from costbench.pricing.radio.exchange import Exchange
from costbench.pricing.timeline import Timeline

#: term -> what it is the energy of
TERMS = {
    "compute_active": "computing, above the idle device",
    "compute_static": "the idle device while it computes",
    "waiting": "the idle device while it does not compute: it communicates or waits at the barrier",
    "transmit": "the radio sending payload bits, above the idle device",
    "receive": "the radio receiving payload bits, above the idle device",
    "listen": "the radio awake in the round's communication window, neither sending nor receiving",
    "promotion": "waking the radio before a transfer",
    "tail": "the radio staying awake after a transfer",
    "overhead_frames": "preambles, headers and acknowledgements on the air, and handling of frames",
}
IDLE_TERMS = ("compute_static", "waiting")
COMMUNICATION_TERMS = ("transmit", "receive", "listen", "promotion", "tail", "overhead_frames")


@dataclass(frozen=True)
class TermSums:
    """Energy [J] and time [s] of each term over a whole run, each [S, N]."""

    joules: dict[str, np.ndarray]
    seconds: dict[str, np.ndarray]

    def total(self, terms: tuple[str, ...] = tuple(TERMS)) -> np.ndarray:
        """Sum of terms in their order [S, N], [J]."""
        return np.sum([self.joules[term] for term in terms], axis=0)


def term_sums(
    timeline: Timeline,
    exchange: Exchange,
    *,
    idle_power: np.ndarray,
    train_power: np.ndarray,
) -> TermSums:
    """Energy and time of each term.

    Parameters
    ----------
    timeline : times of the run
    exchange : communication of the run
    idle_power : [S], of the device [W]
    train_power : [S], of the device while it computes, idle power included [W]

    Returns
    -------
    Energies [J] and times [s], [S, N]. Energies add up; times do not, because `waiting` is time of the
    device and the terms of the radio lie within it.
    """
    idle, train = idle_power[:, None], train_power[:, None]
    not_computing = np.maximum(timeline.total[:, None] - timeline.compute, 0.0)
    promoting = timeline.promotions * exchange.promotion.duration[:, None]
    joules = {
        "compute_active": (train - idle) * timeline.compute,
        "compute_static": idle * timeline.compute,
        "waiting": idle * not_computing,
        "promotion": promoting * exchange.promotion.power[:, None],
        "tail": timeline.tail * exchange.tail.power[:, None],
    }
    seconds = {
        "compute_active": timeline.compute,
        "compute_static": timeline.compute,
        "waiting": not_computing,
        "promotion": promoting,
        "tail": timeline.tail,
    }
    for term, spent in exchange.terms.items():
        joules[term], seconds[term] = (
            np.broadcast_to(part, not_computing.shape) for part in (spent.joules, spent.seconds)
        )
    return TermSums(*({term: part[term] for term in TERMS} for part in (joules, seconds)))
