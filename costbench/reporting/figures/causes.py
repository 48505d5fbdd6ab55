"""Bits against joules by radio, and the inputs that the spread comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from costbench.reporting.figures.style import (
    INK,
    MARKERS,
    PAPER,
    Tables,
    blank,
    run_colours,
    run_labels,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_INPUTS = 6


def ratios(tables: Tables) -> Figure:
    """How many times fewer bits and joules than the baseline, a line for each device and radio."""
    compared = tables["compare"]
    compared = compared[compared["run_id"] != compared["baseline_run_id"]]
    compared = compared[compared["energy_total_ratio"].notna() & compared["sent_bits_ratio"].notna()]
    places = list(dict.fromkeys(zip(compared["profile"], compared["radio"], strict=True)))
    colours, labels = run_colours(tables["runs"]), run_labels(tables["runs"])
    figure, (axes,) = blank(1.3 + 0.34 * len(places))
    style: dict[str, Any] = {"linestyle": "none", "elinewidth": 1.1, "capsize": 2, "markeredgecolor": PAPER}
    shown = list(dict.fromkeys(compared["run_id"]))
    for row in compared.to_dict("records"):
        shift = 0.22 * (shown.index(row["run_id"]) - (len(shown) - 1) / 2)
        at = places.index((row["profile"], row["radio"])) + shift
        low, mid, high = (row[f"energy_total_{p}ratio"] for p in ("p10_", "", "p90_"))
        reach = np.clip([[mid - low], [high - mid]], 0, None)
        axes.errorbar(mid, at, xerr=reach, marker=MARKERS[0], color=colours[row["run_id"]], **style)
        axes.plot(row["sent_bits_ratio"], at, marker="|", markersize=9, color=colours[row["run_id"]])
    axes.set_xscale("log")
    axes.axvline(1, color=INK, linewidth=0.8)
    axes.xaxis.set_major_formatter(lambda ratio, _position: f"{ratio:g}×")
    axes.set_yticks(range(len(places)), [f"{profile} · {radio}" for profile, radio in places])
    axes.set_ylim(len(places) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    axes.set_xlabel("times less than the baseline")
    _legend(figure, [(labels[run], colours[run]) for run in shown])
    return figure


def sensitivity(tables: Tables) -> Figure:
    """Share of each input in the variance of the fleet's energy, a panel for each device and radio."""
    inputs = tables["inputs"][tables["inputs"]["spread_percent"].notna()]
    panels = [
        (place, rows.drop_duplicates(["profile", "key"]).nlargest(MOST_INPUTS, "spread_percent"))
        for place, rows in inputs.astype({"spread_percent": float}).groupby(
            ["run_id", "priced_profile", "radio"], sort=False
        )
        if place[0] == inputs["run_id"].iloc[0]
    ]
    bars = sum(len(rows) for _, rows in panels)
    figure, axes = blank(0.5 + 0.5 * len(panels) + 0.24 * bars, len(panels))
    for here, ((_, profile, radio), rows) in zip(axes, panels, strict=True):
        names = [_short(str(key), str(radio)) for key in rows["key"]]
        here.barh(range(len(rows)), rows["spread_percent"], 0.62, color="#08519C", linewidth=0)
        here.set_yticks(range(len(rows)), names)
        here.set_ylim(len(rows) - 0.5, -0.5)
        here.set_xlim(0, 100)
        here.tick_params(axis="y", length=0)
        here.grid(axis="x")
        here.set_axisbelow(True)
        here.xaxis.set_major_formatter(lambda percent, _position: f"{percent:g} %")
        here.set_title(f"{profile} · {radio}", fontweight="bold")
    name = run_labels(tables["runs"])[inputs["run_id"].iloc[0]]
    axes[-1].set_xlabel(f"share of the spread of {name}")
    return figure


def _short(key: str, radio: str) -> str:
    return key.removeprefix(f"radios.{radio}.").replace("_", " ")


def _legend(figure: Figure, entries: list[tuple[str, str]]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    signs = (("joules", MARKERS[0], 6), ("bits", "|", 9))
    handles = [
        *(Patch(color=colour, label=label) for label, colour in entries),
        *(
            Line2D([], [], color=INK, linestyle="none", marker=marker, markersize=size, label=name)
            for name, marker, size in signs
        ),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2, handlelength=1.0)
