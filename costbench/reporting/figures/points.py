"""What was learned: loss and accuracy against rounds, bits and joules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from costbench.reporting.figures.style import (
    INK,
    MARKERS,
    PAPER,
    RUN_DASHES,
    Tables,
    blank,
    log_axis,
    run_colours,
    run_labels,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def accuracy(tables: Tables) -> Figure:
    """Test accuracy against rounds and against bits sent."""
    curves, labels = tables["accuracy"], run_labels(tables["runs"])
    figure, (by_round, by_bits) = blank(4.6, 2, sharey=True)
    for i, (run, colour) in enumerate(run_colours(tables["runs"]).items()):
        curve = curves[curves["run_id"] == run]
        if not curve.empty:
            look = {"color": colour, "linestyle": RUN_DASHES[i % len(RUN_DASHES)], "label": labels[run]}
            _band(by_round, curve["round"], curve, look)
            _band(by_bits, curve["sent_per_device_bits"], curve, look)
    by_round.set_xlabel("round")
    by_bits.set_xlabel("sent by a device so far")
    sent = curves["sent_per_device_bits"].to_numpy(float)
    if (sent > 0).any():
        log_axis(by_bits, "bit", sent[sent > 0].min(), sent.max())
    figure.supylabel("test accuracy", fontsize=9)
    figure.legend(*by_round.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


def learning(tables: Tables) -> Figure:
    """Training loss against rounds."""
    curves, labels = tables["learning"], run_labels(tables["runs"])
    figure, (axes,) = blank(2.9)
    for i, (run, colour) in enumerate(run_colours(tables["runs"]).items()):
        curve = curves[curves["run_id"] == run]
        dashes = RUN_DASHES[i % len(RUN_DASHES)]
        loss = curve["train_loss"].to_numpy(float)
        axes.plot(curve["round"], loss, color=colour, linestyle=dashes, label=labels[run], linewidth=1.2)
    axes.grid()
    axes.set_xlabel("round")
    axes.set_ylabel("training loss")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


def _band(axes: Axes, across: pd.Series, curve: pd.DataFrame, look: dict[str, Any]) -> None:
    x = across.to_numpy(float)
    low, mean, high = (curve[f"test_accuracy{part}_percent"].to_numpy(float) for part in ("_min", "", "_max"))
    axes.fill_between(x, low, high, color=look["color"], alpha=0.16, linewidth=0)
    axes.plot(x, mean, linewidth=1.8, marker="o", markersize=3, **look)
    if len(curve) == 1:  # a band of no width: show its ends as a line
        axes.vlines(x, low, high, color=look["color"], alpha=0.5)
    axes.grid()
    axes.yaxis.set_major_formatter(lambda percent, _position: f"{percent:g} %")


def tradeoff(tables: Tables) -> Figure:
    """Accuracy at the end against joules a device, for every device and radio."""
    cost, colours = tables["cost"], run_colours(tables["runs"])
    pairs = list(dict.fromkeys(zip(cost["profile"], cost["radio"], strict=True)))
    figure, (axes,) = blank(3.7)
    for row in cost[cost["test_accuracy_percent"].notna()].to_dict("records"):
        marker = MARKERS[pairs.index((row["profile"], row["radio"])) % len(MARKERS)]
        _final_point(axes, row, colours[row["run_id"]], marker)
    log_axis(axes, "J", cost["energy_total_p10_j"].min(), cost["energy_total_p90_j"].max())
    axes.yaxis.set_major_formatter(lambda percent, _position: f"{percent:g} %")
    axes.grid()
    axes.set_axisbelow(True)
    axes.set_xlabel("energy per device")
    axes.set_ylabel("test accuracy")
    _legend_of_points(figure, tables, pairs)
    return figure


def _final_point(axes: Axes, row: Mapping[Any, Any], colour: str, marker: str) -> None:
    x, y = row["energy_total_j"], row["test_accuracy_percent"]
    low, high = row["test_accuracy_min_percent"], row["test_accuracy_max_percent"]
    across = _reach(x, row["energy_total_p10_j"], row["energy_total_p90_j"])
    style: dict[str, Any] = {"elinewidth": 0.8, "markersize": 7, "markeredgecolor": PAPER}
    up = None if low is None or high is None else _reach(y, low, high)
    axes.errorbar(x, y, xerr=across, yerr=up, color=colour, marker=marker, linestyle="none", **style)


def _reach(middle: float, low: float, high: float) -> np.ndarray:
    return np.clip([[middle - low], [high - middle]], 0, None)


def _legend_of_points(figure: Figure, tables: Tables, pairs: list[tuple[str, str]]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    labels, colours = run_labels(tables["runs"]), run_colours(tables["runs"])
    handles: list[Any] = [Patch(color=colours[run], label=labels[run]) for run in labels]
    for i, (profile, radio) in enumerate(pairs):
        style: dict[str, Any] = {"marker": MARKERS[i % len(MARKERS)], "linestyle": "none", "color": INK}
        handles.append(Line2D([], [], label=f"{profile} · {radio}", **style))
    figure.legend(handles=handles, loc="outside lower center", ncols=2, handlelength=1.2)
