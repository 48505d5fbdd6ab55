"""Run specs with a progress bar; Ctrl-C finishes the round in work and keeps a checkpoint."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from types import FrameType

from costbench.cli.bars import Bars
from costbench.cli.outcome import note
from costbench.runstore import Run, RunStore
from costbench.spec import RunSpec


def run_with_progress(
    specs: Sequence[tuple[RunSpec, str]], runs: Path, quiet: bool, strict: bool = False
) -> list[Run]:
    """Execute specs one after the other, each with the file name that its errors refer to.

    `strict` : an operator without a formula is an error
    """
    from costbench.training.run import execute

    store = RunStore(runs)
    with stop_on_signals() as stop, Bars(quiet) as bars:

        def one(spec: RunSpec, file: str) -> Run:
            if store.holds(spec.run_id()):
                note(f"{spec.name}: already run")
                return execute(spec, store, file=file, strict=strict)
            line = bars.line(spec.name)
            return execute(spec, store, progress=line, stop=stop.is_set, file=file, strict=strict)

        return [one(spec, file) for spec, file in specs]


@contextmanager
def stop_on_signals() -> Iterator[Event]:
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
