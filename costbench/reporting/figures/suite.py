"""What a suite found: quality against bits, or rounds to a target against the number of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from costbench.reporting.figures.style import (
    INK,
    MARKERS,
    PAPER,
    RUN_COLOURS,
    blank,
    encoded,
    log_axis,
    style,
)
from costbench.reporting.sweep import SpeedUp, Variant

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_suite(variants: Sequence[Variant], metric: str, law: SpeedUp | None, kind: str) -> bytes:
    """The figure of a suite as svg, png or pdf: with a law of speed-up its points and line, else quality.

    Parameters
    ----------
    variants : at least one that has sent bits
    metric : name of their quality, in words
    """
    with style():
        figure = speed_up(variants, law) if law else quality_against_bits(variants, metric)
        return encoded(figure, kind)


def quality_against_bits(variants: Sequence[Variant], metric: str) -> Figure:
    """Final quality against what a device sent; mean over seeds, bars of one standard deviation."""
    figure, (axes,) = blank(4.4)
    drawn = [variant for variant in variants if variant.sent_bits.mean and variant.quality.mean is not None]
    for i, variant in enumerate(drawn):
        point = (variant.sent_bits.mean, variant.quality.mean, variant.quality.sd)
        _point(axes, point, RUN_COLOURS[i % len(RUN_COLOURS)], MARKERS[i % len(MARKERS)], variant.name)
    sent = [variant.sent_bits.mean or np.nan for variant in drawn]
    log_axis(axes, "bit", min(sent), max(sent))
    axes.set_xlabel("sent by a device")
    axes.set_ylabel(f"{metric} at the end, mean over nodes")
    axes.grid()
    axes.set_axisbelow(True)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2, handlelength=1.0)
    return figure


def speed_up(variants: Sequence[Variant], law: SpeedUp) -> Figure:
    """Rounds to the target against n, with the fitted law and the linear speed-up from the same start."""
    from matplotlib.ticker import LogLocator, NullFormatter

    figure, (axes,) = blank(3.4)
    nodes = np.array([variant.nodes for variant in variants], float)
    for variant in variants:
        spread = variant.rounds_to_target
        _point(axes, (variant.nodes, spread.mean, spread.sd), RUN_COLOURS[0], "o", None)
    fitted = f"fit: rounds ~ n^a, a = {law.exponent:.2f} ± {law.half_width:.2f}"
    axes.plot(nodes, law.factor * nodes**law.exponent, color=RUN_COLOURS[0], label=fitted)
    axes.plot(nodes, law.factor / nodes, color=INK, linestyle="--", linewidth=1, label="linear: a = -1")
    axes.set_xscale("log", base=2)
    axes.set_xticks(nodes, [f"{n:g}" for n in nodes])
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(lambda rounds, _position: f"{rounds:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("nodes")
    axes.set_ylabel("rounds to the target")
    axes.grid()
    axes.legend()
    return figure


def _point(axes: Axes, point: tuple[Any, Any, Any], colour: str, marker: str, label: str | None) -> None:
    x, y, deviation = point
    look: dict[str, Any] = {"elinewidth": 0.8, "markersize": 7, "markeredgecolor": PAPER, "linestyle": "none"}
    axes.errorbar(x, y, yerr=deviation, color=colour, marker=marker, label=label, **look)
