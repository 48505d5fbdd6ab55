"""What a reader takes home: a few rows and one sentence a run, never a saving without its accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from costbench.reporting.accuracy import final_accuracy
from costbench.reporting.compare import (
    LESS,
    MORE,
    UNCLEAR,
    accuracy_percent,
    baseline_of,
    bits_ratio,
    compare,
    sent_bits_per_device,
)
from costbench.reporting.costs import cost_rows
from costbench.reporting.numerals import digits, text
from costbench.runstore import Run

if TYPE_CHECKING:
    from costbench.pricing.priced import Priced

Row = dict[str, Any]

_COST = ("profile", "radio", "tier", "energy_total_j", "energy_total_p10_j", "energy_total_p90_j")
_RATIO = ("energy_total_ratio", "energy_total_p10_ratio", "energy_total_p90_ratio", "energy_total_verdict")

#: a page opens with so many runs in words, and a sentence names so many devices and radios
MOST_SENTENCES, MOST_PLACES = 3, 3


def headline(runs: Sequence[Run], priced: Sequence[Priced]) -> list[Row]:
    """The main numbers of each run, for a table.

    Parameters
    ----------
    runs : the runs, in the order of the rows
    priced : their prices

    Returns
    -------
    One dict a run: run_id, name, is_baseline, the four accuracies [%], sent_per_device_bits,
    sent_bits_ratio, and `costs`, a list with one dict a (profile, radio): profile, radio, tier,
    energy_total_j with p10 and p90 (mean over devices) and energy_total_ratio with p10, p90 and verdict.
    """
    baseline = baseline_of(runs)
    of_these = [price for price in priced if price.run_id in {run.run_id for run in runs}]
    costs, compared = cost_rows(runs, of_these), compare(runs, of_these)
    return [
        {
            "run_id": run.run_id,
            "name": run.name,
            "is_baseline": run is baseline,
            **accuracy_percent(final_accuracy(run)),
            "sent_per_device_bits": sent_bits_per_device(run),
            "sent_bits_ratio": bits_ratio(baseline, run),
            "costs": [_cost_of(cost, compared) for cost in costs if cost["run_id"] == run.run_id],
        }
        for run in runs
    ]


def _cost_of(cost: Row, compared: list[Row]) -> Row:
    keys = ("run_id", "profile", "radio")
    ratios = next(row for row in compared if all(row[key] == cost[key] for key in keys))
    return {**{name: cost[name] for name in _COST}, **{name: ratios[name] for name in _RATIO}}


def sentences(rows: Sequence[Row]) -> list[str]:
    """What each run of `headline` saves and what that costs in accuracy, a sentence or two a run."""
    baseline = next(row for row in rows if row["is_baseline"])
    others = [row for row in rows if not row["is_baseline"]]
    if not others:
        return [_alone(baseline)]
    told = [_compared(row, baseline) for row in others[:MOST_SENTENCES]]
    rest = len(others) - len(told)
    return [*told, f"The table has {rest} more."] if rest else told


def _alone(row: Row) -> str:
    costs = [f"{text('energy_j', cost['energy_total_j'])} on {place(cost)}" for cost in row["costs"]]
    sent = text("sent_bits", row["sent_per_device_bits"])
    spent = f" and spends {_listed(costs)}" if costs else ""
    return f"A device of {row['name']} sends {sent}{spent}, at {accuracy_text(row)}."


def _compared(row: Row, baseline: Row) -> str:
    sent = f"{row['name']} sends {_bits_claim(row['sent_bits_ratio'], baseline['name'])}"
    energy = _energy_claims(row["costs"])
    return f"{sent}{f'; it takes {energy}' if energy else ''}. It reaches {_gap(row, baseline)}."


def _energy_claims(costs: list[Row]) -> str:
    """All claims about joules if they are few, else those of the least and the most savings."""
    if len(costs) <= MOST_PLACES:
        return _listed([energy_claim(cost) for cost in costs])
    ordered = sorted(costs, key=lambda cost: cost["energy_total_ratio"] or 0.0)
    return f"between {energy_claim(ordered[0])} and {energy_claim(ordered[-1])}"


def _bits_claim(ratio: float | None, baseline: str) -> str:
    if ratio is None:
        return f"nothing, unlike {baseline}"
    return f"as many bits as {baseline}" if ratio == 1 else f"{_fewer(ratio, 'bits')} than {baseline}"


def _fewer(ratio: float, unit: str) -> str:
    return f"{digits(ratio)}× fewer {unit}" if ratio >= 1 else f"{digits(1 / ratio)}× more {unit}"


def energy_claim(cost: Row) -> str:
    """The claim about joules that the draws support, in words."""
    verdict, ratio = cost["energy_total_verdict"], cost["energy_total_ratio"]
    if verdict in (LESS, MORE) and ratio:
        claim = f"{_fewer(ratio, 'joules')} on {place(cost)}"
        return f"{claim} ({ratio_range(cost)})"
    if verdict == UNCLEAR:
        return f"joules that are not distinguishable on {place(cost)}"
    return f"joules on {place(cost)} that are not compared ({verdict})"


def ratio_range(cost: Row) -> str:
    """p10 to p90 of the ratio of joules; the reciprocals where the run takes more."""
    ends = [cost["energy_total_p10_ratio"], cost["energy_total_p90_ratio"]]
    if cost["energy_total_verdict"] == MORE:
        ends = [1 / end for end in reversed(ends)]
    return f"p10–p90 {digits(ends[0])}–{digits(ends[1])}"


def place(cost: Row) -> str:
    """A device and its radio, in words."""
    return f"{cost['profile']} · {cost['radio']}"


def accuracy_text(row: Row) -> str:
    """Accuracy with its spread over nodes and that of the average model, in words."""
    mean, low, high, average = (
        row[name]
        for name in (
            "test_accuracy_percent",
            "test_accuracy_min_percent",
            "test_accuracy_max_percent",
            "average_model_test_accuracy_percent",
        )
    )
    if mean is None:
        return "a test accuracy that was not evaluated"
    spread = f"nodes {low:.1f}–{high:.1f} %" if low is not None and high is not None else ""
    of_average = f"average model {average:.1f} %" if average is not None else ""
    inside = "; ".join(part for part in (spread, of_average) if part)
    return f"{mean:.1f} % test accuracy" + (f" ({inside})" if inside else "")


def _gap(row: Row, baseline: Row) -> str:
    own, other = row["test_accuracy_percent"], baseline["test_accuracy_percent"]
    if own is None or other is None:
        return accuracy_text(row)
    points = own - other
    side = "below" if points < 0 else "above"
    return f"{accuracy_text(row)}, {abs(points):.1f} points {side} {baseline['name']} ({other:.1f} %)"


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + f" and {parts[-1]}" if parts else ""


def grouped_by_radio(rows: Sequence[Row]) -> list[Row]:
    """The rows of `headline` regrouped: one dict a (profile, radio) with `place`, `tier` and `rows`."""
    groups: dict[str, Row] = {}
    for row in rows:
        for cost in row["costs"]:
            group = groups.setdefault(place(cost), {"place": place(cost), "tier": cost["tier"], "rows": []})
            group["rows"].append({**row, **cost})
    return list(groups.values())
