"""The ledger: the tables of counts of one run, their schema, exact totals and conservation laws.

Every column is documented in `runs/README.md`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from costbench.errors import CheckFailed, InputError

SCHEMA_VERSION = 1
BIT_COLUMNS = ("value_bits", "index_bits", "side_bits", "padding_bits", "header_bits")
PHASES = ("forward", "backward", "optimizer", "compress", "mix", "evaluate")
DEVICE_PHASES = PHASES[:-1]
MEMORY_CATEGORIES = (
    "parameters",
    "gradients",
    "optimizer",
    "algorithm",
    "messages",
    "activations",
    "workspace",
    "peak",
)


def _table_schema(**columns: pa.DataType) -> pa.Schema:
    nullable = {"node"} if "metric" in columns else set()
    return pa.schema([pa.field(name, kind, nullable=name in nullable) for name, kind in columns.items()])


SCHEMAS = {
    "messages": _table_schema(
        round=pa.int64(),
        sender=pa.int32(),
        receiver=pa.int32(),
        content=pa.int32(),
        elements=pa.int64(),
        **dict.fromkeys(BIT_COLUMNS, pa.int64()),
        delivered=pa.bool_(),
    ),
    "compute": _table_schema(
        round_start=pa.int64(),
        round_stop=pa.int64(),
        node=pa.int32(),
        phase=pa.string(),
        dtype=pa.string(),
        flop=pa.int64(),
        bytes_read=pa.int64(),
        bytes_written=pa.int64(),
        launches=pa.int64(),
    ),
    "memory": _table_schema(node=pa.int32(), category=pa.string(), bytes=pa.int64()),
    "metrics": _table_schema(
        round=pa.int64(), node=pa.int32(), split=pa.string(), metric=pa.string(), value=pa.float64()
    ),
}


@dataclass(frozen=True)
class Ledger:
    """The four tables of counts of one run."""

    messages: pa.Table
    compute: pa.Table
    memory: pa.Table
    metrics: pa.Table

    def __post_init__(self) -> None:
        for field in fields(self):
            if getattr(self, field.name).schema != SCHEMAS[field.name]:
                raise ValueError(f"{field.name}: not the schema of version {SCHEMA_VERSION}")

    def write(self, directory: Path) -> None:
        for name in SCHEMAS:
            pq.write_table(getattr(self, name), directory / f"{name}.parquet", compression="zstd")

    @classmethod
    def read(cls, directory: Path) -> Ledger:
        return cls(**{name: _read_table(directory / f"{name}.parquet", name) for name in SCHEMAS})


def _read_table(path: Path, name: str) -> pa.Table:
    try:
        table = pq.ParquetFile(path).read()
    except FileNotFoundError:
        raise InputError(path, "", "no such file", "a sealed run has this table") from None
    except (OSError, pa.ArrowException) as error:
        raise InputError(path, "", str(error).split("\n")[0], "an intact Parquet file") from None
    if not table.schema.equals(SCHEMAS[name]):
        raise InputError(path, "columns", _columns(table.schema), _columns(SCHEMAS[name]))
    return table


def _columns(schema: pa.Schema) -> str:
    return ", ".join(f"{field.name} {field.type}" for field in schema)


def message_bits(messages: pa.Table) -> np.ndarray:
    """Total bits of each message, int64 [rows]: 8 times the length of its bytes."""
    columns = [messages[name].to_numpy() for name in BIT_COLUMNS]
    return np.stack(columns).sum(axis=0, dtype=np.int64)


def exact_sum(counts: np.ndarray) -> int:
    """Sum of int64 counts as a Python integer: no overflow, no float."""
    low, high = counts & 0xFFFFFFFF, counts >> 32
    return (int(high.sum()) << 32) + int(low.sum())


def exact_sum_by(groups: np.ndarray, counts: np.ndarray, n_groups: int) -> list[int]:
    """`exact_sum` of the counts of each group 0..n_groups-1, in one sort."""
    order = np.argsort(groups, kind="stable")
    bounds = np.searchsorted(groups[order], np.arange(n_groups + 1))
    ordered = counts[order]
    return [exact_sum(ordered[start:stop]) for start, stop in pairwise(bounds)]


def total_count(compute: pa.Table, column: str, *, node: int | None, phases: tuple[str, ...]) -> int:
    """Sum over rounds of a count of `compute`, for one node (None: all) and the given phases."""
    rounds = compute["round_stop"].to_numpy() - compute["round_start"].to_numpy()
    wanted = np.isin(compute["phase"].to_numpy(zero_copy_only=False), phases)
    if node is not None:
        wanted &= compute["node"].to_numpy() == node
    per_round = compute[column].to_numpy()[wanted].astype(object)
    return int(np.dot(per_round, rounds[wanted].astype(object))) if wanted.any() else 0


def check_conservation(ledger: Ledger, nodes: int, rounds: int) -> None:
    """The laws that hold for every ledger, listed in `runs/README.md`; CheckFailed names the first broken."""
    laws = {
        **_laws_of_messages(ledger.messages, nodes, rounds),
        **_laws_of_counts(ledger.compute, ledger.memory, nodes, rounds),
    }
    for law, holds in laws.items():
        if not holds:
            raise CheckFailed(f"the ledger breaks a conservation law: {law}")


def _laws_of_messages(messages: pa.Table, nodes: int, rounds: int) -> dict[str, bool]:
    bits = message_bits(messages)
    sender, receiver = messages["sender"].to_numpy(), messages["receiver"].to_numpy()
    delivered = messages["delivered"].to_numpy(zero_copy_only=False)
    sent = sum(exact_sum_by(sender, bits, nodes))
    received = sum(exact_sum_by(receiver[delivered], bits[delivered], nodes))
    link = _rows(messages, "round", "sender", "receiver", "content")
    return {
        "bits sent = bits received + bits dropped": sent == received + exact_sum(bits[~delivered]),
        "every message is a whole number of bytes": bool((bits % 8 == 0).all()),
        "equal contents have equal bits": _contents_agree(messages),
        "a link carries a content once": len(np.unique(link, axis=0)) == len(link),
        "no node sends to itself": bool((sender != receiver).all()),
        "senders and receivers are nodes": _inside(sender, nodes) and _inside(receiver, nodes),
        "rounds of messages exist": _inside(messages["round"].to_numpy(), rounds),
        "bits and elements are not negative": bool((_rows(messages, *BIT_COLUMNS, "elements") >= 0).all()),
    }


def _laws_of_counts(compute: pa.Table, memory: pa.Table, nodes: int, rounds: int) -> dict[str, bool]:
    start, stop = compute["round_start"].to_numpy(), compute["round_stop"].to_numpy()
    counts = _rows(compute, "flop", "bytes_read", "bytes_written", "launches")
    held = memory["bytes"].to_numpy()
    return {
        "nodes of the compute and memory tables exist": all(
            _inside(table["node"].to_numpy(), nodes) for table in (compute, memory)
        ),
        "phases and categories of memory are known": set(compute["phase"].to_pylist()) <= set(PHASES)
        and set(memory["category"].to_pylist()) <= set(MEMORY_CATEGORIES),
        "round ranges of counts exist": bool(((start >= 0) & (start < stop) & (stop <= rounds)).all()),
        "nothing is counted twice": _no_overlap(compute) and _no_repetition(memory),
        "counts and bytes are not negative": bool((counts >= 0).all() and (held >= 0).all()),
    }


def _rows(table: pa.Table, *names: str) -> np.ndarray:
    """Integer columns side by side, int64 [rows, names]."""
    return np.stack([table[name].to_numpy().astype(np.int64) for name in names], axis=1)


def _no_overlap(compute: pa.Table) -> bool:
    """Whether the round ranges of every node, phase and dtype are disjoint."""
    names = ("node", "phase", "dtype", "round_start", "round_stop")
    rows = sorted(zip(*(compute[name].to_pylist() for name in names), strict=True))
    return all(a[:3] != b[:3] or a[4] <= b[3] for a, b in pairwise(rows))


def _no_repetition(memory: pa.Table) -> bool:
    rows = list(zip(memory["node"].to_pylist(), memory["category"].to_pylist(), strict=True))
    return len(set(rows)) == len(rows)


def _inside(ids: np.ndarray, stop: int) -> bool:
    return bool(((ids >= 0) & (ids < stop)).all())


def _contents_agree(messages: pa.Table) -> bool:
    """Whether messages of one round, sender and content have the same bits of every kind, and elements."""
    if not len(messages):
        return True
    key = _rows(messages, "round", "sender", "content")
    weights = _rows(messages, *BIT_COLUMNS, "elements")
    _, first, inverse = np.unique(key, axis=0, return_index=True, return_inverse=True)
    return bool((weights == weights[first][inverse.reshape(-1)]).all())
