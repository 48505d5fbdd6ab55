"""Priced: the price of a run for one device, as tables, draws and JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from costbench.pricing.battery import battery_energy, battery_percent
from costbench.pricing.drone import flight_time_lost
from costbench.pricing.terms import COMMUNICATION_TERMS, TERMS, TermSums
from costbench.pricing.uncertainty import PERCENTILES, Draws

SECONDS_A_MINUTE = 60.0
#: what is left of a difference of times by rounding, relative to the whole [1]
ROUNDING = 1e-12
_COLUMNS_OF = {
    "total_j": ("total_j",),
    "above_idle_j": ("above_idle_j",),
    "communication_j": tuple(f"{term}_j" for term in COMMUNICATION_TERMS),
    "time_s": ("total_s",),
}


@dataclass(frozen=True)
class Priced:
    """The price of a run for one device and radio; energies at the device's input, nominal unless drawn.

    Attributes
    ----------
    run_id, name : identity of the run
    profile, radio : ids of the device and its radio
    tier : how compute was priced: A measured, B measured time, C roofline and launch time
    boundary : what the energies hold: "device"
    samples : number of draws S [1]
    terms : round_start, round_stop, node, term, energy_j, time_s: long form over the whole run
    per_node : node, a column `<term>_j` each, total_j, above_idle_j, total_j_p10 _p50 _p90, compute_s,
        communicate_s, wait_s, total_s, battery_percent (NaN without a battery) and flight_time_lost_min
        (NaN for what does not fly)
    draws : total_j, above_idle_j, communication_j [J] and time_s [s], each [S, N]
    assumed_inputs : dotted keys of the profile's numbers that were used and that no source states
    sources : sources of the other numbers that were used
    ignored_actions : phases that were left out by name
    """

    run_id: str
    name: str
    profile: str
    radio: str
    tier: str
    boundary: str
    samples: int
    terms: pd.DataFrame
    per_node: pd.DataFrame
    draws: dict[str, np.ndarray]
    assumed_inputs: list[str]
    sources: list[str]
    ignored_actions: list[str]

    def nominal(self, quantity: str) -> np.ndarray:
        """Nominal counterpart of one of the `draws` [N], [J] or [s]."""
        return self.per_node[list(_COLUMNS_OF[quantity])].to_numpy(dtype=float).sum(axis=1)

    def to_json(self) -> dict[str, Any]:
        """One element of `runs` in the document that `costbench price --json` prints."""
        rows = self.per_node.to_dict("records")
        names = (*TERMS, "total", "above_idle")
        return {
            "run_id": self.run_id,
            "profile": self.profile,
            "radio": self.radio,
            "tier": self.tier,
            "per_node": [_node_document(row) for row in rows],
            "fleet": {
                "energy_j": {name: float(self.per_node[f"{name}_j"].sum()) for name in names},
                "time_s": float(self.per_node["total_s"].max()),
                "max_node_energy_j": float(self.per_node["total_j"].max()),
            },
            "assumed_inputs": self.assumed_inputs,
            "sources": self.sources,
            "ignored_actions": self.ignored_actions,
        }


def _node_document(row: dict[Any, Any]) -> dict[str, Any]:
    return {
        "node": int(row["node"]),
        "energy_j": {name: float(row[f"{name}_j"]) for name in (*TERMS, "total", "above_idle")},
        "time_s": {name: float(row[f"{name}_s"]) for name in ("compute", "communicate", "wait", "total")},
        **{f"energy_total_j_p{p}": float(row[f"total_j_p{p}"]) for p in PERCENTILES},
        "battery_percent": _or_none(row["battery_percent"]),
        "flight_time_lost_min": _or_none(row["flight_time_lost_min"]),
    }


def _or_none(number: float) -> float | None:
    return None if np.isnan(number) else float(number)


def terms_table(sums: TermSums, rounds: int) -> pd.DataFrame:
    """The long form of a price.

    Parameters
    ----------
    sums : energies [S, N], [J] and times [S, N], [s] of each term, nominal row first
    rounds : number of rounds [1]

    Returns
    -------
    One row a node and term: round_start, round_stop, node, term, energy_j, time_s
    """
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


def per_node_table(
    sums: TermSums, quantities: dict[str, np.ndarray], clock: dict[str, np.ndarray], draws: Draws
) -> pd.DataFrame:
    """The wide form of a price.

    Parameters
    ----------
    sums : energies [S, N] of each term, nominal row first [J]
    quantities : total_j, above_idle_j [J] and time_s [s], each [S, N], nominal row first
    clock : nominal `compute` and `communicate` of each node [N], [s]
    draws : numbers of the device, for its battery and flight

    Returns
    -------
    One row a node, columns as documented for `Priced.per_node`
    """
    total, elapsed = quantities["total_j"], quantities["time_s"][0]
    waiting = elapsed - clock["compute"] - clock["communicate"]
    waiting = np.where(waiting > ROUNDING * elapsed, waiting, 0.0)
    return pd.DataFrame(
        {
            "node": np.arange(total.shape[1]),
            **{f"{term}_j": sums.joules[term][0] for term in TERMS},
            "total_j": total[0],
            "above_idle_j": quantities["above_idle_j"][0],
            **{f"total_j_p{p}": np.percentile(total[1:], p, axis=0) for p in PERCENTILES},
            "compute_s": clock["compute"],
            "communicate_s": clock["communicate"],
            "wait_s": waiting,
            "total_s": elapsed,
            **_battery_columns(total[0], draws),
        }
    )


def _battery_columns(total: np.ndarray, draws: Draws) -> dict[str, np.ndarray]:
    """battery_percent [N], [%] and flight_time_lost_min [N], [min]; NaN where the device has neither."""
    percent, minutes = np.full_like(total, np.nan), np.full_like(total, np.nan)
    drawn = battery_energy(total, draws.nominal("supply.efficiency"))
    if draws.profile.battery is not None:
        capacity, usable = (draws.nominal(f"battery.{key}") for key in ("energy", "usable_fraction"))
        percent = battery_percent(drawn, capacity, usable)
    if draws.profile.flight is not None:
        minutes = flight_time_lost(drawn, draws.nominal("flight.mean_power")) / SECONDS_A_MINUTE
    return {"battery_percent": percent, "flight_time_lost_min": minutes}
