"""The ledger: the tables of counts of one run, their schema and exact totals.

Every column is documented in `runs/README.md`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from costbench.errors import InputError

SCHEMA_VERSION = 2
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
        codec=pa.string(),
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


def totals(ledger: Ledger) -> dict[str, int]:
    """Exact totals of a run: of messages and their bits, of every phase's FLOP, and of all device phases.

    Python integers: sums of counts, without overflow or rounding. `evaluate_flop` is no device's work and in
    no other total.
    """
    messages, bits = ledger.messages, message_bits(ledger.messages)
    delivered = messages["delivered"].to_numpy(zero_copy_only=False)
    flop = {
        f"{phase}_flop": total_count(ledger.compute, "flop", node=None, phases=(phase,)) for phase in PHASES
    }
    of_devices = {
        column: total_count(ledger.compute, column, node=None, phases=DEVICE_PHASES)
        for column in ("flop", "bytes_read", "bytes_written", "launches")
    }
    return {
        "messages": len(messages),
        "delivered_messages": int(delivered.sum()),
        **{column: exact_sum(messages[column].to_numpy()) for column in ("elements", *BIT_COLUMNS)},
        "sent_bits": exact_sum(bits),
        "received_bits": exact_sum(bits[delivered]),
        "dropped_bits": exact_sum(bits[~delivered]),
        **flop,
        **of_devices,
    }
