"""Run specs with a progress bar; Ctrl-C finishes the round in work and keeps a checkpoint."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from types import FrameType

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from costbench.cli.outcome import note
from costbench.runstore import Run, RunStore
from costbench.spec import RunSpec


class RateColumn(ProgressColumn):
    """Finished rounds a second of this try."""

    def render(self, task: Task) -> Text:
        elapsed = task.finished_time or task.elapsed
        rate = task.completed / elapsed if elapsed else 0.0
        return Text(f"{rate:.2f} rounds/s" if rate else "- rounds/s")


def run_with_progress(specs: Sequence[tuple[RunSpec, str]], runs: Path, quiet: bool) -> list[Run]:
    """Execute specs one after the other, each with the file name that its errors refer to."""
    from costbench.training.run import execute

    store = RunStore(runs)
    columns = [
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        RateColumn(),
        TimeRemainingColumn(),
    ]
    with _stop_on_signals() as stop, Progress(*columns, console=Console(stderr=True), disable=quiet) as bar:

        def one(spec: RunSpec, file: str) -> Run:
            if store.holds(spec.run_id()):
                note(f"{spec.name}: already run")
                return store.find(spec.run_id())
            task = bar.add_task(spec.name, total=None)
            return execute(
                spec,
                store,
                progress=lambda done, rounds: bar.update(task, completed=done, total=rounds),
                stop=stop,
                file=file,
            )

        return [one(spec, file) for spec, file in specs]


@contextmanager
def _stop_on_signals() -> Iterator[Event]:
    """An event that the first SIGINT or SIGTERM sets; a second one acts as usual."""
    stop = Event()

    def ask(number: int, frame: FrameType | None) -> None:
        stop.set()
        signal.signal(number, before[number])

    before = {int(number): signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
