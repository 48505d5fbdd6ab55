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
    "waiting": "the idle device while it does not compute: it communicates or waits for others",
    "transmit": "the radio sending payload bits, above the idle device",
    "receive": "the radio receiving payload bits, above the idle device",
    "listen": "the radio awake in the round's communication window while the channel is silent",
    "overhear": "the radio awake while the channel is busy with what is not for the node",
    "promotion": "waking the radio before a transfer",
    "tail": "the radio staying awake after a transfer",
    "overhead_frames": "preambles, headers and acknowledgements on the air, and handling of frames",
    "access_point": "the access point or base station, for this node's bits; only beyond the boundary device",
    "network": "the network behind it, for this node's bits; only with the boundary end-to-end",
}
IDLE_TERMS = ("compute_static", "waiting")
INFRASTRUCTURE_TERMS = ("access_point", "network")
RADIO_TERMS = ("transmit", "receive", "listen", "overhear", "promotion", "tail", "overhead_frames")
COMMUNICATION_TERMS = (*RADIO_TERMS, *INFRASTRUCTURE_TERMS)
DEVICE_TERMS = tuple(term for term in TERMS if term not in INFRASTRUCTURE_TERMS)


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
    compute_energy: np.ndarray,
    idle_power: np.ndarray,
) -> TermSums:
    """Energy and time of each term.

    Parameters
    ----------
    timeline : times of the run
    exchange : communication of the run
    compute_energy : [S, N], of each device while it computes, idle power included [J]
    idle_power : [S, 1] or [S, N], of each device [W]

    Returns
    -------
    Energies [J] and times [s], [S, N]. Energies add up; times do not, because `waiting` is time of the
    device and the terms of the radio lie within it.
    """
    not_computing = np.maximum(timeline.total - timeline.compute, 0.0)
    promoting = timeline.promotions * exchange.promotion.duration
    static = idle_power * timeline.compute
    spent = {
        "compute_active": (timeline.compute, compute_energy - static),
        "compute_static": (timeline.compute, static),
        "waiting": (not_computing, idle_power * not_computing),
        "promotion": (promoting, promoting * exchange.promotion.power),
        "tail": (timeline.tail, timeline.tail * exchange.tail.power),
        **{term: (part.seconds, part.joules) for term, part in exchange.terms.items()},
    }
    nothing = (np.zeros(1), np.zeros(1))
    joules, seconds = {}, {}
    for term in TERMS:
        took, drew = spent.get(term, nothing)
        seconds[term], joules[term] = (np.broadcast_to(part, not_computing.shape) for part in (took, drew))
    return TermSums(joules, seconds)
