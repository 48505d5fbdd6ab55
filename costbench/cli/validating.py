"""`costbench validate`: predictions against measurements, as a table or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from costbench.cli.outcome import print_json
from costbench.cli.printing import console, table
from costbench.errors import CheckFailed
from costbench.validation.validate import SHIPPED, Checked, Validated, validate

COLUMNS = ["entry", "tests", "quantity", "predicted", "measured", "error", "tolerance", "ok"]


def print_validation(files: Sequence[Path], as_json: bool) -> None:
    """Print every entry; CheckFailed when one falls out of its tolerance."""
    found = [one for file in files or [SHIPPED] for one in validate(file)]
    ok = all(one.ok for one in found)
    if as_json:
        print_json({"schema": 1, "entries": [one.to_json() for one in found], "ok": ok})
        if not ok:
            raise typer.Exit(CheckFailed.exit_code)
        return
    _print_table(found)
    if not ok:
        out = [one.entry.id for one in found if not one.ok]
        raise CheckFailed(f"out of tolerance: {', '.join(out)}")


def _print_table(found: Sequence[Validated]) -> None:
    rows = [row for one in found for row in _rows(one)]
    out = console()
    if not out.is_terminal:
        out.width = 160
    out.print(table("Predicted against measured", COLUMNS, rows))
    checked = [one for one in found if one.checks]
    physics = sum(one.entry.independent for one in checked)
    shown = len(found) - len(checked)
    out.print(
        f"{sum(one.ok for one in checked)} of {len(checked)} entries lie within their tolerance; {physics} "
        f"test physics, with measurements that no parameter comes from, and {len(checked) - physics} test "
        f"code; {shown} are shown for information.",
        soft_wrap=True,
    )


def _rows(one: Validated) -> list[list[str]]:
    tests = "physics" if one.entry.independent else "code"
    if not one.checks:
        return [[one.entry.id, "-", "for information", "-", "-", "-", "-", "-"]]
    return [_row(one.entry.id if not place else "", tests, check) for place, check in enumerate(one.checks)]


def _row(name: str, tests: str, check: Checked) -> list[str]:
    prediction, bound = check.prediction, check.tolerance_pct
    return [
        name,
        tests,
        prediction.quantity,
        _numbers(prediction.predicted),
        _numbers(prediction.measured),
        f"{prediction.error_pct:.3g} %",
        "-" if bound is None else f"{bound:g} %",
        "yes" if check.ok else "NO",
    ]


def _numbers(numbers: Sequence[float]) -> str:
    if not numbers:
        return "-"
    return f"{numbers[0]:.4g}" if len(numbers) == 1 else f"{len(numbers)} points"
