"""Tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import mean
from typing import TYPE_CHECKING, Any

from numpy import quantile
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from costbench.ledger import DEVICE_PHASES
from costbench.profile import HardwareProfile, list_profiles, load_profile
from costbench.sourced import Sourced
from costbench.units import format_bits, format_bytes, format_flop, format_joules, format_seconds

if TYPE_CHECKING:
    from costbench.pricing.price import Priced

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
        built.add_column(column, justify="left" if position == 0 else "right")
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


def print_prices(priced: Sequence[Priced]) -> None:
    """What `costbench price` prints: a table a run, then what it rests on."""
    columns = ["device", "tier", "energy", "p10 - p90", "above idle", "duration"]
    out = console()
    for run_id in dict.fromkeys(one.run_id for one in priced):
        of_run = [one for one in priced if one.run_id == run_id]
        title = f"{of_run[0].name} ({run_id}): mean cost of a node, boundary: {of_run[0].boundary}"
        out.print(table(title, columns, [_price_row(one) for one in of_run]))
    assumed = {(one.profile, key) for one in priced for key in one.assumed_inputs}
    ignored = sorted({action for one in priced for action in one.ignored_actions})
    out.print(f"assumed inputs: {len(assumed)} (`costbench profiles show` lists each with its range)")
    out.print(f"ignored actions: {', '.join(ignored) or 'none'}")


def _price_row(one: Priced) -> list[str]:
    nodes = one.per_node
    low, high = quantile(one.draws["total_j"].mean(axis=1), (0.1, 0.9))
    return [
        f"{one.profile}/{one.radio}",
        one.tier,
        format_joules(nodes["total_j"].mean()),
        f"{format_joules(low)} - {format_joules(high)}",
        format_joules(nodes["above_idle_j"].mean()),
        format_seconds(nodes["total_s"].max()),
    ]


def print_profiles() -> None:
    """The shipped profiles with their radios."""
    loaded = [load_profile(profile) for profile in list_profiles()]
    rows = [[one.id, ", ".join(one.radios), one.title] for one in loaded]
    console().print(table("Hardware profiles", ["id", "radios", "device"], rows))


def print_profile(profile: HardwareProfile) -> None:
    """Every number of a profile."""
    columns = ["key", "low", "value", "high", "unit", "kind", "source"]
    rows = [_number_row(key, number) for key, number in profile.numbers().items()]
    console().print(table(f"{profile.id}: {profile.title}", columns, rows))


def _number_row(key: str, number: Sourced) -> list[object]:
    range_ = (f"{number.low:g}", f"{number.value:g}", f"{number.high:g}")
    return [key, *range_, number.unit, number.kind, number.source]


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
