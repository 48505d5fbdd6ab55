"""The tables of a report that hold prices: mean costs, costs of every device, and costs by term."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from costbench.reporting.accuracy import final_accuracy
from costbench.reporting.columns import COLUMNS
from costbench.reporting.compare import accuracy_percent
from costbench.reporting.inputs import cause_columns
from costbench.reporting.summary import finite
from costbench.runstore import Run

if TYPE_CHECKING:
    from costbench.pricing.priced import Priced

Row = dict[str, Any]


def modelled(tier: str) -> str:
    """The provenance of a price."""
    return f"modelled, tier {tier}"


def _priced_identity(price: Priced) -> Row:
    return {
        "run_id": price.run_id,
        "name": price.name,
        "profile": price.profile,
        "radio": price.radio,
        "tier": price.tier,
        "provenance": modelled(price.tier),
    }


def cost_rows(runs: Sequence[Run], priced: Sequence[Priced]) -> list[Row]:
    """One row a run and (profile, radio), as documented for cost.csv."""
    accuracies = {run.run_id: accuracy_percent(final_accuracy(run)) for run in runs}
    return [_cost_row(price, accuracies[price.run_id]) for price in priced]


def _cost_row(price: Priced, accuracy: Row) -> Row:
    nodes, fleet = price.per_node, price.to_json()["fleet"]
    return {
        **_priced_identity(price),
        "boundary": price.boundary,
        **_with_draws("energy_total", "j", nodes["total_j"].mean(), mean_draws(price, "total_j")),
        **_with_draws(
            "energy_above_idle", "j", nodes["above_idle_j"].mean(), mean_draws(price, "above_idle_j")
        ),
        **_with_draws(
            "energy_communication",
            "j",
            price.nominal("communication_j").mean(),
            mean_draws(price, "communication_j"),
        ),
        "energy_fleet_j": fleet["energy_j"]["total"],
        "energy_max_node_j": fleet["max_node_energy_j"],
        **_with_draws("elapsed", "s", fleet["time_s"], np.max(price.draws["time_s"], axis=1)),
        **{name: _mean(nodes[name]) for name in ("compute_s", "communicate_s", "wait_s")},
        "battery_percent": _mean(nodes["battery_percent"]),
        "battery_max_node_percent": finite(pd.to_numeric(nodes["battery_percent"]).max()),
        "rounds_until_empty": finite(pd.to_numeric(nodes["rounds_until_empty"]).min()),
        "flight_time_lost_min": _mean(nodes["flight_time_lost_min"]),
        "flight_carrying_min": _mean(nodes["flight_carrying_min"]),
        **_carbon_columns(price),
        **cause_columns(price),
        "cast": price.scenario.cast,
        "sync": price.scenario.sync,
        "samples": price.samples,
        **accuracy,
    }


def _carbon_columns(price: Priced) -> Row:
    grams = price.carbon_g or dict.fromkeys(("nominal", "p10", "p90"))
    return {
        "carbon_fleet_g": grams["nominal"],
        "carbon_fleet_p10_g": grams["p10"],
        "carbon_fleet_p90_g": grams["p90"],
    }


def mean_draws(price: Priced, quantity: str) -> np.ndarray:
    """A quantity of each draw, mean over devices [samples]."""
    return np.mean(price.draws[quantity], axis=1)


def _with_draws(name: str, unit: str, nominal: float, draws: np.ndarray) -> Row:
    percentiles = {f"{name}_p{p}_{unit}": float(np.percentile(draws, p)) for p in (10, 50, 90)}
    return {f"{name}_{unit}": float(nominal), **percentiles}


def _mean(column: pd.Series) -> float | None:
    """Mean over devices; None as soon as one device has no number, so that missing never counts as 0."""
    numbers = pd.to_numeric(column)
    return None if numbers.isna().any() else float(numbers.mean())


def node_cost_rows(price: Priced) -> Iterable[Row]:
    """One row a device, as documented for cost_per_node.csv."""
    renamed = price.per_node.rename(columns={f"total_j_p{p}": f"total_p{p}_j" for p in (10, 50, 90)})
    wanted = [name for name in COLUMNS["cost_per_node"] if name in renamed]
    for record in renamed[wanted].astype(object).to_dict("records"):
        yield {**_priced_identity(price), **{str(name): cell for name, cell in record.items()}}


def term_rows(price: Priced) -> Iterable[Row]:
    """One row a term, as documented for cost_terms.csv."""
    sums = price.terms.groupby("term", sort=False)[["energy_j", "time_s"]].sum()
    total, nodes = sums["energy_j"].sum(), len(price.per_node)
    for term, energy, elapsed in sums.itertuples():
        yield {
            **_priced_identity(price),
            "term": term,
            "energy_fleet_j": energy,
            "energy_per_device_j": energy / nodes,
            "energy_share_percent": 100 * energy / total if total else None,
            "elapsed_per_device_s": elapsed / nodes,
        }
