"""Time of computing, tier C: a roofline of arithmetic and memory, plus a time to launch each operator."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from costbench.pricing.rounds import RoundKinds, per_kind_and_node
from costbench.pricing.uncertainty import Draws

TIER = "C"


def roofline_time(
    flop: ArrayLike,
    bytes_moved: ArrayLike,
    launches: ArrayLike,
    *,
    flop_per_s: ArrayLike,
    bytes_per_s: ArrayLike,
    launch_time: ArrayLike,
) -> np.ndarray:
    """Time of a group of operators.

    t = launches * launch_time + max(flop / flop_per_s, bytes_moved / bytes_per_s)

    Small networks on edge devices are bound by the first summand: the FEMNIST CNN at batch 10 reaches 2 to
    6 % of the peak of a Jetson. Launch time is the only overhead; a step has none of its own.

    Parameters
    ----------
    flop : any shape, operations, two a multiply-add [FLOP]
    bytes_moved : same shape, bytes read and written by operators [B]
    launches : same shape, operators started [1]
    flop_per_s : same shape or broadcasting, attainable rate: peak times utilisation [FLOP/s]
    bytes_per_s : same shape or broadcasting, attainable bandwidth [B/s]
    launch_time : same shape or broadcasting, time to start one operator [s]

    Returns
    -------
    Broadcast shape, time [s]; the implied rate never exceeds `flop_per_s`

    Raises
    ------
    ValueError : a rate that is not above 0

    Validity
    --------
    To a factor of about two in time for small CNNs at batch 8 to 10; see tests/reference/edge_training.yaml

    Source
    ------
    S. Williams, A. Waterman, D. Patterson, Roofline, CACM 52(4), 2009, for the maximum; measured step times
    in github.com/AndAgio/EneA-FL for the need of a launch time
    """
    flop_per_s, bytes_per_s = np.asarray(flop_per_s), np.asarray(bytes_per_s)
    if (flop_per_s <= 0).any() or (bytes_per_s <= 0).any():
        raise ValueError("rates must be above 0")
    bound = np.maximum(np.asarray(flop) / flop_per_s, np.asarray(bytes_moved) / bytes_per_s)
    return np.asarray(launches) * np.asarray(launch_time) + bound


def compute_time(kinds: RoundKinds, draws: Draws) -> np.ndarray:
    """Time that each node computes in a round of each kind of computing.

    Phases follow one another; integer and other operators count like fp32 ones.

    Parameters
    ----------
    kinds : kinds of round, with the counts of each phase
    draws : numbers of the device; uses those of `compute`

    Returns
    -------
    [S, V, N], time [s], S draws, V kinds of computing
    """
    rows = kinds.compute
    seconds = roofline_time(
        rows.flop,
        rows.bytes_moved,
        rows.launches,
        flop_per_s=(draws("compute.peak_rate") * draws("compute.rate_utilisation"))[:, None],
        bytes_per_s=(draws("compute.memory_bandwidth") * draws("compute.bandwidth_utilisation"))[:, None],
        launch_time=draws("compute.launch_time")[:, None],
    )
    return per_kind_and_node(seconds, rows.compute_kind, rows.node, kinds.compute_kinds, kinds.nodes)
