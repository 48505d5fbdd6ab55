"""What one device computes and holds in one round: the algorithm's own code on that node alone.

The round runs once more on a copy of the node, with the messages arriving that did arrive, each decoded
for itself: what a simulation shares between nodes, a device does not. Operators depend on shapes alone, so
rounds of one regime and number of messages are measured once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from costbench.training.algorithms.algorithm import Algorithm, Inbox, Incoming, Local, Outgoing
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


@dataclass(frozen=True)
class Arrival:
    """The bytes of a message that arrived, from whom, and the weight that the receiver puts on it."""

    payload: Tensor
    weight: float
    sender: int


Receive = Callable[[], Inbox]


def measure_round(
    node: Node,
    algorithm: Algorithm,
    local: Local,
    wire: Wire,
    buffers: dict[str, Buffer],
    exchanges: Sequence[Sequence[Arrival]],
    sends: bool,
) -> DeviceRound:
    """Measure the round on a copy of `node`, with what arrived in each exchange; `sends`: to anybody."""
    alone, compute, memory = node.alone(), ComputeCounter(), MemoryCounter()
    for name, row in alone.rows.items():
        memory.hold(buffers[name].category, row)
    memory.hold("parameters", *alone.model.buffers())
    batch = local.draw()
    memory.hold("activations", batch.inputs, batch.labels)
    local = replace(local, draw=lambda: batch)

    remaining = iter(exchanges)

    def receive() -> Inbox:
        arrived = [replace(arrival, payload=_copy(arrival.payload)) for arrival in next(remaining)]
        memory.hold("messages", [arrival.payload for arrival in arrived])
        return _decoded(arrived, wire)

    with torch.random.fork_rng(devices=[]), compute, memory:
        _drive(algorithm, alone, local, wire, receive, sends)
    return DeviceRound(
        dict(compute.by_phase), {**memory.peak_of, "peak": memory.peak}, set(compute.uncounted)
    )


def measure_evaluation(node: Node, batches: list[Batch]) -> DeviceRound:
    """Measure the forward passes of an evaluation on a copy of `node`."""
    alone, compute = node.alone(), ComputeCounter()
    alone.model.eval()
    with torch.random.fork_rng(devices=[]), torch.no_grad(), compute, phase("evaluate"):
        for batch in batches:
            alone.model(batch.inputs)
    return DeviceRound(dict(compute.by_phase), {}, set(compute.uncounted))


def _drive(algorithm: Algorithm, node: Node, local: Local, wire: Wire, receive: Receive, sends: bool) -> None:
    """Run the round, encoding what it yields, if anybody gets it, and handing it what arrives."""
    steps = algorithm.round(node, local)
    try:
        outgoing = next(steps)
        while True:
            several = [outgoing] if isinstance(outgoing, Outgoing) else list(outgoing)
            encoded = [wire.encode(one.vector, one.side).payload for one in several if sends]
            del outgoing, several
            inbox = receive()
            del encoded
            outgoing = steps.send(inbox)
    except StopIteration:
        return


def _decoded(arrived: list[Arrival], wire: Wire) -> Iterator[Incoming]:
    """Decode each message when the node turns to it, and let go of its bytes."""
    arrived.reverse()
    while arrived:
        arrival = arrived.pop()
        vector, side = wire.decode(arrival.payload)
        weight, sender = arrival.weight, arrival.sender
        del arrival
        yield Incoming(vector, side, weight, sender)


def _copy(payload: Tensor) -> Tensor:
    """A copy that no counter sees: arriving bytes are the radio's work."""
    return torch.frombuffer(bytearray(payload.numpy().tobytes()), dtype=torch.uint8)
