"""The counts of a spec's first round: what one device computes and holds while it really runs."""

from __future__ import annotations

from dataclasses import dataclass

from costbench.ledger import DEVICE_PHASES, MEMORY_CATEGORIES, total_count
from costbench.spec import RunSpec
from costbench.training.simulate import Simulation


@dataclass(frozen=True)
class FirstRound:
    """FLOP of one device by phase, and its peak bytes by category and together, in one round."""

    flop: dict[str, int]
    bytes_of: dict[str, int]


def first_round(spec: RunSpec, node: int = 0) -> FirstRound:
    """Run one round of all nodes and read the counts of one of them.

    Parameters
    ----------
    spec : what to run; of one round
    node : the device whose counts are wanted
    """
    simulation = Simulation(spec)
    for _ in simulation.run():
        pass
    ledger = simulation.recorder.ledger()
    flop = {phase: total_count(ledger.compute, "flop", node=node, phases=(phase,)) for phase in DEVICE_PHASES}
    held = ledger.memory.to_pylist()
    bytes_of = {row["category"]: row["bytes"] for row in held if row["node"] == node}
    return FirstRound(flop, {category: bytes_of[category] for category in MEMORY_CATEGORIES})
