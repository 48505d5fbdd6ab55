"""Power while computing: constant, an energy roofline, a maker's table of currents; and other clocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from costbench.pricing.uncertainty import Draws
from costbench.profile.compute import ComputePower, CpuTablePower, RooflinePower


def roofline_power(
    flop_per_s: ArrayLike,
    bytes_per_s: ArrayLike,
    *,
    static_power: ArrayLike,
    energy_per_flop: ArrayLike,
    energy_per_byte: ArrayLike,
    highest_power: ArrayLike,
) -> np.ndarray:
    """Power of a processor that works at given rates.

    P = min(pi0 + eps_f F/t + eps_m B/t, P_cap)

    Parameters
    ----------
    flop_per_s : any shape, operations done in a second F/t [FLOP/s]
    bytes_per_s : same shape, bytes moved in a second B/t [B/s]
    static_power : same shape or broadcasting, pi0 [W]
    energy_per_flop : same shape or broadcasting, eps_f [J/FLOP]
    energy_per_byte : same shape or broadcasting, eps_m [J/B]
    highest_power : same shape or broadcasting, cap [W]

    Returns
    -------
    Broadcast shape, power [W]

    Validity
    --------
    On 15 measured runs of three models on a Jetson AGX Orin, power is missed by up to 35 % when the model
    itself took no part in the fit; see `costbench validate`

    Source
    ------
    J. Choi, D. Bedard, R. Fowler, R. Vuduc, A Roofline Model of Energy, IPDPS 2013, eqs. (2) to (5)
    """
    arithmetic = np.asarray(energy_per_flop) * np.asarray(flop_per_s)
    drawn = np.asarray(static_power) + arithmetic + np.asarray(energy_per_byte) * np.asarray(bytes_per_s)
    return np.minimum(drawn, highest_power)


def core_current(frequency: float, frequencies: Sequence[float], currents: Sequence[float]) -> float:
    """Current of one core at a frequency, from a maker's table.

    Parameters
    ----------
    frequency : scalar, clock of the core [Hz]
    frequencies : ascending clocks of the table [Hz]
    currents : current at each [A]

    Returns
    -------
    Current [A], linear between the entries

    Raises
    ------
    ValueError : a frequency outside the table, or a table that does not ascend

    Source
    ------
    Android power_profile.xml, cpu.core_power; the platform's documentation, Measuring Power Values
    """
    clocks = np.asarray(frequencies)
    if len(clocks) != len(currents) or (np.diff(clocks) <= 0).any():
        raise ValueError("a table needs ascending frequencies, and as many currents")
    if not clocks[0] <= frequency <= clocks[-1]:
        raise ValueError(f"{frequency:g} Hz lies outside the table, {clocks[0]:g} to {clocks[-1]:g} Hz")
    return float(np.interp(frequency, clocks, currents))


def table_power(
    voltage: ArrayLike, active_current: ArrayLike, cluster_currents: ArrayLike, core_currents: ArrayLike
) -> np.ndarray:
    """Power of a processor from a maker's table of currents.

    P = V (I_active + sum of busy clusters I_cluster + sum of busy cores I_core(f))

    Parameters
    ----------
    voltage : [S], of the battery [V]
    active_current : [S], of the processor awake [A]
    cluster_currents : [S], of all busy clusters together [A]
    core_currents : [S], of all busy cores together [A]

    Returns
    -------
    [S], power [W]

    Source
    ------
    Android power_profile.xml; the platform's documentation, Measuring Power Values
    """
    together = np.asarray(active_current) + np.asarray(cluster_currents) + np.asarray(core_currents)
    return np.asarray(voltage) * together


def clock_scaled_power(
    idle_power: ArrayLike, power: ArrayLike, clock_ratio: ArrayLike, exponent: ArrayLike
) -> np.ndarray:
    """Power under another clock: what is above idle grows with a power of the clock.

    P = P_idle + (P_ref - P_idle) (f / f_ref)^k

    Parameters
    ----------
    idle_power : any shape, of the idle device [W]
    power : same shape, under the reference clock, at least that of the idle device [W]
    clock_ratio : same shape or scalar, f / f_ref, above 0 [1]
    exponent : same shape or scalar, k: 1 at constant voltage, up to 3 where the voltage follows the clock [1]

    Returns
    -------
    Same shape, power [W]

    Raises
    ------
    ValueError : a ratio that is not above 0, or a power below that of the idle device

    Source
    ------
    Dynamic power of CMOS, C V^2 f: A. Chandrakasan, S. Sheng, R. Brodersen, Low-Power CMOS Digital Design,
    IEEE JSSC 27(4), 1992, eq. (1)
    """
    if (np.asarray(clock_ratio) <= 0).any():
        raise ValueError("clock_ratio must be above 0")
    dynamic = np.asarray(power) - np.asarray(idle_power)
    if (dynamic < 0).any():
        raise ValueError("power must be at least that of the idle device")
    return np.asarray(idle_power) + dynamic * np.asarray(clock_ratio) ** np.asarray(exponent)


def scaled_rate(flop_per_s: ArrayLike, cores_ratio: ArrayLike, clock_ratio: ArrayLike) -> np.ndarray:
    """Rate of another processor of the same family.

    Parameters
    ----------
    flop_per_s : any shape, rate of the one that is known [FLOP/s]
    cores_ratio : same shape or scalar, cores over cores [1]
    clock_ratio : same shape or scalar, clock over clock [1]

    Returns
    -------
    Same shape, rate [FLOP/s]

    Validity
    --------
    Arithmetic that the memory does not bind
    """
    return np.asarray(flop_per_s) * np.asarray(cores_ratio) * np.asarray(clock_ratio)


def power_while_computing(
    model: ComputePower, draws: Draws, seconds: np.ndarray, flop: np.ndarray, bytes_moved: np.ndarray
) -> np.ndarray:
    """Mean power of a device while it computes, idle power included, by the profile's model.

    Parameters
    ----------
    model : the profile's section `compute.power`
    draws : numbers of the device
    seconds : [S, N], time that it computes over the run [s]
    flop : [N], operations over the run [FLOP]
    bytes_moved : [N], bytes over the run [B]

    Returns
    -------
    [S, N] or [S, 1], power [W]
    """
    key = "compute.power"
    if isinstance(model, CpuTablePower):
        return _table_power(model, draws, key)[:, None]
    if isinstance(model, RooflinePower):
        names = ("static_power", "energy_per_flop", "energy_per_byte", "highest_power")
        numbers = {name: draws(f"{key}.{name}")[:, None] for name in names}
        busy = np.where(seconds > 0, seconds, 1.0)
        return roofline_power(flop / busy, bytes_moved / busy, **numbers)
    return draws(f"{key}.train_power")[:, None]


def _table_power(model: CpuTablePower, draws: Draws, key: str) -> np.ndarray:
    """Power of the clusters that train [S], [W]."""
    clusters, cores = np.zeros(1), 0.0
    for name, cluster in model.clusters.items():
        clock = draws.nominal(f"{key}.clusters.{name}.frequency")
        each = core_current(clock, cluster.frequencies.si, cluster.core_currents.si)
        cores += draws.nominal(f"{key}.clusters.{name}.cores") * each
        clusters = clusters + draws(f"{key}.clusters.{name}.cluster_current")
    drawn = table_power(draws(f"{key}.voltage"), draws(f"{key}.active_current"), clusters, cores)
    return drawn * draws(f"{key}.table_error")
