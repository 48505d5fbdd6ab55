"""Price a run's counts for a fleet of devices and their radios."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from costbench.errors import UsageError
from costbench.pricing.assembly import assembled
from costbench.pricing.compute import compute_energy, compute_time, tier_of
from costbench.pricing.counts import Counts, split_phases
from costbench.pricing.fleet import Device, Fleet, device_of, fleet_of
from costbench.pricing.gaps import find_gaps
from costbench.pricing.neighbourhood import neighbourhood_timeline
from costbench.pricing.priced import Priced
from costbench.pricing.radio import ble, cellular, energy_per_bit, ieee802154, lora, wifi
from costbench.pricing.radio.exchange import Exchange
from costbench.pricing.rounds import RoundKinds, group_rounds
from costbench.pricing.scenario import AS_IS, Scenario
from costbench.pricing.skiptrain import skiptrain_rounds
from costbench.pricing.terms import term_sums
from costbench.pricing.timeline import Timeline, barrier_timeline
from costbench.pricing.uncertainty import chunks
from costbench.profile import HardwareProfile

EXCHANGES: dict[str, Callable[[RoundKinds, Fleet, Scenario], Exchange]] = {
    "wifi-airtime": wifi.exchange,
    "cellular": cellular.exchange,
    "ble": ble.exchange,
    "ieee802154": ieee802154.exchange,
    "lora": lora.exchange,
    "energy-per-bit": energy_per_bit.exchange,
}


def price(
    counts: Counts,
    profile: HardwareProfile,
    radio: str | None = None,
    samples: int = 1000,
    seed: int = 0,
    scenario: Scenario = AS_IS,
) -> Priced:
    """What a run costs when every node is the same device.

    Parameters
    ----------
    counts : the run
    profile : the device
    radio : id of one of its radios; None for its first
    samples : number of draws, at least 1 [1]
    seed : of the draws; runs priced with the same seed on the same profile share their draws [1]
    scenario : how the devices exchange and wait, and what the price is to hold

    Returns
    -------
    Energies [J] and times [s] by node and term, nominal and as percentiles of the draws

    Raises
    ------
    UsageError : a radio that the profile does not have, an action that it cannot price, no samples
    """
    return price_fleet(counts, [device_of(profile, radio)] * counts.nodes, samples, seed, scenario)


def price_fleet(
    counts: Counts,
    devices: Sequence[Device],
    samples: int = 1000,
    seed: int = 0,
    scenario: Scenario = AS_IS,
) -> Priced:
    """What a run costs a fleet.

    Parameters
    ----------
    counts : the run
    devices : device of each node [N]
    samples : number of draws, at least 1 [1]
    seed : of the draws [1]
    scenario : how the devices exchange and wait, and what the price is to hold

    Returns
    -------
    Energies [J] and times [s] by node and term, nominal and as percentiles of the draws

    Raises
    ------
    UsageError : devices that do not fit the run, each other or the scenario, no samples
    """
    if len(devices) != counts.nodes:
        raise UsageError(f"the run has {counts.nodes} nodes, and the fleet {len(devices)} devices")
    fleet = fleet_of(devices, samples, seed, scenario.place.environment if scenario.place else None)
    kinds = group_rounds(counts)
    exchange = EXCHANGES[fleet.radios[0].model](kinds, fleet, scenario)
    computing = _computing(counts, kinds, fleet, scenario)
    timeline = _timeline(kinds, computing.seconds, exchange, scenario)
    idle = fleet("idle.power")
    sums = term_sums(timeline, exchange, compute_energy=computing.energy, idle_power=idle)
    notes = [*exchange.notes, *computing.notes, *_without_effect(scenario, exchange, fleet)]
    ignored = split_phases(counts.compute)[1]
    return assembled(counts, fleet, scenario, sums, timeline, tier_of(fleet), ignored, notes)


def _without_effect(scenario: Scenario, exchange: Exchange, fleet: Fleet) -> list[str]:
    """What the scenario asks for and the radio's model does not have."""
    model = fleet.radios[0].model
    asked = {
        "distances": scenario.place is not None and model != "wifi-airtime",
        "power save": scenario.power_save and not exchange.shared,
        "collision domains": scenario.domain_of_node is not None and not exchange.shared,
    }
    unused = ", ".join(what for what, so in asked.items() if so)
    return [f"without effect in the model {model}: {unused}"] if unused else []


@dataclass(frozen=True)
class _Computing:
    """Time [S, V, N] of each kind of round, [s], energy [S, N] over the run, [J], and remarks."""

    seconds: np.ndarray
    energy: np.ndarray
    notes: tuple[str, ...] = ()


def _computing(counts: Counts, kinds: RoundKinds, fleet: Fleet, scenario: Scenario) -> _Computing:
    """By the profiles' models, or by a published table's rule where the scenario asks for it."""
    table = scenario.compatibility
    if table is None:
        seconds = compute_time(kinds, fleet)
        return _Computing(seconds, compute_energy(kinds, fleet, seconds))
    seconds = np.broadcast_to(skiptrain_rounds(counts, kinds, table), (fleet.rows, *kinds.steps.shape))
    power = np.maximum(table.device.highest_power.si, fleet("idle.power"))
    whole = np.einsum("svn,v->sn", seconds, kinds.compute_repeats)
    note = f"computing by {table.id}, whose table is no measurement: {table.table.says}"
    return _Computing(seconds, power * whole, (note,))


def _timeline(kinds: RoundKinds, seconds: np.ndarray, exchange: Exchange, scenario: Scenario) -> Timeline:
    """The clock; silences between transfers are the same in every draw."""
    if scenario.sync == "barrier":
        gaps = find_gaps(kinds, exchange.active, exchange.shared, exchange.window.columns == 1)
        return barrier_timeline(kinds, seconds, exchange, gaps)
    parts = [
        neighbourhood_timeline(kinds, seconds[rows], exchange.rows(rows))
        for rows in chunks(len(seconds), kinds.nodes**2)
    ]
    return Timeline.joined(parts)
