"""The run record: everything about a run that is not a count."""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import version
from typing import Any

import torch

from costbench import __version__
from costbench.ledger import SCHEMA_VERSION
from costbench.training.counters.operators import CONVENTION
from costbench.training.simulate import Simulation

PACKAGES = ("torch", "numpy", "pyarrow", "pydantic", "scipy")
CONVENTIONS = {
    "flop": CONVENTION,
    "bytes": "bytes of the distinct inputs and outputs of every operator; views and allocations are free",
    "keep": "k = max(1, int(numel * keep)) entries of every parameter tensor",
    "bits": "value + index + side + padding + header bits = 8 * bytes of the encoded message",
    "memory": "tensor bytes alive on one device in a round: the peak of each category, and of all together",
    "epoch": "rounds in which all nodes together draw as many samples as there are",
}


def record(simulation: Simulation, started_utc: str, stopped_utc: str, wall_s: float) -> dict[str, Any]:
    """The content of run.json, but for its schema version."""
    spec, layout = simulation.spec, simulation.fleet.layout
    positions_m = simulation.transport.topology.positions_m
    return {
        "run_id": spec.run_id(),
        "spec": spec.resolved(),
        "rounds": simulation.rounds,
        "parameters": layout.parameters,
        "layout": [
            {"name": name, "shape": list(shape), "numel": numel}
            for name, shape, numel in zip(layout.names, layout.shapes, layout.numels, strict=True)
        ],
        "algorithm_reading": simulation.algorithm.reading,
        "positions_m": None if positions_m is None else positions_m.tolist(),
        "partition": simulation.task.partition_report,
        "conventions": CONVENTIONS,
        "uncounted_operators": simulation.recorder.uncounted_operators,
        "final_parameters_sha256": parameters_sha256(simulation),
        "provenance": {
            "code_version": __version__,
            "ledger_schema": SCHEMA_VERSION,
            "packages": {name: version(name) for name in PACKAGES},
            "platform": {
                "python": platform.python_version(),
                "system": platform.platform(),
                "machine": platform.machine(),
            },
            "threads": {"workers": simulation.workers, "intra_op": 1},
            "seed": spec.seed,
            "started_utc": started_utc,
            "stopped_utc": stopped_utc,
            "dataset": {
                "name": simulation.task.dataset.name,
                "sha256": simulation.task.dataset.sha256,
                "licence": simulation.task.dataset.licence,
            },
        },
        "gauges": {"wall_s": wall_s},
    }


def parameters_sha256(simulation: Simulation) -> str:
    """SHA-256 of the final parameters of all nodes, float32 [N, D], in row-major order."""
    rows = simulation.fleet.model_rows.to(torch.float32).contiguous()
    return hashlib.sha256(rows.numpy().tobytes()).hexdigest()
