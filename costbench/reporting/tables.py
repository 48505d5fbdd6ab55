"""The tables of a report, as data frames whose columns are those of `columns.COLUMNS`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from costbench.ledger import exact_sum
from costbench.pricing.conventions import CONVENTIONS
from costbench.reporting.accuracy import (
    ACCURACY_PARTS,
    Accuracy,
    accuracy_curve,
    cumulative_bits_per_device,
    final_accuracy,
    loss_curve,
    peak_bytes,
)
from costbench.reporting.columns import COLUMNS
from costbench.reporting.compare import accuracy_percent, baseline_of, bits_ratio, compare
from costbench.reporting.costs import cost_rows, modelled, node_cost_rows, term_rows
from costbench.reporting.inputs import input_rows
from costbench.reporting.summary import COMPONENTS, finite, show
from costbench.runstore import Run

if TYPE_CHECKING:
    from costbench.pricing.priced import Priced

Row = dict[str, Any]

NOT_EVALUATED, NOT_MEASURED = "not evaluated in this run", "not measured in this run"
NO_FLIGHT, NO_BATTERY = "the device is no drone", "the profile has no battery"
NO_CARBON = "no carbon intensity was given"
TOO_FEW_DRAWS = "too few draws for as many inputs, or none of them varies"
REASONS = {
    "test_loss": "not evaluated in this run, or not finite: training diverged",
    "consensus_distance": NOT_EVALUATED,
    "mean_js_distance": "not in this run's record",
    "battery_percent": NO_BATTERY,
    "battery_max_node_percent": NO_BATTERY,
    "rounds_until_empty": NO_BATTERY,
    "flight_time_lost_min": NO_FLIGHT,
    "flight_carrying_min": NO_FLIGHT,
    **dict.fromkeys(("carbon_fleet_g", "carbon_fleet_p10_g", "carbon_fleet_p90_g"), NO_CARBON),
    **dict.fromkeys(("spread_from", "spread_from_percent", "spread_percent"), TOO_FEW_DRAWS),
    "place": "the profile was not read from a file",
    "sent_bits_ratio": "the run sends nothing",
    **dict.fromkeys(
        (f"{convention}_ratio" for convention in CONVENTIONS),
        "the run sends nothing, or messages that this convention has no formula for",
    ),
}


def all_tables(
    runs: Sequence[Run], priced: Sequence[Priced], shown: Sequence[Row] | None = None
) -> dict[str, pd.DataFrame]:
    """Every table of a report by the name of its CSV file.

    Parameters
    ----------
    runs : the runs of the report
    priced : the prices of these runs
    shown : the `show` documents of the runs, where they are at hand

    Returns
    -------
    Data frames with exactly the columns of `COLUMNS`, in that order. A missing number is None or NaN, and
    the row's `missing` says why.
    """
    counts = {document["run_id"]: document for document in shown or map(show, runs)}
    rows: dict[str, Callable[[], Iterable[Row]]] = {
        "runs": lambda: (_run_row(run, counts[run.run_id], baseline_of(runs)) for run in runs),
        "per_node_counts": lambda: (row for run in runs for row in _node_rows(run, counts[run.run_id])),
        "cost": lambda: cost_rows(runs, priced),
        "cost_per_node": lambda: (row for price in priced for row in node_cost_rows(price)),
        "cost_terms": lambda: (row for price in priced for row in term_rows(price)),
        "compare": lambda: ({**row, "provenance": modelled(row["tier"])} for row in compare(runs, priced)),
        "accuracy": lambda: (row for run in runs for row in _accuracy_rows(run)),
        "learning": lambda: (row for run in runs for row in _learning_rows(run)),
        "inputs": lambda: input_rows(priced),
        "sources": lambda: source_rows(priced),
    }
    return {name: _table(name, made()) for name, made in rows.items()}


def _table(name: str, rows: Iterable[Row]) -> pd.DataFrame:
    columns = list(COLUMNS[name])
    complete = [_with_reasons(row) if "missing" in columns else row for row in rows]
    return pd.DataFrame(complete, columns=columns).astype(object).where(lambda f: f.notna(), None)


def _with_reasons(row: Row) -> Row:
    empty = [column for column, cell in row.items() if is_missing(cell)]
    return {**row, "missing": "; ".join(f"{column}: {reason(column)}" for column in empty)}


def reason(column: str) -> str:
    """Why a cell of that column can be empty."""
    if column in REASONS:
        return REASONS[column]
    if column.endswith("_bytes"):
        return NOT_MEASURED
    if column.endswith("_sign_share_percent"):
        return "there is no difference to draw"
    return NOT_EVALUATED if "accuracy" in column else "there is no such number here"


def is_missing(cell: object) -> bool:
    """Whether a cell is no number: None or NaN."""
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def _run_row(run: Run, shown: Row, baseline: Run) -> Row:
    spec, nodes = run.record["spec"], shown["per_node"]
    return {
        "run_id": run.run_id,
        "name": run.name,
        "algorithm": spec["algorithm"]["kind"],
        "algorithm_reading": run.record["algorithm_reading"],
        "dataset": run.record["provenance"]["dataset"]["name"],
        "model": spec["task"]["model"]["kind"],
        "topology": spec["topology"]["kind"],
        "nodes": run.nodes,
        "rounds": run.rounds,
        "seed": spec["seed"],
        "parameters": shown["parameters"],
        "mean_js_distance": finite(run.record["partition"].get("mean_js_distance")),
        "messages_sent": sum(node["messages_sent"] for node in nodes),
        "sent_elements": exact_sum(run.ledger.messages["elements"].to_numpy()),
        **_sent_columns({part: _total(nodes, "sent_bits", part) for part in (*COMPONENTS, "total")}),
        "received_bits": shown["totals"]["received_bits"],
        "dropped_bits": shown["totals"]["dropped_bits"],
        "sent_per_device_bits": shown["totals"]["sent_bits"] / run.nodes,
        "sent_bits_ratio": bits_ratio(baseline, run),
        **_flop_columns({phase: _total(nodes, "flop", phase) for phase in nodes[0]["flop"]}, run),
        "peak_memory_bytes": peak_bytes(run),
        **{f"{convention}_ratio": ratio for convention, ratio in shown["compression"].items()},
        **accuracy_percent(final_accuracy(run)),
        "test_loss": shown["metrics"]["test_loss"],
        "consensus_distance": shown["metrics"]["consensus_distance"],
        "uncounted_operators": " ".join(shown["uncounted_operators"]),
        "dataset_sha256": run.record["provenance"]["dataset"]["sha256"],
        "ledger_sha256": run.ledger_sha256,
        "provenance": "counted",
    }


def _total(nodes: list[Row], group: str, part: str) -> int:
    return sum(node[group][part] for node in nodes)


def _sent_columns(sent: dict[str, int]) -> Row:
    return {"sent_bits": sent["total"], **{f"{part}_bits": sent[part] for part in COMPONENTS}}


def _flop_columns(flop: dict[str, int], run: Run) -> Row:
    counts = {f"{phase}_flop": count for phase, count in flop.items()}
    return {**counts, "flop_convention": run.record["conventions"]["flop"]}


def _node_rows(run: Run, shown: Row) -> Iterable[Row]:
    samples = run.record["partition"]["samples"]
    for node in shown["per_node"]:
        yield {
            "run_id": run.run_id,
            "name": run.name,
            "node": node["node"],
            "training_samples": samples[node["node"]],
            "messages_sent": node["messages_sent"],
            "messages_received": node["messages_received"],
            **_sent_columns(node["sent_bits"]),
            "received_bits": node["received_bits"],
            **_flop_columns(node["flop"], run),
            **{f"{category}_bytes": held for category, held in node["memory_bytes"].items()},
            "provenance": "counted",
        }


def _accuracy_rows(run: Run) -> Iterable[Row]:
    for point in accuracy_curve(run).to_dict("records"):
        yield {
            "run_id": run.run_id,
            "name": run.name,
            "round": int(point["round"]),
            "sent_per_device_bits": point["sent_bits"],
            **accuracy_percent(Accuracy(*(finite(point[part]) for part in ACCURACY_PARTS))),
            "provenance": "counted",
        }


def _learning_rows(run: Run) -> Iterable[Row]:
    sent = cumulative_bits_per_device(run)
    for point in loss_curve(run).to_dict("records"):
        done = int(point["round"])
        yield {
            "run_id": run.run_id,
            "name": run.name,
            "round": done,
            "sent_per_device_bits": sent[done],
            "train_loss": finite(point["train_loss"]),
            "provenance": "counted",
        }


def source_rows(priced: Sequence[Priced]) -> list[Row]:
    """Sources to cite and assumed inputs of each profile and radio, each once."""
    found = [
        (price.profile, price.radio, kind, statement)
        for price in priced
        for kind, statements in (("source", price.sources), ("assumed input", price.assumed_inputs))
        for statement in statements
    ]
    names = ("profile", "radio", "kind", "statement")
    return [dict(zip(names, row, strict=True)) for row in dict.fromkeys(found)]
