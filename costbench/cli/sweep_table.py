"""What the variants of a suite reached, as a table for the terminal or in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from costbench.cli.printing import console, table
from costbench.errors import CheckFailed, UsageError
from costbench.reporting.figures import FORMATS
from costbench.reporting.sweep import Spread, Variant, quality_metric, speed_up, variants
from costbench.runstore import Run
from costbench.spec import Suite
from costbench.units import format_bits


def check_figure(figure: Path) -> None:
    """Refuse a figure that cannot be written, before anything runs."""
    if figure.suffix[1:] not in FORMATS:
        raise UsageError(f"--figure {figure}: found {figure.suffix!r}; allowed: {', '.join(FORMATS)}")
    if not figure.parent.is_dir():
        raise UsageError(f"--figure {figure}: {figure.parent} is not a directory")


def write_figure(suite: Suite, runs: Sequence[tuple[str, Run]], figure: Path) -> None:
    """Quality against bits of every variant, or the law of a speed-up where the suite has one."""
    from costbench.reporting.figures.suite import draw_suite

    rows, law = variants(suite, runs), speed_up(suite, runs)
    if not law and not any(variant.sent_bits.mean for variant in rows):
        raise CheckFailed(f"{figure}: nothing to draw, no variant has sent anything")
    figure.write_bytes(draw_suite(rows, _metric(runs), law, figure.suffix[1:]))


def print_sweep(
    suite: Suite, runs: Sequence[tuple[str, Run]], diverged: Mapping[str, str], markdown: bool
) -> None:
    """Mean and standard deviation over seeds, the law of a speed-up, and why a run is missing.

    `diverged` has the reason of every missing run, by variant and seed.
    """
    metric = _metric(runs)
    columns = ["variant", "seeds", f"{metric}, nodes", f"{metric}, mean model", "loss", "a device sends"]
    columns += ["rounds to target"] if suite.target else []
    rows = [_row(variant, suite) for variant in variants(suite, runs)]
    if markdown:
        for cells in (columns, ["---"] * len(columns), *rows):
            print("| " + " | ".join(cells) + " |")
    else:
        console().print(suite.question)
        console().print(table(suite.name, columns, rows))
    if fit := speed_up(suite, runs):
        law = f"rounds to target ~ n^a, a = {fit.exponent:.2f} ± {fit.half_width:.2f} (95 % interval)"
        print(f"\n{law}; a = -1 is a linear speed-up")
    for name, reason in diverged.items():
        print(f"\n{name}: {reason}")


def _metric(runs: Sequence[tuple[str, Run]]) -> str:
    """What the reader calls the quality of these runs."""
    words = {"test_accuracy": "accuracy", "test_auc": "AUC"}
    return words[quality_metric(runs[0][1])] if runs else "quality"


def _row(variant: Variant, suite: Suite) -> list[str]:
    seeds, all_seeds = variant.seeds, len(suite.seeds)
    return [
        variant.name,
        str(seeds) if seeds == all_seeds else f"{seeds} of {all_seeds}",
        _spread(variant.quality, 4),
        _spread(variant.of_mean, 4),
        _spread(variant.loss, 4),
        "-" if variant.sent_bits.mean is None else format_bits(variant.sent_bits.mean),
        *([_spread(variant.rounds_to_target, 0, "not reached")] if suite.target else []),
    ]


def _spread(spread: Spread, digits: int, missing: str = "-") -> str:
    if spread.mean is None:
        return missing
    return _number(spread.mean, digits) + (
        f" ± {_number(spread.sd, digits)}" if spread.sd is not None else ""
    )


def _number(figure: float, digits: int) -> str:
    return f"{figure:.{digits}f}" if abs(figure) < 1e6 else f"{figure:.2g}"
