"""Lines with bar, rate and time left on stderr."""

from __future__ import annotations

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


class RateColumn(ProgressColumn):
    """What this try finished in a second, in the unit of the line."""

    def render(self, task: Task) -> Text:
        elapsed = task.finished_time or task.elapsed
        rate = task.completed / elapsed if elapsed else 0.0
        unit = task.fields["unit"]
        return Text(f"{rate:.2f} {unit}/s" if rate >= 0.1 else f"{rate * 60:.2f} {unit}/min" if rate else "")


class Bars:
    """Several lines on stderr; nothing shows before the first of them moves."""

    def __init__(self, quiet: bool):
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            RateColumn(),
            TimeRemainingColumn(),
        )
        self._progress = Progress(*columns, console=Console(stderr=True), disable=quiet)

    def line(self, name: str, unit: str = "rounds") -> Line:
        """A line that waits for its first move."""
        return Line(self._progress, name, unit)

    def note(self, sentence: str) -> None:
        """A sentence above the lines."""
        if not self._progress.disable:
            self._progress.console.print(sentence, markup=False, highlight=False, soft_wrap=True)

    def __enter__(self) -> Bars:
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress.live.is_started:
            self._progress.stop()


class Line:
    """One bar: call it with how much is done, and how much there is."""

    def __init__(self, progress: Progress, name: str, unit: str):
        self._progress = progress
        self._task = progress.add_task(name, total=None, visible=False, unit=unit)

    def __call__(self, done: float, of: float) -> None:
        if not self._progress.live.is_started:
            self._progress.start()
        self._progress.update(self._task, completed=done, total=of, visible=True)

    def remove(self) -> None:
        self._progress.remove_task(self._task)
