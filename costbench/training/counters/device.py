"""What one device computes and holds in one round: the algorithm's own code on that node alone.

The round runs once more on a copy of the node, with as many messages arriving as it has in-neighbours,
each decoded for itself: what a simulation shares between nodes, a device does not. Operators depend on
shapes alone, so rounds of one regime and in-degree are measured once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from costbench.training.algorithms.algorithm import Algorithm, Inbox, Incoming, Local
from costbench.training.counters.compute import ComputeCounter, Counts
from costbench.training.counters.memory import MemoryCounter
from costbench.training.counters.phases import phase
from costbench.training.nodes import Batch, Buffer, Node
from costbench.training.wire import Wire


@dataclass(frozen=True)
class DeviceRound:
    """Counts by (phase, dtype), peak bytes by category and together, operators that were not counted."""

    counts: dict[tuple[str, str], Counts]
    bytes_of: dict[str, int]
    uncounted: set[str]


Receive = Callable[[Tensor], Inbox]


def measure_round(
    node: Node,
    algorithm: Algorithm,
    local: Local,
    wire: Wire,
    buffers: dict[str, Buffer],
    in_weights: list[float],
) -> DeviceRound:
    """Measure the round on a copy of `node`, with one arriving message for each of `in_weights`."""
    alone, compute, memory = node.alone(), ComputeCounter(), MemoryCounter()
    for name, row in alone.rows.items():
        memory.hold(buffers[name].category, row)
    memory.hold("parameters", *alone.model.buffers())
    batch = local.draw()
    memory.hold("activations", batch.images, batch.labels)
    local = replace(local, draw=lambda: batch)

    def receive(payload: Tensor) -> Inbox:
        arrived = [_copy(payload) for _ in in_weights]
        memory.hold("messages", arrived)
        return _decoded(arrived, in_weights, wire)

    with torch.random.fork_rng(devices=[]), compute, memory:
        _drive(algorithm, alone, local, wire, receive)
    return DeviceRound(
        dict(compute.by_phase), {**memory.peak_of, "peak": memory.peak}, set(compute.uncounted)
    )


def measure_evaluation(node: Node, batches: list[Batch]) -> DeviceRound:
    """Measure the forward passes of an evaluation on a copy of `node`."""
    alone, compute = node.alone(), ComputeCounter()
    alone.model.eval()
    with torch.random.fork_rng(devices=[]), torch.no_grad(), compute, phase("evaluate"):
        for batch in batches:
            alone.model(batch.images)
    return DeviceRound(dict(compute.by_phase), {}, set(compute.uncounted))


def _drive(algorithm: Algorithm, node: Node, local: Local, wire: Wire, receive: Receive) -> None:
    """Run the round, encoding what it yields and sending it what `receive` makes of the bytes."""
    steps = algorithm.round(node, local)
    try:
        outgoing = next(steps)
        while True:
            payload = wire.encode(outgoing.vector, outgoing.side).payload
            del outgoing
            outgoing = steps.send(receive(payload))
    except StopIteration:
        return


def _decoded(arrived: list[Tensor], in_weights: list[float], wire: Wire) -> Iterator[Incoming]:
    """Decode each message when the node turns to it, and let go of its bytes."""
    for weight in in_weights:
        vector, side = wire.decode(arrived.pop())
        yield Incoming(vector, side, weight)


def _copy(payload: Tensor) -> Tensor:
    """A copy that no counter sees: arriving bytes are the radio's work."""
    return torch.frombuffer(bytearray(payload.numpy().tobytes()), dtype=torch.uint8)
