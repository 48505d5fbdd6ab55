"""Stacked bars: energy by term, and bits by component."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from costbench.reporting import numerals
from costbench.reporting.figures.style import (
    COMPONENT_COLOURS,
    INK,
    TERM_COLOURS,
    Tables,
    blank,
    legend_of_parts,
    prefixed,
    run_labels,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def energy(tables: Tables) -> Figure:
    """Energy of a device stacked by term, a panel for each device and radio."""
    cost, terms, labels = tables["cost"], tables["cost_terms"], run_labels(tables["runs"])
    panels = list(cost.groupby(["profile", "radio"], sort=False))
    n_bars = sum(len(panel) for _, panel in panels)
    figure, axes = blank(0.9 + 0.55 * len(panels) + 0.27 * n_bars, len(panels))
    per_device = terms.astype({"energy_per_device_j": float}).pivot_table(
        "energy_per_device_j", ["profile", "radio", "run_id"], "term", sort=False
    )
    shown = [term for term in TERM_COLOURS if term in per_device and per_device[term].max() > 0]
    for here, ((profile, radio), panel) in zip(axes, panels, strict=True):
        rows = per_device.xs((profile, radio)).loc[list(panel["run_id"]), shown]
        names = [labels[run] for run in panel["run_id"]]
        _stack(here, names, {term: rows[term].to_numpy() for term in shown}, TERM_COLOURS)
        _whiskers(here, panel)
        here.set_title(f"{profile} · {radio} · tier {panel['tier'].iloc[0]}", fontweight="bold")
        here.xaxis.set_major_formatter(prefixed("J"))
        here.locator_params(axis="x", nbins=5)
    axes[-1].set_xlabel("energy per device")
    legend_of_parts(figure, shown, TERM_COLOURS)
    return figure


def _whiskers(axes: Axes, panel: pd.DataFrame) -> None:
    names = ("energy_total_p10_j", "energy_total_j", "energy_total_p90_j")
    low, nominal, high = (panel[name].to_numpy(float) for name in names)
    reach = np.clip([nominal - low, high - nominal], 0, None)
    style: dict[str, Any] = {"fmt": "none", "ecolor": INK, "elinewidth": 1.1, "capsize": 3}
    axes.errorbar(nominal, np.arange(len(panel)), xerr=reach, **style)
    axes.set_xlim(0, 1.05 * max(high.max(), nominal.max()))


def wire(tables: Tables) -> Figure:
    """Bits for each transmitted number, by component."""
    runs = tables["runs"][tables["runs"]["sent_bits"] > 0]
    labels = run_labels(tables["runs"])
    figure, (axes,) = blank(1.3 + 0.36 * len(runs))
    parts = {part: _bits_a_number(runs, part) for part in COMPONENT_COLOURS}
    parts = {part: bits for part, bits in parts.items() if bits.max() > 0}
    _stack(axes, [labels[run] for run in runs["run_id"]], parts, COMPONENT_COLOURS)
    end = sum(parts.values(), np.zeros(len(runs)))
    for position, (right, sent) in enumerate(zip(end, runs["sent_per_device_bits"], strict=True)):
        beside: dict[str, Any] = {"xytext": (5, 0), "textcoords": "offset points", "va": "center"}
        axes.annotate(numerals.text("sent_bits", sent), (right, position), fontweight="bold", **beside)
    axes.set_xlim(0, 1.3 * end.max())
    axes.set_xlabel("bits for each transmitted number")
    legend_of_parts(figure, list(parts), COMPONENT_COLOURS)
    return figure


def _bits_a_number(runs: pd.DataFrame, part: str) -> np.ndarray:
    return runs[f"{part}_bits"].to_numpy(float) / runs["sent_elements"].to_numpy(float)


def _stack(axes: Axes, labels: list[str], parts: dict[str, np.ndarray], colours: dict[str, str]) -> None:
    """Horizontal stacked bars, the first label at the top."""
    left, positions = np.zeros(len(labels)), np.arange(len(labels))
    for part, lengths in parts.items():
        axes.barh(positions, lengths, 0.62, left, color=colours[part], linewidth=0)
        left += lengths
    axes.set_yticks(positions, labels)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    axes.set_axisbelow(True)
