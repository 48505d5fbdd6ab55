"""Priced: the price of a run for a fleet, as tables, draws and JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from costbench.pricing.scenario import Scenario
from costbench.pricing.terms import COMMUNICATION_TERMS, TERMS
from costbench.pricing.traced import TracedInput

#: columns of `per_node` that add up to the nominal counterpart of each of the draws
COLUMNS_OF = {
    "total_j": ("total_j",),
    "above_idle_j": ("above_idle_j",),
    "communication_j": tuple(f"{term}_j" for term in COMMUNICATION_TERMS),
    "time_s": ("total_s",),
}
ENERGIES = (*TERMS, "total", "above_idle")
#: columns of `per_node` that are missing where a device has no battery or does not fly
BATTERY_COLUMNS = ("battery_percent", "rounds_until_empty", "flight_time_lost_min", "flight_carrying_min")
PERCENTILES = (10, 50, 90)


@dataclass(frozen=True)
class Priced:
    """The price of a run for a fleet; energies at the devices' inputs, nominal unless drawn.

    Attributes
    ----------
    run_id, name : identity of the run
    profile, radio : ids of the device and its radio; "phone*8+jetson-nano*8" for a mixed fleet
    tier : how compute was priced: A measured, B measured time, C roofline and launch time
    scenario : how the devices exchanged and waited, and what the energies hold
    samples : number of draws S [1]
    terms : round_start, round_stop, node, term, energy_j, time_s: long form over the whole run
    per_node : node, device, a column `<term>_j` each, total_j, above_idle_j, total_j_p10 _p50 _p90,
        compute_s, communicate_s, wait_s, total_s, and battery_percent, rounds_until_empty,
        flight_time_lost_min, flight_carrying_min (NaN without a battery or for what does not fly)
    draws : total_j, above_idle_j, communication_j [J] and time_s [s], each [S, N]
    inputs : the numbers that were used, with sources and shares of the spread
    carbon_g : grams of CO2e of the fleet: nominal, p10, p50, p90; None where no intensity was given
    ignored_actions : phases that were left out by name
    notes : what a reader has to know
    """

    run_id: str
    name: str
    profile: str
    radio: str
    tier: str
    scenario: Scenario
    samples: int
    terms: pd.DataFrame
    per_node: pd.DataFrame
    draws: dict[str, np.ndarray]
    inputs: list[TracedInput]
    carbon_g: dict[str, float] | None
    ignored_actions: list[str]
    notes: list[str]

    @property
    def boundary(self) -> str:
        """What the energies hold."""
        return self.scenario.boundary

    @property
    def assumed_inputs(self) -> list[str]:
        """Dotted keys of the numbers used that no source states, sorted."""
        return sorted({entry.key for entry in self.inputs if entry.kind == "assumed"})

    @property
    def sources(self) -> list[str]:
        """Sources of the numbers used that are not mere assumptions, each once, sorted."""
        return sorted({entry.source for entry in self.inputs if entry.kind != "assumed"})

    @property
    def shares(self) -> list[TracedInput]:
        """The inputs that the spread comes from, largest share first."""
        return [entry for entry in self.inputs if entry.share]

    def nominal(self, quantity: str) -> np.ndarray:
        """Nominal counterpart of one of the `draws` [N], [J] or [s]."""
        return self.per_node[list(COLUMNS_OF[quantity])].to_numpy(dtype=float).sum(axis=1)

    def bottleneck(self) -> int:
        """The node that computes and communicates for longest: the others wait for it."""
        busy = self.per_node["compute_s"] + self.per_node["communicate_s"]
        return int(self.per_node["node"][busy.to_numpy().argmax()])

    def dominant_term(self) -> tuple[str, float]:
        """The term with the most of the fleet's energy, and its share [1]."""
        sums = {term: float(self.per_node[f"{term}_j"].sum()) for term in TERMS}
        term = max(sums, key=lambda name: sums[name])
        total = float(self.per_node["total_j"].sum())
        return term, sums[term] / total if total else 0.0

    def nominal_outside(self) -> str | None:
        """ "below p10" or "above p90" where the fleet's nominal energy lies there: ranges that reach further
        to one side of their number do that."""
        nominal, drawn = self.nominal("total_j").sum(), self.draws["total_j"].sum(axis=1)
        low, high = np.percentile(drawn, (PERCENTILES[0], PERCENTILES[-1]))
        return "below p10" if nominal < low else "above p90" if nominal > high else None

    def to_json(self) -> dict[str, Any]:
        """One element of `runs` in the document that `costbench price --json` prints."""
        return {
            "run_id": self.run_id,
            "profile": self.profile,
            "radio": self.radio,
            "tier": self.tier,
            "scenario": self.scenario.to_json(),
            "per_node": [_node_document(row) for row in self.per_node.to_dict("records")],
            "fleet": self._fleet_document(),
            "assumed_inputs": self.assumed_inputs,
            "sources": self.sources,
            "inputs": [entry.to_json() for entry in self.inputs],
            "ignored_actions": self.ignored_actions,
            "notes": self.notes,
        }

    def _fleet_document(self) -> dict[str, Any]:
        term, share = self.dominant_term()
        return {
            "energy_j": {name: float(self.per_node[f"{name}_j"].sum()) for name in ENERGIES},
            "time_s": float(self.per_node["total_s"].max()),
            "max_node_energy_j": float(self.per_node["total_j"].max()),
            "bottleneck_node": self.bottleneck(),
            "dominant_term": {"term": term, "share": share},
            "carbon_g": self.carbon_g,
        }


def _node_document(row: dict[Any, Any]) -> dict[str, Any]:
    return {
        "node": int(row["node"]),
        "device": row["device"],
        "energy_j": {name: float(row[f"{name}_j"]) for name in ENERGIES},
        "time_s": {name: float(row[f"{name}_s"]) for name in ("compute", "communicate", "wait", "total")},
        **{f"energy_total_j_p{p}": float(row[f"total_j_p{p}"]) for p in PERCENTILES},
        **{name: None if np.isnan(row[name]) else float(row[name]) for name in BATTERY_COLUMNS},
    }
