"""From a spec to a sealed run: train, checkpoint, resume, seal."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import torch

from costbench.errors import Interrupted
from costbench.runstore import CHECKPOINT, Run, RunStore
from costbench.spec import RunSpec
from costbench.training.counters.compute import uncounted
from costbench.training.record import record
from costbench.training.simulate import Simulation

CHECKPOINT_EVERY_S = 60.0

Progress = Callable[[int, int], None]
"""Called with the finished rounds and all rounds."""


@dataclass
class Timer:
    """Wall time of a run over all its parts, and when it first began."""

    before_s: float
    started_utc: str
    begun: float

    @property
    def wall_s(self) -> float:
        return self.before_s + time.perf_counter() - self.begun


def execute(
    spec: RunSpec,
    store: RunStore,
    *,
    progress: Progress = lambda done, rounds: None,
    stop: Callable[[], bool] = lambda: False,
    workers: int | None = None,
    file: str = "spec",
    strict: bool = False,
) -> Run:
    """Train what the spec says and seal it; go on from the checkpoint of an earlier, interrupted try.

    A run that the store holds already is returned as it is: the same spec is the same run.

    Parameters
    ----------
    spec : what to run
    store : where the run goes
    progress : called after every round
    stop : asked after every round; when true, a checkpoint is written and Interrupted raised
    workers : threads over the nodes; default one for each core
    file : name under which an error refers to the spec
    strict : raise CheckFailed where an operator of a device's round or evaluation has no formula
    """
    run_id = spec.run_id()
    if store.holds(run_id):
        return _checked(store.find(run_id), strict)
    simulation = Simulation(spec, workers, file, strict)
    with store.writing(run_id) as partial:
        timer = _resume(simulation, partial)
        saved = time.perf_counter()
        for done in simulation.run():
            progress(done, simulation.rounds)
            if stop() and done < simulation.rounds:
                _save(simulation, timer, partial)
                raise Interrupted(
                    f"stopped after {done} of {simulation.rounds} rounds; the same command goes on from there"
                )
            if time.perf_counter() - saved > CHECKPOINT_EVERY_S:
                _save(simulation, timer, partial)
                saved = time.perf_counter()
        summary = record(simulation, timer.started_utc, _now(), timer.wall_s)
        return store.seal(partial, summary, simulation.recorder.ledger())


def _checked(run: Run, strict: bool) -> Run:
    names = run.record["uncounted_operators"]
    if strict and names:
        raise uncounted(names)
    return run


def _resume(simulation: Simulation, partial: Path) -> Timer:
    checkpoint = partial / CHECKPOINT / "state.pt"
    if not checkpoint.is_file():
        return Timer(0.0, _now(), time.perf_counter())
    saved = torch.load(checkpoint, weights_only=False)
    simulation.restore(saved["simulation"])
    return Timer(saved["wall_s"], saved["started_utc"], time.perf_counter())


def _save(simulation: Simulation, timer: Timer, partial: Path) -> None:
    """Write a checkpoint beside the old one, then replace that in one step."""
    folder = partial / CHECKPOINT
    folder.mkdir(exist_ok=True)
    state = {
        "simulation": simulation.state(),
        "wall_s": timer.wall_s,
        "started_utc": timer.started_utc,
    }
    torch.save(state, folder / "state.new")
    (folder / "state.new").replace(folder / "state.pt")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
