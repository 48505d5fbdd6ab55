"""Speed of the engine: node-steps a second, and the share of a run that bare training takes.

    python benchmarks/engine.py [--rounds 20] [--repeats 3] [--nodes 16] [SPEC]

Both are taken in one loop, round by round in turn: a round of the run (batches drawn, everything
counted, encoded, decoded, mixed), then forward and backward of the same batches on copies of the same
nodes in the same worker threads. Turning the counts into tables and writing them is part of the run;
evaluation is not. A short run before the first repeat warms up. Prints one JSON document.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

from costbench.spec import RunSpec, load_spec
from costbench.training.simulate import Simulation


def main(
    spec: Annotated[str, typer.Argument(help="YAML file or recipe.")] = "demo-sparse-push",
    rounds: int = 20,
    repeats: int = 3,
    nodes: int = 16,
) -> None:
    """Measure the engine on a spec."""
    settings = load_spec(spec, [f"rounds={rounds}", f"nodes={nodes}", f"evaluate.every={rounds + 1}"])
    once(settings.model_copy(update={"rounds": 2}))
    measured = [once(settings) for _ in range(repeats)]
    shares = [bare_s / run_s for bare_s, run_s in measured]
    rates = [nodes * rounds / run_s for _, run_s in measured]
    document = {
        "spec": settings.name,
        "nodes": nodes,
        "rounds": rounds,
        "repeats": repeats,
        "node_steps_per_s": spread(rates),
        "bare_share_of_run": spread(shares),
    }
    typer.echo(json.dumps(document, indent=1))


def once(spec: RunSpec) -> tuple[float, float]:
    """Seconds of bare forward and backward, and of the run without them, over all rounds."""
    simulation = Simulation(spec)
    simulation._evaluate = lambda: None  # type: ignore[method-assign]
    copies = [node.alone() for node in simulation.fleet.nodes]
    bare_s = 0.0
    started = time.perf_counter()
    for done in simulation.run():
        batches = [simulation.task.batch(i, done - 1) for i in range(spec.nodes)]
        paused = time.perf_counter()
        list(simulation._pool.map(lambda node, batch: node.gradient(batch), copies, batches))
        bare_s += time.perf_counter() - paused
        started += time.perf_counter() - paused
    with tempfile.TemporaryDirectory() as folder:
        simulation.recorder.ledger().write(Path(folder))
    return bare_s, time.perf_counter() - started


def spread(numbers: list[float]) -> dict[str, float]:
    """Smallest, median and largest."""
    low, middle, high = min(numbers), statistics.median(numbers), max(numbers)
    return {"min": round(low, 4), "median": round(middle, 4), "max": round(high, 4)}


if __name__ == "__main__":
    typer.run(main)
