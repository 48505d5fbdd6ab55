"""The conservation laws that hold for every run, listed in `runs/README.md`."""

from __future__ import annotations

import hashlib
import json
import re
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
import pyarrow as pa

from costbench.errors import CheckFailed
from costbench.ledger import (
    BIT_COLUMNS,
    MEMORY_CATEGORIES,
    PHASES,
    Ledger,
    exact_sum,
    exact_sum_by,
    message_bits,
    totals,
)

Laws = dict[str, bool]
"""Whether each law holds, by its words."""


def check_conservation(ledger: Ledger, nodes: int, rounds: int) -> None:
    """The laws of the tables; CheckFailed names the first that is broken."""
    _check(laws_of_ledger(ledger, nodes, rounds), "the ledger breaks a conservation law")


def check_record(record: dict[str, Any], ledger: Ledger, folder: str) -> None:
    """The laws of run.json; CheckFailed names the first that is broken.

    Parameters
    ----------
    record : the content of run.json
    ledger : the tables beside it
    folder : name of the directory that holds them
    """
    _check(laws_of_record(record, ledger, folder), "run.json breaks a law")


def _check(laws: Laws, breach: str) -> None:
    for law, holds in laws.items():
        if not holds:
            raise CheckFailed(f"{breach}: {law}")


def laws_of_ledger(ledger: Ledger, nodes: int, rounds: int) -> Laws:
    return {
        **_laws_of_messages(ledger.messages, nodes, rounds),
        **_laws_of_counts(ledger.compute, nodes, rounds),
        **_laws_of_memory(ledger.memory, nodes),
        **_laws_of_metrics(ledger.metrics, nodes, rounds),
    }


def laws_of_record(record: dict[str, Any], ledger: Ledger, folder: str) -> Laws:
    spec, layout = record["spec"], record["layout"]
    named_like_a_run = re.fullmatch("[0-9a-f]{12}", folder)
    return {
        "the run id is the hash of the spec": record["run_id"] == _hash_of(spec),
        "a directory named like a run holds that run": not named_like_a_run or folder == record["run_id"],
        "the parameters are the entries of all tensors": record["parameters"]
        == sum(tensor["numel"] for tensor in layout)
        == sum(prod(tensor["shape"]) for tensor in layout),
        "no message has more entries than the model": bool(
            (ledger.messages["elements"].to_numpy() <= record["parameters"]).all()
        ),
        "all rounds of the spec were run": record["rounds"] >= (spec.get("rounds") or 1),
        "the totals are those of the tables": record["totals"] == totals(ledger),
    }


def _hash_of(spec: dict[str, Any]) -> str:
    """The run id of a resolved spec, from its canonical JSON."""
    canonical = json.dumps(spec, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:12]


def _laws_of_messages(messages: pa.Table, nodes: int, rounds: int) -> Laws:
    bits = message_bits(messages)
    sender, receiver = messages["sender"].to_numpy(), messages["receiver"].to_numpy()
    delivered = messages["delivered"].to_numpy(zero_copy_only=False)
    sent = sum(exact_sum_by(sender, bits, nodes))
    received = sum(exact_sum_by(receiver[delivered], bits[delivered], nodes))
    link = _rows(messages, "round", "sender", "receiver", "content")
    empty = messages["elements"].to_numpy() == 0
    return {
        "bits sent = bits received + bits dropped": sent == received + exact_sum(bits[~delivered]),
        "every message is a whole number of bytes": bool((bits % 8 == 0).all()),
        "equal contents have equal bits and codec": _contents_agree(messages),
        "a link carries a content once": len(np.unique(link, axis=0)) == len(link),
        "no node sends to itself": bool((sender != receiver).all()),
        "senders and receivers are nodes": _inside(sender, nodes) and _inside(receiver, nodes),
        "rounds of messages exist": _inside(messages["round"].to_numpy(), rounds),
        "bits and elements are not negative": bool((_rows(messages, *BIT_COLUMNS, "elements") >= 0).all()),
        "what has no elements has no values": not messages["value_bits"].to_numpy()[empty].any(),
    }


def _laws_of_counts(compute: pa.Table, nodes: int, rounds: int) -> Laws:
    start, stop = compute["round_start"].to_numpy(), compute["round_stop"].to_numpy()
    counts = _rows(compute, "flop", "bytes_read", "bytes_written", "launches")
    launched = compute["launches"].to_numpy() > 0
    return {
        "nodes of counts exist": _inside(compute["node"].to_numpy(), nodes),
        "phases are known": set(compute["phase"].to_pylist()) <= set(PHASES),
        "round ranges of counts exist": bool(((start >= 0) & (start < stop) & (stop <= rounds)).all()),
        "no count of a round stands twice": _no_overlap(compute),
        "counts are not negative": bool((counts >= 0).all()),
        "what was computed was launched": not counts[~launched].any(),
    }


def _laws_of_memory(memory: pa.Table, nodes: int) -> Laws:
    return {
        "nodes and categories of memory exist": _inside(memory["node"].to_numpy(), nodes)
        and set(memory["category"].to_pylist()) <= set(MEMORY_CATEGORIES),
        "no memory of a node stands twice": _no_repetition(memory, "node", "category"),
        "bytes are not negative": bool((memory["bytes"].to_numpy() >= 0).all()),
        "a peak is at least every category and at most their sum": _peaks_fit(memory),
    }


def _laws_of_metrics(metrics: pa.Table, nodes: int, rounds: int) -> Laws:
    of_nodes = metrics["node"].drop_null().to_numpy()
    return {
        "nodes and rounds of metrics exist": _inside(of_nodes, nodes)
        and _inside(metrics["round"].to_numpy(), rounds + 1),
        "no metric stands twice": _no_repetition(metrics, "round", "node", "split", "metric"),
        "metrics are finite": bool(np.isfinite(metrics["value"].to_numpy()).all()),
    }


def _rows(table: pa.Table, *names: str) -> np.ndarray:
    """Integer columns side by side, int64 [rows, names]."""
    return np.stack([table[name].to_numpy().astype(np.int64) for name in names], axis=1)


def _no_overlap(compute: pa.Table) -> bool:
    """Whether the round ranges of every node, phase and dtype are disjoint."""
    names = ("node", "phase", "dtype", "round_start", "round_stop")
    rows = sorted(zip(*(compute[name].to_pylist() for name in names), strict=True))
    return all(a[:3] != b[:3] or a[4] <= b[3] for a, b in pairwise(rows))


def _no_repetition(table: pa.Table, *names: str) -> bool:
    rows = list(zip(*(table[name].to_pylist() for name in names), strict=True))
    return len(set(rows)) == len(rows)


def _inside(ids: np.ndarray, stop: int) -> bool:
    return bool(((ids >= 0) & (ids < stop)).all())


def _peaks_fit(memory: pa.Table) -> bool:
    """Whether largest category <= peak <= sum of the categories, on every node with a peak."""
    held: dict[int, dict[str, int]] = {}
    for row in memory.to_pylist():
        held.setdefault(row["node"], {})[row["category"]] = row["bytes"]
    return all(
        max(parts.values(), default=0) <= peak <= sum(parts.values())
        for parts in held.values()
        if (peak := parts.pop("peak", None)) is not None
    )


def _contents_agree(messages: pa.Table) -> bool:
    """Whether messages of one round, sender and content agree in bits of every kind, elements and codec."""
    if not len(messages):
        return True
    key = _rows(messages, "round", "sender", "content")
    weights = _rows(messages, *BIT_COLUMNS, "elements")
    words = [messages[name].to_numpy(zero_copy_only=False) for name in _worded(messages)]
    _, first, inverse = np.unique(key, axis=0, return_index=True, return_inverse=True)
    same = first[inverse.reshape(-1)]
    return bool((weights == weights[same]).all()) and all((word == word[same]).all() for word in words)


def _worded(messages: pa.Table) -> list[str]:
    """The columns that name something, such as the codec."""
    return [field.name for field in messages.schema if pa.types.is_string(field.type)]
