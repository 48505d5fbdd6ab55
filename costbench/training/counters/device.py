"""What one device computes and holds in one round: the algorithm's own code on that node alone.

The round runs once more on a copy of the node, with the messages arriving that did arrive, each decoded
for itself: what a simulation shares between nodes, a device does not. Operators depend on shapes alone, so
rounds of one regime and number of messages are measured once.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
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
    """The bytes of a message that arrived, from whom, the receiver's weight on it, and its codec's name."""

    payload: Tensor
    weight: float
    sender: int
    codec: str


Receive = Callable[[], Inbox]


def measure_round(
    node: Node,
    algorithm: Algorithm,
    local: Local,
    wire: Wire,
    buffers: dict[str, Buffer],
    exchanges: Sequence[Sequence[Arrival]],
    sent_as: Sequence[str],
) -> DeviceRound:
    """Measure the round on a copy of `node`, with what arrived in each exchange.

    `sent_as` names the codecs of the messages that it sent, in their order; of none, where nobody listened.
    """
    alone, compute, memory = node.alone(), ComputeCounter(), MemoryCounter()
    for name, row in alone.rows.items():
        memory.hold(buffers[name].category, row)
    memory.hold("parameters", *alone.model.buffers())
    batch = local.draw()
    memory.hold("activations", batch.inputs, batch.labels)
    local = replace(local, draw=lambda: batch)

    remaining = iter([list(map(_copy, exchange)) for exchange in exchanges])

    def receive() -> Inbox:
        arrived = next(remaining)
        memory.hold("messages", [arrival.payload for arrival in arrived])
        return _decoded(arrived, wire)

    with _generators_kept(), compute, memory:
        _drive(algorithm, alone, local, wire, receive, list(sent_as))
    return DeviceRound(
        dict(compute.by_phase), {**memory.peak_of, "peak": memory.peak}, set(compute.uncounted)
    )


def measure_evaluation(node: Node, batches: list[Batch]) -> DeviceRound:
    """Measure the forward passes of an evaluation on a copy of `node`."""
    alone, compute = node.alone(), ComputeCounter()
    alone.model.eval()
    with _generators_kept(), torch.no_grad(), compute, phase("evaluate"):
        for batch in batches:
            alone.model(batch.inputs)
    return DeviceRound(dict(compute.by_phase), {}, set(compute.uncounted))


@contextmanager
def _generators_kept() -> Iterator[None]:
    """Leave the global random generators of torch, numpy and Python as they were."""
    of_numpy, of_python = np.random.get_state(), random.getstate()
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        np.random.set_state(of_numpy)
        random.setstate(of_python)


def _drive(
    algorithm: Algorithm, node: Node, local: Local, wire: Wire, receive: Receive, codecs: list[str]
) -> None:
    """Run the round, encoding what it yields, if anybody gets it, and handing it what arrives."""
    steps = algorithm.round(node, local)
    try:
        outgoing = next(steps)
        while True:
            several = [outgoing] if isinstance(outgoing, Outgoing) else list(outgoing)
            encoded = [wire.encode(one.vector, one.side, codecs.pop(0)).payload for one in several if codecs]
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


def _copy(arrival: Arrival) -> Arrival:
    """A copy with bytes of its own, made before anything is counted: arriving is the radio's work."""
    copied = torch.frombuffer(bytearray(arrival.payload.numpy().tobytes()), dtype=torch.uint8)
    return replace(arrival, payload=copied)
