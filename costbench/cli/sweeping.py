"""Run the specs of a suite, each in a process of its own, several at a time if asked to."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.sharedctypes import SynchronizedArray
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import NamedTuple

from costbench.cli.bars import Bars, Line
from costbench.cli.outcome import note
from costbench.cli.running import stop_on_signals
from costbench.errors import CheckFailed, Diverged, Interrupted
from costbench.runstore import Run, RunStore
from costbench.spec import RunSpec, Suite


class Shared(NamedTuple):
    """What the processes of a sweep have in common: the wish to stop, and how far each run has come.

    `rounds[i]` is 0 until run i knows how many rounds it has.
    """

    stop: Event
    done: SynchronizedArray[int]
    rounds: SynchronizedArray[int]


class Swept(NamedTuple):
    """The sealed runs by the name of their variant, and why the others diverged, by variant and seed."""

    runs: list[tuple[str, Run]]
    diverged: dict[str, str]


_shared: Shared


def sweep(suite: Suite, specs: Sequence[tuple[str, RunSpec]], runs: Path, jobs: int, quiet: bool) -> Swept:
    """Execute every spec that the store does not hold yet, `jobs` at a time.

    Raises
    ------
    Interrupted : asked to stop; runs in work keep a checkpoint
    CheckFailed : a process was killed
    InputError : a spec does not fit its data; no other run is begun
    """
    store = RunStore(runs)
    todo = [spec for _, spec in specs if not store.holds(spec.run_id())]
    if len(todo) < len(specs):
        note(f"{suite.name}: {len(specs) - len(todo)} of {len(specs)} runs are there already")
    reasons = _execute(suite.name, todo, runs, jobs, quiet) if todo else {}
    swept = Swept([], {})
    for name, spec in specs:
        if reason := reasons.get(spec.run_id()):
            swept.diverged[f"{name}, seed {spec.seed}"] = reason
        else:
            swept.runs.append((name, store.find(spec.run_id())))
    return swept


def _execute(suite: str, todo: Sequence[RunSpec], runs: Path, jobs: int, quiet: bool) -> dict[str, str]:
    """Execute all of them; why each run that diverged did so, by run id."""
    context = multiprocessing.get_context("spawn")
    shared = Shared(context.Event(), context.Array("q", len(todo)), context.Array("q", len(todo)))
    with (
        stop_on_signals() as asked,
        Bars(quiet) as bars,
        ProcessPoolExecutor(jobs, context, _begin, (shared,)) as pool,
    ):
        running = {pool.submit(_one, i, spec, runs, jobs): i for i, spec in enumerate(todo)}
        pending, view, failure = set(running), View(suite, todo, shared, bars), None
        while pending:
            done, pending = wait(pending, timeout=0.2)
            finished = sorted(done, key=running.__getitem__)
            failure = failure or next(filter(None, (future.exception() for future in finished)), None)
            if failure or asked.is_set():
                shared.stop.set()
            for future in finished:
                view.end(running[future], future)
            view.move(running[future] for future in pending)
    _raise(failure, suite)
    return {todo[i].run_id(): reason for future, i in running.items() if (reason := future.result())}


def _raise(failure: BaseException | None, suite: str) -> None:
    """End the sweep as its first failure demands."""
    kept = "finished runs are kept, and the same command goes on from there"
    if isinstance(failure, Interrupted):
        raise Interrupted(f"{suite}: stopped; {kept}")
    if isinstance(failure, BrokenProcessPool):
        raise CheckFailed(f"{suite}: a process was killed, perhaps for lack of memory; {kept}")
    if failure:
        raise failure


def _begin(shared: Shared) -> None:
    """In a new process: the parent hears Ctrl-C and tells of it through `shared`."""
    global _shared
    _shared = shared
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _one(i: int, spec: RunSpec, runs: Path, jobs: int) -> str | None:
    """Execute run i with its share of the cores; None when it is sealed, else why it diverged."""
    from costbench.training.run import execute
    from costbench.training.simulate import available_cores

    def progress(done: int, rounds: int) -> None:
        _shared.done[i], _shared.rounds[i] = done, rounds

    if _shared.stop.is_set():
        raise Interrupted("not begun")
    try:
        execute(
            spec,
            RunStore(runs),
            progress=progress,
            stop=_shared.stop.is_set,
            workers=max(1, available_cores() // jobs),
            file=spec.name,
        )
    except Diverged as error:
        return str(error)
    return None


class View:
    """A bar over the suite and one for every run in work; a sentence for every finished one."""

    def __init__(self, suite: str, specs: Sequence[RunSpec], shared: Shared, bars: Bars):
        self.specs, self.shared, self.bars = specs, shared, bars
        self.whole = bars.line(suite, unit="runs")
        self.lines: dict[int, Line] = {}
        self.finished = 0

    def end(self, i: int, future: Future[str | None]) -> None:
        """Run i is over, or has failed."""
        if i in self.lines:
            self.lines.pop(i).remove()
        if not future.exception():
            self.finished += 1
            end = "diverged" if future.result() else self.specs[i].run_id()
            self.bars.note(f"{self.finished} of {len(self.specs)}: {self._name(i)}, {end}")

    def move(self, pending: Iterable[int]) -> None:
        """Runs in work have gone on."""
        done, rounds = self.shared.done, self.shared.rounds
        begun = [i for i in pending if rounds[i]]
        for i in begun:
            if i not in self.lines:
                self.lines[i] = self.bars.line(self._name(i))
            self.lines[i](done[i], rounds[i])
        if begun or self.finished:
            self.whole(self.finished + sum(done[i] / rounds[i] for i in begun), len(self.specs))

    def _name(self, i: int) -> str:
        return f"{self.specs[i].name}, seed {self.specs[i].seed}"
