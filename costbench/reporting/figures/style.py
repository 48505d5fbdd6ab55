"""How figures look: colours, fonts, labels and axes that all of them share."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from costbench.reporting import numerals

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Tables = dict[str, pd.DataFrame]

INK, PAPER = "#1a1b1c", "#fdfdfe"
WIDTH_IN = 4.6
#: Okabe and Ito's palette, told apart with any colour vision; one colour a run
RUN_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F")
#: a run that coincides with an earlier one shows it between its dashes
RUN_DASHES: tuple[Any, ...] = ("-", "-", (0, (2.5, 2.5)), (0, (1, 1)))
MARKERS = "osD^vP*X"
#: computing in blue, standing by in grey, the radio's payload in orange, the radio's overhead in purple
TERM_COLOURS = {
    "compute_active": "#08519C",
    "compute_static": "#9ECAE1",
    "waiting": "#BDBDBD",
    "transmit": "#D94801",
    "receive": "#FDAE6B",
    "listen": "#FEE6A8",
    "overhear": "#C9A227",
    "promotion": "#3F007D",
    "tail": "#8C6BB1",
    "overhead_frames": "#D4B9DA",
    "access_point": "#006D2C",
    "network": "#A1D99B",
}
COMPONENT_COLOURS = {
    "value": "#08519C",
    "index": "#D94801",
    "side": "#238B45",
    "padding": "#BDBDBD",
    "header": "#8C6BB1",
}


@contextmanager
def style() -> Iterator[None]:
    import matplotlib

    names = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
    settings: Any = {
        **dict.fromkeys(names, INK),
        "figure.facecolor": PAPER,
        "axes.facecolor": "none",
        "savefig.facecolor": PAPER,
        "font.family": "sans-serif",
        "font.size": 9,
        "axes.titlesize": 9,
        "axes.titlelocation": "left",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "grid.color": "#9a9a9a55",
        "legend.frameon": False,
        "legend.fontsize": 8,
        "svg.fonttype": "none",
        "svg.hashsalt": "costbench",
        "pdf.fonttype": 42,
        "text.parse_math": False,
        "hatch.color": INK,
    }
    with matplotlib.rc_context(settings):
        yield


def encoded(figure: Figure, kind: str) -> bytes:
    stream = io.BytesIO()
    undated = {
        "svg": {"Date": None, "Creator": None},
        "pdf": {"CreationDate": None},
        "png": {"Software": None},
    }
    figure.savefig(stream, format=kind, metadata=undated[kind], dpi=200)
    return stream.getvalue()


def blank(height_in: float, rows: int = 1, **options: Any) -> tuple[Figure, list[Axes]]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH_IN, height_in), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, 1, squeeze=False, **options)
    return figure, [row[0] for row in axes]


def prefixed(unit: str) -> Callable[[float, float], str]:
    return lambda amount, _position: numerals.tick(amount, unit)


def run_labels(runs: pd.DataFrame) -> dict[str, str]:
    """A short label for each run_id, distinct even where two runs have the same name."""
    names = zip(runs["run_id"].astype(str), runs["name"].astype(str), strict=True)
    short = {run: _shortened(name) for run, name in names}
    seen = Counter(short.values())
    return {run: label if seen[label] == 1 else f"{label} {run[:6]}" for run, label in short.items()}


def _shortened(name: str, limit: int = 22) -> str:
    return name if len(name) <= limit else f"{name[: limit - 1]}…"


def run_colours(runs: pd.DataFrame) -> dict[str, str]:
    return {run: RUN_COLOURS[i % len(RUN_COLOURS)] for i, run in enumerate(runs["run_id"])}


def legend_of_parts(figure: Figure, parts: Sequence[str], colours: dict[str, str]) -> None:
    from matplotlib.patches import Patch

    handles = [Patch(color=colours[part], label=part.replace("_", " ")) for part in parts]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, handlelength=1.0)


def log_axis(axes: Axes, unit: str, low: float, high: float) -> None:
    """A logarithmic x axis whose labels are dense enough for the range that it shows."""
    from matplotlib.ticker import LogLocator, NullFormatter

    decades = np.log10(high / low)
    steps = (1.0,) if decades > 2 else (1.0, 2.0, 5.0) if decades > 0.9 else tuple(np.arange(1.0, 10.0))
    axes.set_xscale("log")
    axes.set_xlim(low * 0.93, high * 1.07)
    axes.xaxis.set_major_locator(LogLocator(subs=steps, numticks=9))
    axes.xaxis.set_major_formatter(prefixed(unit))
    axes.xaxis.set_minor_formatter(NullFormatter())
