"""Run a spec: every node's rounds, the exchange between them, and the counts of both.

Shapes: N nodes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch

from costbench.errors import InputError
from costbench.spec import RunSpec
from costbench.training import algorithms, topology
from costbench.training.algorithms import Incoming, Local
from costbench.training.algorithms.algorithm import Round
from costbench.training.counters.device import measure_evaluation, measure_round
from costbench.training.evaluation import evaluate
from costbench.training.nodes import Fleet, Node
from costbench.training.recorder import Recorder
from costbench.training.sgd import Sgd
from costbench.training.task import ImageTask
from costbench.training.transport import InProcess
from costbench.training.vectors import Vector
from costbench.training.wire import Message, Wire

Out = TypeVar("Out")


def available_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Sent:
    """A node's message of one exchange, and what its bytes decode to."""

    message: Message
    vector: Vector
    side: torch.Tensor


class Simulation:
    """All nodes of a run in this process, one worker thread a core over the nodes.

    The workers do not change what is computed: any number of them gives the same bits.

    Parameters
    ----------
    spec : what to run
    workers : threads; default one for each core
    file : name under which an error refers to the spec
    """

    def __init__(self, spec: RunSpec, workers: int | None = None, file: str = "spec"):
        self.spec = spec
        self.workers = workers or available_cores()
        self.task = ImageTask(spec, file)
        model = self.task.model().to(memory_format=torch.channels_last)
        settings = spec.topology.model_dump(exclude_none=True)
        graph = topology.build(nodes=spec.nodes, seed=spec.seed, file=file, **settings)
        sgd = Sgd(spec.optimizer, self.task.rounds_per_epoch)
        self.training_rounds = spec.rounds or round((spec.epochs or 0) * self.task.rounds_per_epoch)
        layout = algorithms.Layout.of(model)
        self.algorithm = algorithms.build(spec.algorithm, sgd, layout, self.training_rounds)
        self.fleet = Fleet(
            model, spec.nodes, {**self.algorithm.buffers, **sgd.buffers}, self.algorithm.model_row
        )
        self.wire = Wire(layout.numels, self.algorithm.kept, spec.wire.codec)
        self._check_directions(graph, file)
        self.transport = InProcess(graph, self.algorithm.doubly_stochastic, spec.links.drop, spec.seed)
        self.recorder = Recorder()
        self.t = 0

    def _check_directions(self, graph: topology.Topology, file: str) -> None:
        if self.algorithm.doubly_stochastic and not graph.symmetric:
            kind = self.spec.algorithm.kind
            allowed = f"an undirected graph, as {kind} needs: ring, complete or a symmetric file"
            raise InputError(file, "topology.kind", graph.kind, allowed)

    @property
    def rounds(self) -> int:
        """All rounds, with those that the algorithm adds at the end."""
        return self.training_rounds + self.algorithm.extra_rounds

    def state(self) -> dict[str, Any]:
        """Everything that a checkpoint needs to go on bit for bit."""
        return {"t": self.t, "fleet": self.fleet.state(), "recorder": self.recorder.state()}

    def restore(self, state: dict[str, Any]) -> None:
        self.t = state["t"]
        self.fleet.restore(state["fleet"])
        self.recorder.restore(state["recorder"])

    def run(self) -> Iterator[int]:
        """Run the remaining rounds; yields the number of finished rounds after each."""
        self._batches = list(self.task.test_batches())
        with _one_thread(), ThreadPoolExecutor(self.workers, initializer=_single_threaded) as pool:
            self._pool = pool
            while self.t < self.rounds:
                self._round(self.t)
                self.t += 1
                if self.t % self.spec.evaluate.every == 0 or self.t == self.rounds:
                    self._evaluate()
                yield self.t

    def _each(self, work: Callable[[Node], Out]) -> list[Out]:
        return list(self._pool.map(work, self.fleet.nodes))

    def _round(self, t: int) -> None:
        weights, arrivals = self.transport.weights(t), self.transport.arrivals(t)
        self._count(t, weights, arrivals)
        rounds = [self.algorithm.round(node, self._local(node, t, weights)) for node in self.fleet.nodes]
        sent = list(self._pool.map(self._advance, rounds))
        content = 0
        while any(sent):
            messages = [s.message for s in sent if s is not None]
            self.recorder.messages(t, content, messages, self.transport.links(t), arrivals)
            inboxes = [_inbox(i, sent, weights, arrivals) for i in range(self.spec.nodes)]
            sent = list(self._pool.map(self._advance, rounds, inboxes))
            content += 1
        if t < self.training_rounds:
            losses = [float(node.loss) for node in self.fleet.nodes]
            self.recorder.metric(t + 1, None, "train", "train_loss", sum(losses) / len(losses))

    def _local(self, node: Node, t: int, weights: np.ndarray) -> Local:
        return Local(t, lambda: self.task.batch(node.index, t), float(weights[node.index, node.index]))

    def _advance(self, steps: Round, inbox: list[Incoming] | None = None) -> Sent | None:
        """Run a node to its next message; None when its round is over."""
        try:
            outgoing = next(steps) if inbox is None else steps.send(inbox)
        except StopIteration:
            return None
        message = self.wire.encode(outgoing.vector, outgoing.side)
        return Sent(message, *self.wire.decode(message.payload))

    def _count(self, t: int, weights: np.ndarray, arrivals: np.ndarray) -> None:
        keys = [(self.algorithm.regime(t), int(arrivals[:, i].sum())) for i in range(self.spec.nodes)]
        for node, key in zip(self.fleet.nodes, keys, strict=True):
            if not self.recorder.knows(key):
                in_weights = [float(w) for w in weights[node.index, arrivals[:, node.index]]]
                local = self._local(node, t, weights)
                device_round = measure_round(
                    node, self.algorithm, local, self.wire, self.fleet.buffers, in_weights
                )
                self.recorder.measured(key, device_round)
        self.recorder.round(keys)

    def _evaluate(self) -> None:
        self._each(self.algorithm.estimate)
        evaluate(self.fleet, self._batches, self.recorder, self.t, self._each)
        if not self.recorder.evaluates:
            self.recorder.evaluation_cost = measure_evaluation(self.fleet.nodes[0], self._batches)
        self.recorder.evaluates.append(self.t)


def _inbox(i: int, sent: list[Sent | None], weights: np.ndarray, arrivals: np.ndarray) -> list[Incoming]:
    """What arrives at node i, in the order of the senders."""
    received = [(j, sent[j]) for j in np.flatnonzero(arrivals[:, i])]
    return [Incoming(s.vector, s.side, float(weights[i, j])) for j, s in received if s is not None]


def _single_threaded() -> None:
    torch.set_num_threads(1)


@contextmanager
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
