"""Run a spec: every node's rounds, the exchange between them, and the counts of both.

Shapes: N nodes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch

from costbench.errors import InputError, WireError
from costbench.spec import RunSpec
from costbench.training import algorithms, models, task, topology
from costbench.training.algorithms import Incoming, Local, Outgoing
from costbench.training.algorithms.algorithm import Round
from costbench.training.counters.compute import uncounted
from costbench.training.counters.device import Arrival, measure_evaluation, measure_round
from costbench.training.evaluation import diverged, evaluate
from costbench.training.layout import Layout
from costbench.training.nodes import Fleet, Node
from costbench.training.optimizers import Schedule
from costbench.training.randomness import Purpose, random_generator
from costbench.training.recorder import Recorder, RoundKey, Sending
from costbench.training.transport import InProcess
from costbench.training.vectors import Vector
from costbench.training.wire import Message, Wire

Out = TypeVar("Out")

WEIGHTS = {
    "column": topology.out_weights,
    "row": topology.row_weights,
    "symmetric": topology.metropolis,
}


def available_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Sent:
    """One of a node's messages of one exchange, its receivers, and what its bytes decode to."""

    message: Message
    receivers: np.ndarray
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
    strict : raise CheckFailed as soon as an operator without a formula is measured
    """

    def __init__(self, spec: RunSpec, workers: int | None = None, file: str = "spec", strict: bool = False):
        self.spec, self.strict = spec, strict
        self.workers = workers or available_cores()
        self.task = task.build(spec, file)
        model = self.task.model().to(memory_format=torch.channels_last)
        settings = spec.topology.model_dump(exclude_none=True)
        graph = topology.build(nodes=spec.nodes, seed=spec.seed, file=file, **settings)
        self.training_rounds = spec.rounds or round((spec.epochs or 0) * self.task.rounds_per_epoch)
        lr = Schedule(spec.optimizer, self.task.rounds_per_epoch, self.training_rounds)
        layout = Layout.of(model)
        self.algorithm = algorithms.build(spec, layout, lr, graph.static, file)
        self._check_directions(graph, file)
        buffers = {**self.algorithm.buffers, **self.algorithm.optimizer.buffers}
        own = [self.algorithm.own_buffers(graph.neighbours(i)) for i in range(spec.nodes)]
        self.fleet = Fleet(model, spec.nodes, buffers, self.algorithm.model_row, self.task.loss, own)
        self.wire = self._wire(layout, file)
        self.transport = InProcess(graph, WEIGHTS[self.algorithm.mixing], spec.links, spec.seed)
        self.recorder = Recorder()
        self.t = 0

    def _wire(self, layout: Layout, file: str) -> Wire:
        wire, compressor = self.spec.wire, self.algorithm.compressor
        try:
            return Wire(layout.numels, compressor, wire.codec, wire.values)
        except WireError as error:
            raise InputError(file, "wire.codec", wire.codec, f"another codec: {error}") from None

    def _check_directions(self, graph: topology.Topology, file: str) -> None:
        if self.algorithm.mixing == "symmetric" and not graph.symmetric:
            kind = self.spec.algorithm.kind
            allowed = f"an undirected graph, as {kind} needs, such as ring, torus or erdos-renyi"
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
        """Run the remaining rounds; yields the number of finished rounds after each.

        Raises
        ------
        Diverged : a node's loss is not finite
        CheckFailed : an operator has no formula, and `strict` asks for one
        """
        self._batches = list(self.task.test_batches())
        if self.strict:
            self._measure_evaluation()
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
        losses = [node.loss for node in self.fleet.nodes]
        locals_ = [self._local(node, t) for node in self.fleet.nodes]
        rounds = [self.algorithm.round(*both) for both in zip(self.fleet.nodes, locals_, strict=True)]
        links, content = self.transport.links(t), 0
        received: list[list[list[Arrival]]] = [[] for _ in rounds]
        sent_as: list[list[str]] = [[] for _ in rounds]
        outgoing = list(self._pool.map(next, rounds, [None] * len(rounds)))
        while any(one is not None for one in outgoing):
            sent = list(self._pool.map(self._encoded, outgoing, links))
            arrivals = self.transport.arrivals(t, len(received[0]))
            self.recorder.messages(t, _sendings(sent, content, arrivals))
            content += max(map(len, sent))
            inboxes = self._deliver(t, sent, arrivals, received)
            outgoing = list(self._pool.map(_next, rounds, inboxes))
            for codecs, several in zip(sent_as, sent, strict=True):
                codecs.extend(one.message.codec for one in several)
        self._count(t, locals_, sent_as, received)
        self._check_losses(t, losses)

    def _local(self, node: Node, t: int) -> Local:
        i, weights = node.index, self.transport.weights(t)
        models.seed_dropout(node.model, random_generator(self.spec.seed, Purpose.DROPOUT, i, t))
        heard = np.flatnonzero(self.transport.links(t)[:, i]).tolist()
        return Local(
            t=t,
            draw=lambda: self.task.batch(i, t),
            self_weight=float(weights[i, i]),
            weights={j: float(weights[i, j]) for j in heard},
            nodes=self.spec.nodes,
            samples=len(self.task.parts[i]),
            seed=int(random_generator(self.spec.seed, Purpose.COMPRESSION, i, t).integers(2**32)),
        )

    def _encoded(self, outgoing: Outgoing | Sequence[Outgoing] | None, links_N: np.ndarray) -> list[Sent]:
        """What a node sends, as bytes and decoded again; what nobody would get is not encoded."""
        several = [outgoing] if isinstance(outgoing, Outgoing) else outgoing or []
        everybody = np.flatnonzero(links_N)
        addressed = [(one, everybody if one.to is None else np.array(one.to)) for one in several]
        messages = [
            (self.wire.encode(one.vector, one.side), receivers)
            for one, receivers in addressed
            if len(receivers)
        ]
        return [Sent(message, to, *self.wire.decode(message.payload)) for message, to in messages]

    def _deliver(
        self, t: int, sent: list[list[Sent]], arrivals: np.ndarray, received: list[list[list[Arrival]]]
    ) -> list[list[Incoming]]:
        """What arrives at every node, in the order of the senders; its bytes are added to `received`."""
        weights = self.transport.weights(t)
        inboxes: list[list[Incoming]] = [[] for _ in received]
        for exchanges in received:
            exchanges.append([])
        for j, several in enumerate(sent):
            for one in several:
                for i in one.receivers[arrivals[j, one.receivers]].tolist():
                    weight = float(weights[i, j])
                    inboxes[i].append(Incoming(one.vector, one.side, weight, j))
                    received[i][-1].append(Arrival(one.message.payload, weight, j, one.message.codec))
        return inboxes

    def _count(
        self,
        t: int,
        locals_: list[Local],
        sent_as: list[list[str]],
        received: list[list[list[Arrival]]],
    ) -> None:
        keys: list[RoundKey] = []
        for node, local, codecs, exchanges in zip(self.fleet.nodes, locals_, sent_as, received, strict=True):
            arrived = tuple(tuple(sorted(arrival.codec for arrival in exchange)) for exchange in exchanges)
            key = (self.algorithm.regime(t), tuple(codecs), arrived)
            if not self.recorder.knows(key):
                device_round = measure_round(
                    node, self.algorithm, local, self.wire, self.fleet.buffers, exchanges, codecs
                )
                self.recorder.measured(key, device_round)
                self._refuse_uncounted()
            keys.append(key)
        self.recorder.round(keys)

    def _check_losses(self, t: int, before: list[torch.Tensor]) -> None:
        """Record the mean loss of the nodes that took a step in round t; stop where one is not finite."""
        both = zip(self.fleet.nodes, before, strict=True)
        losses = {node.index: float(node.loss) for node, was in both if node.loss is not was}
        for i, loss in losses.items():
            if not np.isfinite(loss):
                raise diverged("training loss", loss, i, t)
        if losses:
            self.recorder.metric(t + 1, None, "train", "train_loss", sum(losses.values()) / len(losses))

    def _evaluate(self) -> None:
        self._each(self.algorithm.estimate)
        evaluate(self.fleet, self._batches, self.task.metrics, self.recorder, self.t, self._each)
        if not self.recorder.evaluates:
            self._measure_evaluation()
        self.recorder.evaluates.append(self.t)

    def _measure_evaluation(self) -> None:
        self.recorder.evaluation_cost = measure_evaluation(self.fleet.nodes[0], self._batches)
        self._refuse_uncounted()

    def _refuse_uncounted(self) -> None:
        if self.strict and self.recorder.uncounted_operators:
            raise uncounted(self.recorder.uncounted_operators)


def _next(steps: Round, inbox: list[Incoming]) -> Outgoing | Sequence[Outgoing] | None:
    """Run a node to its next message; None when its round is over."""
    try:
        return steps.send(inbox)
    except StopIteration:
        return None


def _sendings(sent: list[list[Sent]], content: int, arrivals: np.ndarray) -> list[Sending]:
    return [
        Sending(one.message, j, content + k, one.receivers, arrivals[j, one.receivers])
        for j, several in enumerate(sent)
        for k, one in enumerate(several)
    ]


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
