"""Collects a run's counts round by round and turns them into the ledger's tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

import numpy as np
import pyarrow as pa

from costbench.ledger import BIT_COLUMNS, MEMORY_CATEGORIES, SCHEMAS, Ledger
from costbench.training.counters.device import DeviceRound
from costbench.training.wire import Message

RoundKey = tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]
"""Regime, codecs of the messages that are sent, and of those that arrive in each exchange, in order of their
names: what a device's round depends on."""


@dataclass(frozen=True)
class Sending:
    """A message, its sender, its number among theirs of the round, receivers int [R], arrived bool [R]."""

    message: Message
    sender: int
    content: int
    receivers: np.ndarray
    arrived: np.ndarray


class Recorder:
    """Counts of all rounds so far. `state` and `restore` carry it through a checkpoint.

    `evaluates` lists after how many rounds every node evaluated its model, at `evaluation_cost` each.
    """

    def __init__(self) -> None:
        self._messages: list[np.ndarray] = []
        self._codecs: dict[str, int] = {}
        self._keys: list[list[RoundKey]] = []
        self._measured: dict[RoundKey, DeviceRound] = {}
        self.evaluates: list[int] = []
        self.evaluation_cost = DeviceRound({}, {}, set())
        self._metrics: list[tuple[int, int | None, str, str, float]] = []

    def state(self) -> dict[str, Any]:
        return dict(vars(self))

    def restore(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    def messages(self, t: int, sent: Sequence[Sending]) -> None:
        """One row for every link that a message went over, arrived or not."""
        for sending in sent:
            n, bits = len(sending.receivers), sending.message.bits
            row = [t, sending.sender, 0, sending.content, sending.message.elements]
            row += [getattr(bits, name.removesuffix("_bits")) for name in BIT_COLUMNS]
            codec = self._codecs.setdefault(sending.message.codec, len(self._codecs))
            rows = np.tile(np.array([*row, 0, codec], np.int64), (n, 1))
            rows[:, 2], rows[:, -2] = sending.receivers, sending.arrived
            self._messages.append(rows)

    def round(self, keys: list[RoundKey]) -> None:
        """What every node's round was, one key a node."""
        self._keys.append(keys)

    def knows(self, key: RoundKey) -> bool:
        return key in self._measured

    def measured(self, key: RoundKey, device_round: DeviceRound) -> None:
        self._measured[key] = device_round

    def metric(self, t: int, node: int | None, split: str, metric: str, value: float) -> None:
        """A metric after t rounds; node None is the whole fleet."""
        self._metrics.append((t, node, split, metric, float(value)))

    @property
    def metrics(self) -> list[tuple[int, int | None, str, str, float]]:
        return self._metrics

    @property
    def uncounted_operators(self) -> list[str]:
        rounds = [*self._measured.values(), self.evaluation_cost]
        return sorted({name for measured in rounds for name in measured.uncounted})

    def ledger(self) -> Ledger:
        return Ledger(
            messages=self._message_table(),
            compute=_table("compute", list(self._compute_rows())),
            memory=_table("memory", list(self._memory_rows())),
            metrics=_table("metrics", self._metrics),
        )

    def _message_table(self) -> pa.Table:
        schema = SCHEMAS["messages"]
        rows = np.concatenate(self._messages) if self._messages else np.empty((0, len(schema)), np.int64)
        columns = [pa.array(rows[:, i]).cast(field.type) for i, field in enumerate(list(schema)[:-1])]
        names = pa.array(list(self._codecs), pa.string())
        columns.append(names.take(pa.array(rows[:, -1])))
        return pa.Table.from_arrays(columns, schema=schema)

    def _compute_rows(self) -> Iterator[tuple[Any, ...]]:
        nodes = len(self._keys[0]) if self._keys else 0
        for node in range(nodes):
            start = 0
            for key, same in groupby(keys[node] for keys in self._keys):
                stop = start + sum(1 for _ in same)
                yield from _rows(start, stop, node, self._measured[key])
                start = stop
        for t in self.evaluates:
            for node in range(nodes):
                yield from _rows(t - 1, t, node, self.evaluation_cost)

    def _memory_rows(self) -> Iterator[tuple[int, str, int]]:
        for node, keys in enumerate(zip(*self._keys, strict=True)):
            rounds = [self._measured[key] for key in sorted(set(keys))]
            for category in MEMORY_CATEGORIES:
                yield node, category, max(measured.bytes_of.get(category, 0) for measured in rounds)


def _rows(start: int, stop: int, node: int, measured: DeviceRound) -> Iterator[tuple[Any, ...]]:
    for (phase, dtype), counts in sorted(measured.counts.items()):
        yield (start, stop, node, phase, dtype, *asdict(counts).values())


def _table(name: str, rows: list[tuple[Any, ...]]) -> pa.Table:
    schema = SCHEMAS[name]
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(schema)
    arrays = [pa.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)
