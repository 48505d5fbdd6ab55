"""From sums of terms to a price: tables of nodes and terms, draws, batteries, carbon."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np
import pandas as pd

from costbench.pricing.battery import battery_energy, battery_percent, rounds_until_empty
from costbench.pricing.carbon import carbon_grams
from costbench.pricing.counts import Counts
from costbench.pricing.drone import carrying_flight_time, flight_time_lost
from costbench.pricing.fleet import Device, Fleet
from costbench.pricing.priced import BATTERY_COLUMNS, PERCENTILES, Priced
from costbench.pricing.scenario import Scenario
from costbench.pricing.terms import COMMUNICATION_TERMS, DEVICE_TERMS, IDLE_TERMS, TERMS, TermSums
from costbench.pricing.timeline import Timeline
from costbench.pricing.traced import traced_inputs
from costbench.pricing.uncertainty import Draws, draw, seed_of

SECONDS_A_MINUTE = 60.0
#: what is left of a difference of times by rounding, relative to the whole [1]
ROUNDING = 1e-12


def assembled(
    counts: Counts,
    fleet: Fleet,
    scenario: Scenario,
    sums: TermSums,
    timeline: Timeline,
    tier: str,
    ignored: list[str],
    notes: list[str],
) -> Priced:
    """The price that sums and clock make.

    Parameters
    ----------
    counts : the run
    fleet : the devices, after pricing
    scenario : how the devices exchanged and waited, and what the price holds
    sums : energies [J] and times [s] of each term, by name
    timeline : the clock
    tier : name of how compute was priced
    ignored : name of each phase that was left out
    notes : name of each thing that a reader has to know

    Returns
    -------
    Energies [J] and times [s] by node and term, nominal and as percentiles of the draws
    """
    quantities = _quantities(sums, timeline)
    energy = quantities["total_j"].sum(axis=1)
    names = [(device.name, device.radio) for device in fleet.devices]
    of_node = [names[device] for device in fleet.device_of_node]
    return Priced(
        run_id=counts.run_id,
        name=counts.name,
        profile=mixed([name for name, _ in of_node]),
        radio=mixed([radio for _, radio in of_node]),
        tier=tier,
        scenario=scenario,
        samples=fleet.draws[0].samples,
        terms=_terms_table(sums, counts.rounds),
        per_node=_per_node_table(sums, quantities, timeline, fleet, counts.rounds),
        draws={name: drawn[1:] for name, drawn in quantities.items()},
        inputs=traced_inputs(fleet, energy[1:]),
        carbon_g=_carbon(energy, fleet, scenario),
        ignored_actions=ignored,
        notes=list(dict.fromkeys(notes)),
    )


def mixed(names: Sequence[str]) -> str:
    """The name of a fleet.

    Parameters
    ----------
    names : name of each node's device or radio

    Returns
    -------
    The name if all are alike, else such as "phone*8+jetson-nano*8", in the order of the nodes
    """
    runs = [(name, len(list(same))) for name, same in groupby(names)]
    if len({name for name, _ in runs}) == 1:
        return runs[0][0]
    return "+".join(f"{name}*{times}" for name, times in runs)


def _quantities(sums: TermSums, timeline: Timeline) -> dict[str, np.ndarray]:
    """What is compared and drawn, each [S, N], nominal row first, [J] or [s]."""
    return {
        "total_j": sums.total(),
        "above_idle_j": sums.total(tuple(term for term in TERMS if term not in IDLE_TERMS)),
        "communication_j": sums.total(COMMUNICATION_TERMS),
        "time_s": timeline.total,
    }


def _carbon(energy: np.ndarray, fleet: Fleet, scenario: Scenario) -> dict[str, float] | None:
    """Grams of the fleet, nominal and percentiles, from its energy [S] and the user's intensity."""
    if scenario.carbon is None:
        return None
    of_all = fleet.draws[0]
    rng = np.random.default_rng(seed_of("carbon", "intensity", of_all.seed))
    drawn = draw(scenario.carbon, rng.random(of_all.samples))
    grams = carbon_grams(energy, np.concatenate(([scenario.carbon.si], drawn)))
    return {"nominal": float(grams[0]), **{f"p{p}": float(np.percentile(grams[1:], p)) for p in PERCENTILES}}


def _terms_table(sums: TermSums, rounds: int) -> pd.DataFrame:
    """The long form: one row a node and term."""
    nodes = next(iter(sums.joules.values())).shape[1]
    return pd.DataFrame(
        {
            "round_start": 0,
            "round_stop": rounds,
            "node": np.repeat(np.arange(nodes), len(TERMS)),
            "term": np.tile(np.array(list(TERMS), dtype=object), nodes),
            "energy_j": np.stack([sums.joules[term][0] for term in TERMS], axis=1).reshape(-1),
            "time_s": np.stack([sums.seconds[term][0] for term in TERMS], axis=1).reshape(-1),
        }
    )


def _per_node_table(
    sums: TermSums, quantities: dict[str, np.ndarray], timeline: Timeline, fleet: Fleet, rounds: int
) -> pd.DataFrame:
    """The wide form: one row a node."""
    total, elapsed = quantities["total_j"], quantities["time_s"][0]
    waiting = elapsed - timeline.compute[0] - timeline.communicate[0]
    return pd.DataFrame(
        {
            "node": np.arange(total.shape[1]),
            "device": [fleet.devices[device].name for device in fleet.device_of_node],
            **{f"{term}_j": sums.joules[term][0] for term in TERMS},
            "total_j": total[0],
            "above_idle_j": quantities["above_idle_j"][0],
            **{f"total_j_p{p}": np.percentile(total[1:], p, axis=0) for p in PERCENTILES},
            "compute_s": timeline.compute[0],
            "communicate_s": timeline.communicate[0],
            "wait_s": np.where(waiting > ROUNDING * elapsed, waiting, 0.0),
            "total_s": elapsed,
            **_battery_columns(sums.total(DEVICE_TERMS)[0], elapsed, fleet, rounds),
        }
    )


def _battery_columns(
    energy: np.ndarray, elapsed: np.ndarray, fleet: Fleet, rounds: int
) -> dict[str, np.ndarray]:
    """Shares [%], rounds [1] and minutes of flight of each node [N]; NaN where its device has none."""
    columns = {name: np.full_like(energy, np.nan) for name in BATTERY_COLUMNS}
    for number, (device, draws) in enumerate(zip(fleet.devices, fleet.draws, strict=True)):
        mine = fleet.device_of_node == number
        drawn = battery_energy(energy[mine], draws.nominal("supply.efficiency"))
        if device.profile.battery is not None:
            capacity, usable = (draws.nominal(f"battery.{key}") for key in ("energy", "usable_fraction"))
            columns["battery_percent"][mine] = battery_percent(drawn, capacity, usable)
            columns["rounds_until_empty"][mine] = rounds_until_empty(drawn / rounds, capacity, usable)
        if device.profile.flight is not None:
            flying = draws.nominal("flight.mean_power")
            columns["flight_time_lost_min"][mine] = flight_time_lost(drawn, flying) / SECONDS_A_MINUTE
            columns["flight_carrying_min"][mine] = _carrying(device, draws) / SECONDS_A_MINUTE
    return columns


def _carrying(device: Device, draws: Draws) -> float:
    """Time that carrying the idle computer costs on a flight [s]; NaN without a battery."""
    if device.profile.battery is None:
        return float("nan")
    names = ("mean_power", "takeoff_mass", "companion_mass", "induced_share")
    flying, takeoff, companion, induced = (draws.nominal(f"flight.{name}") for name in names)
    usable = draws.nominal("battery.energy") * draws.nominal("battery.usable_fraction")
    idle = battery_energy(draws.nominal("idle.power"), draws.nominal("supply.efficiency"))
    return float(carrying_flight_time(usable, flying, companion / takeoff, induced, idle))
