"""Computing: its time by a roofline and launches, its energy by the device's power model, and its tier."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from costbench.pricing.compute_power import clock_scaled_power, power_while_computing
from costbench.pricing.fleet import Device, Fleet
from costbench.pricing.rounds import ComputeRows, RoundKinds, per_kind_and_node
from costbench.pricing.uncertainty import Draws
from costbench.profile import HardwareProfile

TIME_KEYS = (
    "peak_rate",
    "rate_utilisation",
    "memory_bandwidth",
    "bandwidth_utilisation",
    "launch_time",
    "step_time",
)


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
    6 % of the peak of a Jetson.

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


def compute_time(kinds: RoundKinds, fleet: Fleet) -> np.ndarray:
    """Time that each node computes in a round of each kind of computing.

    Phases follow one another; integer and other operators count like fp32 ones. A round with a training
    step adds `step_time`.

    Parameters
    ----------
    kinds : kinds of round, with the counts of each phase
    fleet : numbers of the devices; uses those of `compute`

    Returns
    -------
    [S, V, N], time [s], S draws, V kinds of computing
    """
    seconds = np.zeros((fleet.rows, kinds.compute_kinds, kinds.nodes))
    for number, (device, draws) in enumerate(zip(fleet.devices, fleet.draws, strict=True)):
        nodes = np.flatnonzero(fleet.device_of_node == number)
        rows = _of_nodes(kinds.compute, nodes)
        of_rows = roofline_time(rows.flop, rows.bytes_moved, rows.launches, **rates(device, draws))
        summed = per_kind_and_node(of_rows, rows.compute_kind, rows.node, kinds.compute_kinds, kinds.nodes)
        steps = kinds.steps[:, nodes] * draws("compute.step_time")[:, None, None]
        seconds[:, :, nodes] = summed[:, :, nodes] + steps
    return seconds


def rates(device: Device, draws: Draws) -> dict[str, np.ndarray]:
    """What a device attains in its power mode.

    Parameters
    ----------
    device : the device
    draws : its numbers

    Returns
    -------
    flop_per_s [S, 1], [FLOP/s], bytes_per_s [S, 1], [B/s] and launch_time [S, 1], [s]
    """
    ratio, bandwidth = 1.0, draws("compute.memory_bandwidth")
    if device.mode:
        ratio = clock_ratio(device, draws)
        bandwidth = draws(f"compute.clock.modes.{device.mode}.memory_bandwidth")
    return {
        "flop_per_s": (ratio * draws("compute.peak_rate") * draws("compute.rate_utilisation"))[:, None],
        "bytes_per_s": (bandwidth * draws("compute.bandwidth_utilisation"))[:, None],
        "launch_time": draws("compute.launch_time")[:, None] / ratio,
    }


def clock_ratio(device: Device, draws: Draws) -> float:
    """Clock in the device's power mode over the clock of its numbers.

    Parameters
    ----------
    device : the device, with a mode
    draws : its numbers

    Returns
    -------
    Ratio [1]
    """
    return draws.nominal(f"compute.clock.modes.{device.mode}.clock") / draws.nominal(
        "compute.clock.reference"
    )


def compute_energy(kinds: RoundKinds, fleet: Fleet, seconds: np.ndarray) -> np.ndarray:
    """Energy of each device while it computes, over the whole run, idle power included.

    Parameters
    ----------
    kinds : kinds of round, with the counts of each phase
    fleet : numbers of the devices
    seconds : [S, V, N], time of computing in a round of each kind of computing [s]

    Returns
    -------
    [S, N], energy [J]
    """
    whole = np.einsum("svn,v->sn", seconds, kinds.compute_repeats)
    energy = np.zeros_like(whole)
    for number, (device, draws) in enumerate(zip(fleet.devices, fleet.draws, strict=True)):
        nodes = np.flatnonzero(fleet.device_of_node == number)
        rows = _of_nodes(kinds.compute, nodes)
        flop, moved = (_over_run(kinds, rows, amount)[nodes] for amount in (rows.flop, rows.bytes_moved))
        power = power_while_computing(device.profile.compute.power, draws, whole[:, nodes], flop, moved)
        if device.mode:
            power = clock_scaled_power(
                draws("idle.power")[:, None],
                power,
                clock_ratio(device, draws),
                draws("compute.clock.power_exponent")[:, None],
            )
        energy[:, nodes] = power * whole[:, nodes]
    return energy


def _of_nodes(rows: ComputeRows, nodes: np.ndarray) -> ComputeRows:
    mine = np.isin(rows.node, nodes)
    return ComputeRows(*(column[mine] for column in vars(rows).values()))


def _over_run(kinds: RoundKinds, rows: ComputeRows, amounts: np.ndarray) -> np.ndarray:
    """Counts of every node over the run [N]."""
    times = kinds.compute_repeats[rows.compute_kind]
    return np.bincount(rows.node, amounts * times, kinds.nodes)


def tier_of(fleet: Fleet) -> str:
    """How computing is priced.

    Parameters
    ----------
    fleet : the devices

    Returns
    -------
    A: time and power measured; B: time measured; C: roofline and launch time. The worst of the devices'
    """
    return max(_tier(device.profile) for device in fleet.devices)


def _tier(profile: HardwareProfile) -> str:
    time_kinds = {getattr(profile.compute, key).kind for key in TIME_KEYS}
    power_kinds = {number.kind for number in profile.compute.power.numbers().values()}
    if time_kinds != {"measured"}:
        return "C"
    return "A" if power_kinds == {"measured"} else "B"
