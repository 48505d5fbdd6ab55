"""Numbers of a profile that are each sound, and do not go together."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from costbench.errors import InputError
from costbench.profile.cellular import CellularRadio
from costbench.profile.compute import CpuCluster, CpuTablePower, RooflinePower
from costbench.profile.device import HardwareProfile


def inconsistencies(profile: HardwareProfile, path: Path) -> Iterator[InputError]:
    """What keeps the numbers of a profile from being priced together.

    Parameters
    ----------
    profile : a profile whose keys are all there and in their ranges
    path : its file, to be named

    Yields
    ------
    One error a fault
    """
    yield from _powers(profile, path)
    yield from _tables(profile, path)
    yield from _rates(profile, path)


def _powers(profile: HardwareProfile, path: Path) -> Iterator[InputError]:
    """Training draws at least idle power in every draw, or above-idle energy would be negative."""
    idle, power = profile.idle.power, profile.compute.power
    allowed = f"at least the highest idle.power, {idle.si_high:g} W"
    if power.lowest_w < idle.si_high:
        key = "compute.power.train_power.low" if power.model == "constant" else "compute.power"
        yield InputError(path, key, power.lowest_w, allowed)
    if isinstance(power, RooflinePower) and power.highest_power.si_low < idle.si_high:
        yield InputError(path, "compute.power.highest_power.low", power.highest_power.si_low, allowed)


def _tables(profile: HardwareProfile, path: Path) -> Iterator[InputError]:
    power = profile.compute.power
    if isinstance(power, CpuTablePower):
        for name, cluster in power.clusters.items():
            yield from _table(cluster, f"compute.power.clusters.{name}", path)


def _table(cluster: CpuCluster, key: str, path: Path) -> Iterator[InputError]:
    """A maker's table ascends, has a current for each frequency, and holds the one that trains."""
    clocks, currents = cluster.frequencies, cluster.core_currents
    if len(currents.values) != len(clocks.values):
        allowed = f"as many numbers as frequencies, {len(clocks.values)}"
        yield InputError(path, f"{key}.core_currents.values", len(currents.values), allowed)
    if any(after <= before for before, after in pairwise(clocks.values)):
        yield InputError(path, f"{key}.frequencies.values", clocks.values, "numbers that ascend")
    lowest, highest = min(clocks.si), max(clocks.si)
    if not lowest <= cluster.frequency.si <= highest:
        allowed = f"a frequency of the table, {lowest:g} to {highest:g} Hz"
        yield InputError(path, f"{key}.frequency", cluster.frequency.si, allowed)


def _rates(profile: HardwareProfile, path: Path) -> Iterator[InputError]:
    """A cellular rate stays inside the range in which its power was fitted."""
    for name, radio in profile.radios.items():
        if not isinstance(radio, CellularRadio):
            continue
        for key, way in (("uplink", radio.uplink), ("downlink", radio.downlink)):
            bounds = way.fitted_from.si, way.fitted_to.si
            if not bounds[0] <= way.rate.si_low <= way.rate.si_high <= bounds[1]:
                found = f"{way.rate.low:g} to {way.rate.high:g} {way.rate.unit}"
                allowed = f"{bounds[0]:g} to {bounds[1]:g} bit/s, where its power was fitted"
                yield InputError(path, f"radios.{name}.{key}.rate", found, allowed)
