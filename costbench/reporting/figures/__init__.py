"""The figures of a report. The only place that imports matplotlib, and only when a figure is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from costbench.reporting.figures.bars import energy, wire
from costbench.reporting.figures.causes import ratios, sensitivity
from costbench.reporting.figures.points import accuracy, learning, tradeoff
from costbench.reporting.figures.style import INK, PAPER, Tables, encoded, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["CAPTIONS", "FORMATS", "INK", "PAPER", "draw", "write"]

FORMATS = ("svg", "png", "pdf")
#: figure -> its caption
CAPTIONS = {
    "energy": "Energy of a device for the whole run, mean over devices, by what it is spent on. Whiskers: "
    "p10 to p90 of the total over the draws of the uncertain inputs. The scale differs from panel to panel.",
    "ratios": "How many times fewer bits and how many times fewer joules than the baseline, by device and "
    "radio. Whiskers: p10 to p90 over paired draws. Left of the line the run takes more.",
    "sensitivity": "Where the spread of the fleet's joules comes from: share of the variance over the draws "
    "that goes back to each input. What is missing to 100 % is curvature and interplay.",
    "learning": "Training loss of the round's batches, mean over nodes. Every node draws from its own part "
    "of the data, so a low loss on skewed parts is not yet accuracy on all of it.",
    "accuracy": "Test accuracy against rounds, and against what a device has sent by then. Line: mean over "
    "nodes; band: worst to best node.",
    "wire": "Bits on the wire for each number that a message carries, by component. At the right: what a "
    "device sends in the whole run.",
    "tradeoff": "Test accuracy at the end against the energy of a device. Horizontal: p10 to p90 over the "
    "draws; vertical: worst to best node.",
}


def draw(tables: Tables, formats: Sequence[str] = ("svg",)) -> dict[str, bytes]:
    """Every figure that the tables have numbers for, by file name.

    Parameters
    ----------
    tables : the tables of `tables.all_tables`
    formats : some of svg, png and pdf

    Returns
    -------
    file name, such as "energy.svg" -> content; the same bytes for the same tables.
    """
    drawers: dict[str, Callable[[Tables], Figure]] = {
        "ratios": ratios,
        "energy": energy,
        "sensitivity": sensitivity,
        "wire": wire,
        "learning": learning,
        "accuracy": accuracy,
        "tradeoff": tradeoff,
    }
    wanted = {name: drawer for name, drawer in drawers.items() if _has_numbers(name, tables)}
    with style():
        figures = {name: drawer(tables) for name, drawer in wanted.items()}
        return {
            f"{name}.{kind}": encoded(figure, kind) for name, figure in figures.items() for kind in formats
        }


def _has_numbers(name: str, tables: Tables) -> bool:
    evaluated, priced = not tables["accuracy"].empty, not tables["cost"].empty
    return {
        "ratios": priced and bool((tables["compare"]["energy_total_verdict"] != "baseline").any()),
        "energy": priced,
        "sensitivity": priced and bool(tables["inputs"]["spread_percent"].notna().any()),
        "learning": not tables["learning"].empty,
        "accuracy": evaluated,
        "wire": bool((tables["runs"]["sent_bits"] > 0).any()),
        "tradeoff": evaluated and priced,
    }[name]


def write(figures: dict[str, bytes], directory: Path) -> None:
    """Write drawn figures into a directory."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, content in figures.items():
        (directory / name).write_bytes(content)
