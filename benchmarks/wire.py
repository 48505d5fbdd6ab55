"""Speed of the wire: shares of a training step, entries a second, and top-k against torch's.

    python benchmarks/wire.py [--repeats 5]

One node's ResNet-20 step (forward, backward, SGD with momentum; one thread) and one encoding plus
decoding of its messages are taken in turn, and the share is their ratio, repeat by repeat. Top-k of 16
nodes is compared with one `torch.topk` a tensor and node in the same way. Codes of positions run on 1 of 10
million entries, kept at random. The step empties the processor's caches, so that encoding begins cold, as in
a run. Prints one JSON document: least, median and most of every figure.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from typing import Annotated

import numpy as np
import torch
import typer

from costbench.spec import load_spec
from costbench.training.compressors import TopK
from costbench.training.simulate import Simulation
from costbench.training.vectors import Dense, Vector
from costbench.training.wire import Wire
from costbench.training.wire.positions import CODES, Pieces, Places

KEEPS = (0.001, 0.01, 0.1)
NODES = 16


def main(repeats: Annotated[int, typer.Option(min=2)] = 5) -> None:
    """Measure the wire on one thread."""
    torch.set_num_threads(1)
    document = {
        "repeats": repeats,
        "share_of_a_training_step": {f"batch {batch}": shares(batch, repeats) for batch in (8, 32)},
        "times_faster_than_torch_topk_16_nodes": {str(keep): top_k(keep, repeats) for keep in KEEPS},
        "million_entries_per_s": {
            name: positions(name, repeats) for name in ("golomb-rice", "elias-fano", "elias-gamma", "entropy")
        },
    }
    typer.echo(json.dumps(document, indent=1))


def shares(batch: int, repeats: int) -> dict[str, dict[str, float]]:
    """Encoding plus decoding over the step of the node that sends, of sparse messages and of a dense one."""
    simulation = Simulation(load_spec("demo-sparse-push", ["nodes=2", f"task.batch={batch}"]))
    node, task = simulation.fleet.nodes[0], simulation.task
    samples, layout = task.batch(0, 0), simulation.fleet.layout

    def step() -> None:
        node.gradient(samples)
        simulation.algorithm.optimizer.step(node, node.x, 0)

    messages: dict[str, tuple[Wire, Callable[[], object]]] = {
        "dense": _round_trip(Wire(layout.numels), Dense(node.x))
    }
    for keep in KEEPS:
        compressor = TopK(layout, keep)
        wire = Wire(layout.numels, compressor)
        messages[f"top-k {keep}"] = _round_trip(wire, compressor(node.x, 0))
    return {name: spread(in_turn(trip, step, repeats)) for name, (_, trip) in messages.items()}


def _round_trip(wire: Wire, vector: Vector) -> tuple[Wire, Callable[[], object]]:
    side = torch.ones(1)
    return wire, lambda: wire.decode(wire.encode(vector, side).payload)


def top_k(keep: float, repeats: int) -> dict[str, float]:
    """Times that one torch.topk a tensor and node takes as long as ours, for 16 nodes."""
    simulation = Simulation(load_spec("demo-sparse-push", ["nodes=16"]))
    layout = simulation.fleet.layout
    compressor, rows_ND = TopK(layout, keep), torch.randn(NODES, layout.parameters)

    def ours() -> None:
        for row_D in rows_ND:
            compressor.largest.positions(row_D.abs())

    def torchs() -> None:
        for row_D in rows_ND:
            magnitude_D = row_D.abs()
            for (start, stop), k in zip(layout.bounds, compressor.kept, strict=True):
                magnitude_D[start:stop].topk(k, sorted=False)

    return spread(in_turn(torchs, ours, repeats))


def positions(name: str, repeats: int) -> dict[str, dict[str, float]]:
    """Millions of kept entries a second, written and read."""
    numel, kept = 10_000_000, 1_000_000
    pieces = Pieces([numel], [kept])
    inside = np.sort(np.random.default_rng(0).choice(numel, kept, replace=False))
    code, inside_K = CODES[name](pieces), torch.from_numpy(inside)
    octets = code.write(Places(inside_K, pieces)).octets
    writing = [seconds(lambda: code.write(Places(inside_K, pieces))) for _ in range(repeats)]
    reading = [seconds(lambda: code.read(octets)) for _ in range(repeats)]
    return {
        "write": spread([kept / 1e6 / s for s in writing]),
        "read": spread([kept / 1e6 / s for s in reading]),
    }


def in_turn(
    work: Callable[[], object], measure: Callable[[], object], repeats: int, times: int = 20
) -> list[float]:
    """Seconds of `work` over those of `measure`, both run in turn `times` times in every repeat."""
    work(), measure()
    ratios = []
    for _ in range(repeats):
        both = [(seconds(work), seconds(measure)) for _ in range(times)]
        ratios.append(sum(a for a, _ in both) / sum(b for _, b in both))
    return ratios


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def spread(figures: list[float]) -> dict[str, float]:
    return {
        "min": round(min(figures), 4),
        "median": round(statistics.median(figures), 4),
        "max": round(max(figures), 4),
    }


if __name__ == "__main__":
    typer.run(main)
