"""Run specs with a progress bar; Ctrl-C finishes the round in work and keeps a checkpoint."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
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


class RoundsBar:
    """A line a run on stderr; nothing shows before the first round is over."""

    def __init__(self, quiet: bool):
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            RateColumn(),
            TimeRemainingColumn(),
        )
        self._bar = Progress(*columns, console=Console(stderr=True), disable=quiet)
        self._started = False

    def line(self, name: str) -> Callable[[int, int], None]:
        """A function of the finished and of all rounds that moves the line of this run."""
        begun = self._bar.add_task(name, total=None, visible=False)

        def move(done: int, rounds: int) -> None:
            if not self._started:
                self._bar.start()
                self._started = True
            self._bar.update(begun, completed=done, total=rounds, visible=True)

        return move

    def __enter__(self) -> RoundsBar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._started:
            self._bar.stop()


def run_with_progress(
    specs: Sequence[tuple[RunSpec, str]], runs: Path, quiet: bool, workers: int | None = None
) -> list[Run]:
    """Execute specs one after the other, each with the file name that its errors refer to.

    `workers` are threads over the nodes; default one for each core.
    """
    from costbench.training.run import execute

    store = RunStore(runs)
    with _stop_on_signals() as stop, RoundsBar(quiet) as bar:

        def one(spec: RunSpec, file: str) -> Run:
            if store.holds(spec.run_id()):
                note(f"{spec.name}: already run")
                return store.find(spec.run_id())
            line = bar.line(f"{spec.name}, seed {spec.seed}" if len(specs) > 4 else spec.name)
            return execute(spec, store, progress=line, stop=stop, workers=workers, file=file)

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
