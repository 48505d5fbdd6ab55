"""Tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import mean
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from costbench.ledger import DEVICE_PHASES
from costbench.units import format_bits, format_bytes, format_flop

CONVENTION_WORDS = {
    "encoded": "bytes that were encoded",
    "aketi": "32-bit values, 16-bit indices, out-degree",
    "choco": "32-bit values, 32-bit indices, one message",
    "qgm": "32-bit values, degree + 1",
    "log2": "32-bit values, ceil(log2 n)-bit indices",
    "entropy": "32-bit values, log2 C(n, k) bits of positions",
}


def console() -> Console:
    """Where results go: stdout."""
    return Console(highlight=False, markup=False)


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """A table with its first column left-aligned and the others right-aligned."""
    built = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    for position, column in enumerate(columns):
        built.add_column(column, justify="left" if position == 0 else "right", overflow="fold")
    for row in rows:
        built.add_row(*map(str, row))
    return built


def print_counts(document: dict[str, Any], codecs: Mapping[str, int]) -> None:
    """What `costbench show` prints of a run's counts, and how many messages went out in each codec."""
    nodes, spec, out = document["per_node"], document["spec"], console()
    out.print(
        f"{spec['name']} ({document['run_id']}): {document['nodes']} nodes, {document['rounds']} rounds, "
        f"{document['parameters']:,} parameters, {spec['algorithm']['kind']} on {spec['topology']['kind']}"
    )
    out.print(table("Counted on each device", ["", "least", "mean", "most"], _per_device(nodes)))
    if codecs:
        by_codec = ", ".join(f"{name} {count:,}" for name, count in codecs.items())
        out.print(f"Messages by wire codec: {by_codec}")
    ratios = [[CONVENTION_WORDS[name], _ratio(r)] for name, r in document["compression"].items()]
    out.print(table("Times fewer bits than dense float32 messages", ["counted as", "ratio"], ratios))
    out.print(table("After the last round", ["metric", ""], _metrics(document["metrics"])))
    if document["uncounted_operators"]:
        out.print("[bold]Operators not counted:[/bold] " + ", ".join(document["uncounted_operators"]))


def _per_device(nodes: list[dict[str, Any]]) -> list[list[str]]:
    parts = ("value", "index", "side", "padding", "header")
    rows = [_spread("bits sent", [n["sent_bits"]["total"] for n in nodes], format_bits)]
    rows += [_spread(f"  {part}", [n["sent_bits"][part] for n in nodes], format_bits) for part in parts]
    rows.append(_spread("bits received", [n["received_bits"] for n in nodes], format_bits))
    rows.append(_spread("FLOP (2 a multiply-add)", [n["flop"]["total"] for n in nodes], format_flop))
    rows += [_spread(f"  {phase}", [n["flop"][phase] for n in nodes], format_flop) for phase in DEVICE_PHASES]
    rows.append(_spread("memory, peak", [n["memory_bytes"]["peak"] for n in nodes], format_bytes))
    categories = [name for name in nodes[0]["memory_bytes"] if name != "peak"]
    rows += [
        _spread(f"  {name}", [n["memory_bytes"][name] for n in nodes], format_bytes) for name in categories
    ]
    return rows


def _spread(label: str, counts: list[int], write: Any) -> list[str]:
    return [label, write(min(counts)), write(mean(counts)), write(max(counts))]


def _ratio(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.2f}"


def _metrics(metrics: dict[str, float | None]) -> list[list[str]]:
    return [[name, "not evaluated" if m is None else f"{m:.4g}"] for name, m in metrics.items()]


def print_data_sets() -> None:
    """The data sets and whether they are here."""
    from costbench.training.data import status

    rows = [
        [
            one.name,
            one.state,
            f"{one.train_samples:,} + {one.test_samples:,}",
            "pinned" if one.pinned else "not pinned",
            one.licence,
        ]
        for one in status()
    ]
    columns = ["name", "state", "training + test samples", "content hash", "licence"]
    console().print(table("Data sets", columns, rows))
