"""What a report says, once, for both of its pages: index.html and report.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from costbench.pricing.conventions import CONVENTIONS
from costbench.reporting.causes import cause_sentences
from costbench.reporting.columns import COLUMNS, FLOP_CONVENTION
from costbench.reporting.compare import radios_of
from costbench.reporting.figures import CAPTIONS
from costbench.reporting.headline import grouped_by_radio, headline, sentences
from costbench.reporting.summary import spec_differences
from costbench.runstore import Run

if TYPE_CHECKING:
    from costbench.pricing.priced import Priced

Row = dict[str, Any]

#: columns of runs.csv that the page shows, one line each, under their group
RUN_LINES = {
    "Run": ["algorithm", "topology", "nodes", "rounds", "seed", "mean_js_distance"],
    "Learned": [
        "test_accuracy_percent",
        "test_accuracy_min_percent",
        "test_accuracy_max_percent",
        "average_model_test_accuracy_percent",
        "test_loss",
        "consensus_distance",
    ],
    "Sent, all devices": [
        "messages_sent",
        "sent_bits",
        "value_bits",
        "index_bits",
        "side_bits",
        "padding_bits",
        "header_bits",
        "received_bits",
        "dropped_bits",
    ],
    "Dense float32 over sent, by convention": [f"{convention}_ratio" for convention in CONVENTIONS],
    f"Computed, all devices (FLOP, {FLOP_CONVENTION})": [
        "forward_flop",
        "backward_flop",
        "optimizer_flop",
        "compress_flop",
        "mix_flop",
        "total_flop",
    ],
    "Held": ["parameters", "peak_memory_bytes"],
}
#: heading -> the nominal column, its p10 and its p90 (or the column alone)
COST_CELLS = {
    "energy": ("energy_total_j", "energy_total_p10_j", "energy_total_p90_j"),
    "above idle": ("energy_above_idle_j", "energy_above_idle_p10_j", "energy_above_idle_p90_j"),
    "communication": ("energy_communication_j", "energy_communication_p10_j", "energy_communication_p90_j"),
    "busiest device": ("energy_max_node_j",),
    "run time": ("elapsed_s", "elapsed_p10_s", "elapsed_p90_s"),
    "battery": ("battery_percent",),
    "rounds until empty": ("rounds_until_empty",),
    "flight time lost": ("flight_time_lost_min",),
    "by carrying": ("flight_carrying_min",),
    "CO2e of all": ("carbon_fleet_g", "carbon_fleet_p10_g", "carbon_fleet_p90_g"),
    "most energy": ("dominant_term",),
    "its share": ("dominant_term_percent",),
    "waiting": ("waiting_percent",),
}
COMPARE_CELLS = {
    heading: tuple(f"{prefix}_{part}" for part in ("ratio", "p10_ratio", "p90_ratio", "verdict"))
    for heading, prefix in {
        "joules": "energy_total",
        "joules above idle": "energy_above_idle",
        "joules of communication": "energy_communication",
        "time": "elapsed",
    }.items()
}


@dataclass(frozen=True)
class Document:
    """Everything that the templates print; they add no number of their own."""

    title: str
    sentences: list[str]
    causes: list[str]
    baseline: str
    groups: list[Row]
    runs: list[Row]
    run_lines: dict[str, list[str]]
    costs: list[Row]
    cost_cells: dict[str, tuple[str, ...]]
    terms: list[Row]
    term_names: list[str]
    comparisons: list[Row]
    compare_cells: dict[str, tuple[str, ...]]
    figures: list[Row]
    prices: list[Row]
    statements: list[Row]
    inputs: list[Row]
    provenances: list[Row]
    uncounted: dict[str, list[str]]
    differences: list[str]
    commands: list[str]
    columns: dict[str, dict[str, str]]
    flop_convention: str


def compose(
    runs: Sequence[Run],
    priced: Sequence[Priced],
    tables: dict[str, pd.DataFrame],
    figures: Sequence[str],
    out: str,
) -> Document:
    """Arrange tables and records for the pages.

    Parameters
    ----------
    runs, priced : what is reported
    tables : of `tables.all_tables`
    figures : names of the figures that were drawn, without suffix
    out : the name of the report's directory, for the command that makes it again
    """
    rows = headline(runs, priced)
    compared = [row for row in _records(tables["compare"]) if row["run_id"] != row["baseline_run_id"]]
    return Document(
        title=_title(runs),
        sentences=sentences(rows),
        causes=cause_sentences(priced),
        baseline=next(row["name"] for row in rows if row["is_baseline"]),
        groups=grouped_by_radio(rows) or [{"place": "not priced", "tier": None, "rows": rows}],
        runs=_records(tables["runs"]),
        run_lines=RUN_LINES,
        costs=_records(tables["cost"]),
        cost_cells=_known(COST_CELLS, tables["cost"]),
        terms=_term_lines(tables["cost_terms"]),
        term_names=list(dict.fromkeys(tables["cost_terms"]["term"])),
        comparisons=compared,
        compare_cells=COMPARE_CELLS,
        figures=[{"name": name, "caption": CAPTIONS[name]} for name in figures],
        prices=_price_lines(priced),
        statements=_records(tables["sources"]),
        inputs=_input_lines(tables["inputs"]),
        provenances=[_provenance(run) for run in runs],
        uncounted=_uncounted(runs),
        differences=spec_differences([run.record["spec"] for run in runs]),
        commands=_commands(runs, priced, out),
        columns=COLUMNS,
        flop_convention=FLOP_CONVENTION,
    )


def _title(runs: Sequence[Run]) -> str:
    names = list(dict.fromkeys(run.name for run in runs))
    return ", ".join(names) if len(names) <= 3 else f"{', '.join(names[:3])} and {len(names) - 3} more"


def _records(table: pd.DataFrame) -> list[Row]:
    return [{str(name): cell for name, cell in row.items()} for row in table.to_dict("records")]


def _known(cells: dict[str, tuple[str, ...]], table: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    """Without the cells that no row has a number for: the page leaves out what no device here can have."""
    return {heading: names for heading, names in cells.items() if table[names[0]].notna().any()}


def _term_lines(table: pd.DataFrame) -> list[Row]:
    """One line a run and radio, with the joules of each term under the term's name."""
    lines: dict[tuple[str, ...], Row] = {}
    for row in _records(table):
        key = (row["run_id"], row["profile"], row["radio"])
        line = lines.setdefault(key, {**row, "energy_per_device_j": {}})
        line["energy_per_device_j"][row["term"]] = row["energy_per_device_j"]
    return list(lines.values())


def _price_lines(priced: Sequence[Priced]) -> list[Row]:
    first = {(p.profile, p.radio): p for p in reversed(priced)}
    return [
        {
            "profile": profile,
            "radio": radio,
            "tier": price.tier,
            "boundary": price.boundary,
            "scenario": _scenario(price),
            "samples": price.samples,
            "notes": list(dict.fromkeys(note for p in priced if same(p, price) for note in p.notes)),
            "ignored": sorted({action for p in priced if same(p, price) for action in p.ignored_actions}),
        }
        for profile, radio in radios_of(priced)
        if (price := first[profile, radio])
    ]


def _scenario(price: Priced) -> str:
    """How the devices exchanged and waited, in words."""
    said = price.scenario.to_json()
    words = [f"{said['sync']} synchronisation", str(said["cast"])]
    words += ["power save"] if said["power_save"] else []
    if said["environment"]:
        words.append(f"{said['environment']}, links up to {said['longest_distance_m']:g} m")
    if said["collision_domains"] != 1:
        words.append(f"{said['collision_domains']} collision domains")
    words += [f"computing by the table {said['compatibility']}"] if said["compatibility"] else []
    return ", ".join(words)


def _input_lines(table: pd.DataFrame) -> list[Row]:
    """Each number once: a line a profile and key, with the largest share it has in any price."""
    lines: dict[tuple[str, str], Row] = {}
    for row in sorted(_records(table), key=lambda row: -(row["spread_percent"] or 0.0)):
        lines.setdefault((row["profile"], row["key"]), row)
    return list(lines.values())


def same(price: Priced, other: Priced) -> bool:
    """Whether two prices are for the same device and radio."""
    return (price.profile, price.radio) == (other.profile, other.radio)


def _uncounted(runs: Sequence[Run]) -> dict[str, list[str]]:
    """Operators that no counter knows -> names of the runs that used them."""
    found: dict[str, list[str]] = {}
    for run in runs:
        for operator in run.record["uncounted_operators"]:
            found.setdefault(operator, []).append(run.name)
    return found


def _provenance(run: Run) -> Row:
    record = run.record
    return {
        "run_id": run.run_id,
        "name": run.name,
        "ledger_sha256": run.ledger_sha256,
        "final_parameters_sha256": record["final_parameters_sha256"],
        "algorithm_reading": record["algorithm_reading"],
        "dataset": record["provenance"]["dataset"],
        "code_version": record["provenance"]["code_version"],
        "platform": _in_words(record["provenance"]["platform"]),
        "packages": _in_words(record["provenance"]["packages"]),
        "threads": _in_words(record["provenance"]["threads"]),
        "started_utc": record["provenance"]["started_utc"],
        "conventions": record["conventions"],
        "uncounted_operators": record["uncounted_operators"],
    }


def _in_words(record: object) -> str:
    """A mapping as "key value, key value", anything else as it is."""
    pairs = sorted(record.items()) if isinstance(record, dict) else None
    return ", ".join(f"{key} {entry}" for key, entry in pairs) if pairs is not None else str(record)


def _commands(runs: Sequence[Run], priced: Sequence[Priced], out: str) -> list[str]:
    ids = " ".join(run.run_id for run in runs)
    profiles = ",".join(f"{profile}/{radio}" for profile, radio in radios_of(priced))
    again = [f"costbench run specs/{run.run_id}.yaml" for run in runs]
    samples = f" --samples {priced[0].samples}" if priced else ""
    report = f"costbench report {ids} --profile {profiles}{samples} --out {out}"
    return [*again, f"costbench verify {ids}", *([report] if priced else [])]
