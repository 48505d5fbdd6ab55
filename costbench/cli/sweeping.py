"""Run a suite, several specs at a time if asked to, and print what its variants reached."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from costbench.cli.outcome import note
from costbench.cli.printing import console, table
from costbench.cli.running import run_with_progress
from costbench.reporting.sweep import Spread, Variant, quality_metric, speed_up, variants
from costbench.runstore import Run, RunStore
from costbench.spec import RunSpec, Suite
from costbench.units import format_bits

Specs = Sequence[tuple[str, RunSpec]]


def sweep(suite: Suite, specs: Specs, runs: Path, jobs: int, quiet: bool) -> list[tuple[str, Run]]:
    """Execute every spec that the store does not hold yet; the name of each one's variant, and its run."""
    store = RunStore(runs)
    names = [name for name, _ in specs]
    todo = [(spec, suite.name) for _, spec in specs if not store.holds(spec.run_id())]
    if len(todo) < len(specs):
        note(f"{suite.name}: {len(specs) - len(todo)} of {len(specs)} runs are there already")
    if jobs == 1:
        run_with_progress(todo, runs, quiet)
    else:
        _in_processes(todo, runs, jobs)
    return list(zip(names, (store.find(spec.run_id()) for _, spec in specs), strict=True))


def _in_processes(todo: Sequence[tuple[RunSpec, str]], runs: Path, jobs: int) -> None:
    """`jobs` runs at a time, each in a process of its own with its share of the cores."""
    workers = max(1, (os.cpu_count() or 1) // jobs)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        running = [pool.submit(_one, spec, file, runs, workers) for spec, file in todo]
        for done, future in enumerate(running, start=1):
            note(f"{done} of {len(todo)}: {future.result()}")


def _one(spec: RunSpec, file: str, runs: Path, workers: int) -> str:
    run_with_progress([(spec, file)], runs, quiet=True, workers=workers)
    return f"{spec.name}, seed {spec.seed}, {spec.run_id()}"


def print_sweep(suite: Suite, runs: Sequence[tuple[str, Run]], markdown: bool) -> None:
    """The variants as a table; mean +- standard deviation over seeds."""
    metric = quality_metric(runs[0][1]).removeprefix("test_")
    columns = ["variant", "seeds", f"{metric}, nodes", f"{metric}, mean model", "loss", "a device sends"]
    columns += ["rounds to target"] if suite.target else []
    rows = [_row(variant, suite.target is not None) for variant in variants(suite, runs)]
    if markdown:
        for cells in (columns, ["---"] * len(columns), *rows):
            print("| " + " | ".join(cells) + " |")
    else:
        console().print(suite.question)
        console().print(table(suite.name, columns, rows))
    if fit := speed_up(suite, runs):
        law = f"rounds to target ~ n^a, a = {fit.exponent:.2f} ± {fit.half_width:.2f} (95 % interval)"
        print(f"\n{law}; a = -1 is a linear speed-up")


def _row(variant: Variant, target: bool) -> list[str]:
    sent = variant.sent_bits.mean
    cells = [variant.name, str(variant.seeds), _spread(variant.quality, 4), _spread(variant.of_mean, 4)]
    cells += [_spread(variant.loss, 4), format_bits(sent) if sent is not None else "-"]
    return cells + ([_spread(variant.rounds_to_target, 0)] if target else [])


def _spread(spread: Spread, digits: int) -> str:
    if spread.mean is None:
        return "-"
    return _number(spread.mean, digits) + (f" ± {_number(spread.sd, digits)}" if spread.sd is not None else "")


def _number(figure: float, digits: int) -> str:
    return f"{figure:.{digits}f}" if abs(figure) < 1e6 else f"{figure:.2g}"
