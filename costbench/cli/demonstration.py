"""`costbench demo`: three algorithms on shipped data, priced for four devices, in one report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from costbench.cli.outcome import note
from costbench.cli.printing import console, table
from costbench.cli.running import run_with_progress
from costbench.cli.targets import parse_targets
from costbench.spec import load_spec
from costbench.units import format_bits

RECIPES = ("demo-sgp", "demo-sparse-push", "demo-scsp")
TARGETS = "phone/wifi,phone/lte,drone/wifi,jetson-nano/wifi"


def demonstrate(out: Path, runs_directory: Path, quiet: bool) -> None:
    """Train, count, seal, price and report; prints how much less each device sent and spent."""
    runs = run_with_progress([(load_spec(name), name) for name in RECIPES], runs_directory, quiet)

    from costbench.pricing.counts import counts_of
    from costbench.pricing.price import price_fleet
    from costbench.reporting.headline import headline, sentences
    from costbench.reporting.report import write_report

    note("pricing and writing the report ...")
    targets = parse_targets(TARGETS)
    counts = [counts_of(run) for run in runs]
    priced = [price_fleet(one, target.devices(one.nodes)) for one in counts for target in targets]
    report = write_report(runs, priced, out)
    rows = headline(runs, priced)
    console().print(_glance(rows))
    for sentence in sentences(rows):
        console().print(sentence)
    console().print(f"report: {report / 'index.html'}")


def _glance(rows: Sequence[dict[str, Any]]) -> Any:
    places = [f"{cost['profile']}-{cost['radio']}".replace("-", "\n") for cost in rows[0]["costs"]]
    columns = ["algorithm", "accuracy", "a device\nsends", "fewer\nbits", *places]
    title = "How many times fewer bits, and joules by device and radio, than uncompressed"
    return table(title, columns, [_glance_row(row) for row in rows])


def _glance_row(row: dict[str, Any]) -> list[str]:
    accuracy = row["test_accuracy_percent"]
    return [
        row["name"],
        "-" if accuracy is None else f"{accuracy:.1f} %",
        format_bits(row["sent_per_device_bits"]),
        _times(row["sent_bits_ratio"]),
        *(_times(cost["energy_total_ratio"], cost["energy_total_verdict"]) for cost in row["costs"]),
    ]


def _times(ratio: float | None, verdict: str | None = None) -> str:
    if ratio is None:
        return "-"
    return "unclear" if verdict == "not distinguishable" else f"{ratio:.3g}x"
