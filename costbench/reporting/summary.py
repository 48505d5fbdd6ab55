"""What was counted in a run, as one JSON document: `costbench show`."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np

from costbench.ledger import (
    BIT_COLUMNS,
    DEVICE_PHASES,
    MEMORY_CATEGORIES,
    Ledger,
    exact_sum,
    exact_sum_by,
    message_bits,
)
from costbench.pricing.conventions import compression_ratios
from costbench.runstore import Run

SCHEMA = 1
"""Version of the document that `show` returns."""
COMPONENTS = tuple(name.removesuffix("_bits") for name in BIT_COLUMNS)


def show(run: Run) -> dict[str, Any]:
    """The counts of a run, exact, as the document that `costbench show --json` prints.

    Parameters
    ----------
    run : a sealed run

    Returns
    -------
    dict of JSON types. All counts are integers, and each total is the exact sum of its parts. FLOP are 2
    a multiply-add. A measured peak that the ledger does not hold is None, and a metric that was never
    evaluated or is not finite is None.
    """
    ledger, nodes = run.ledger, run.nodes
    traffic, flop, memory = _traffic(ledger, nodes), _flop(ledger, nodes), _memory(ledger, nodes)
    per_node = [
        {"node": node, **traffic[node], "flop": flop[node], "memory_bytes": memory[node]}
        for node in range(nodes)
    ]
    return {
        "schema": SCHEMA,
        "run_id": run.run_id,
        "spec": run.record["spec"],
        "nodes": nodes,
        "rounds": run.rounds,
        "parameters": run.record["parameters"],
        "per_node": per_node,
        "totals": _totals(per_node, ledger),
        "compression": compression(run),
        "metrics": final_metrics(ledger),
        "uncounted_operators": list(run.record["uncounted_operators"]),
    }


def _traffic(ledger: Ledger, nodes: int) -> list[dict[str, Any]]:
    messages = ledger.messages
    sender, receiver = messages["sender"].to_numpy(), messages["receiver"].to_numpy()
    delivered = messages["delivered"].to_numpy(zero_copy_only=False)
    parts = [exact_sum_by(sender, messages[name].to_numpy(), nodes) for name in BIT_COLUMNS]
    received = exact_sum_by(receiver[delivered], message_bits(messages)[delivered], nodes)
    n_sent = np.bincount(sender, minlength=nodes).tolist()
    n_received = np.bincount(receiver[delivered], minlength=nodes).tolist()
    return [
        {
            "messages_sent": n_sent[node],
            "messages_received": n_received[node],
            "sent_bits": _with_total(dict(zip(COMPONENTS, of_node, strict=True))),
            "received_bits": received[node],
        }
        for node, of_node in enumerate(zip(*parts, strict=True))
    ]


def _with_total(parts: dict[str, int]) -> dict[str, int]:
    return {**parts, "total": sum(parts.values())}


def _flop(ledger: Ledger, nodes: int) -> list[dict[str, int]]:
    """FLOP of each node and device phase over all rounds, as Python integers."""
    names = ("node", "phase", "flop", "round_start", "round_stop")
    sums: dict[tuple[int, str], int] = defaultdict(int)
    columns = (ledger.compute[name].to_pylist() for name in names)
    for node, phase, flop, start, stop in zip(*columns, strict=True):
        sums[node, phase] += flop * (stop - start)
    return [_with_total({phase: sums[node, phase] for phase in DEVICE_PHASES}) for node in range(nodes)]


def _memory(ledger: Ledger, nodes: int) -> list[dict[str, int | None]]:
    table = ledger.memory
    rows = zip(*(table[name].to_pylist() for name in ("node", "category", "bytes")), strict=True)
    held = {(node, category): count for node, category, count in rows}
    return [{category: held.get((node, category)) for category in MEMORY_CATEGORIES} for node in range(nodes)]


def _totals(per_node: list[dict[str, Any]], ledger: Ledger) -> dict[str, int]:
    lost = ~ledger.messages["delivered"].to_numpy(zero_copy_only=False)
    return {
        "sent_bits": sum(row["sent_bits"]["total"] for row in per_node),
        "received_bits": sum(row["received_bits"] for row in per_node),
        "dropped_bits": exact_sum(message_bits(ledger.messages)[lost]),
        "flop": sum(row["flop"]["total"] for row in per_node),
    }


def codecs(run: Run) -> dict[str, int]:
    """How many messages went out in each wire codec, the most used first."""
    return {name: int(n) for name, n in run.ledger.messages["codec"].to_pandas().value_counts().items()}


def compression(run: Run) -> dict[str, float | None]:
    """The run's dense float32 messages over what was sent, by each convention [ratio]."""
    return {name: finite(ratio) for name, ratio in compression_ratios(run).items()}


def final_metrics(ledger: Ledger) -> dict[str, float | None]:
    """The last fleet-wide evaluation of each metric; None where there is none."""
    quality = "test_auc" if last_fleet(ledger, "test", "test_auc") is not None else "test_accuracy"
    return {
        quality: last_fleet(ledger, "test", quality),
        "test_loss": last_fleet(ledger, "test", "test_loss"),
        "consensus_distance": last_fleet(ledger, None, "consensus_distance"),
    }


def last_fleet(ledger: Ledger, split: str | None, metric: str) -> float | None:
    """The fleet's figure at the last round that has one, of one split (None: any)."""
    rows = ledger.metrics.to_pandas()
    rows = rows[(rows["metric"] == metric) & rows["node"].isna()]
    if split is not None:
        rows = rows[rows["split"] == split]
    return finite(rows.sort_values("round", kind="stable")["value"].iloc[-1]) if len(rows) else None


def finite(number: float | None) -> float | None:
    """A finite float, or None: JSON has no NaN and a diverged loss is not a number."""
    return float(number) if number is not None and math.isfinite(number) else None


def spec_differences(specs: list[Mapping[str, Any]]) -> list[str]:
    """Dotted keys in which the specs of compared runs differ, apart from name, algorithm and wire."""
    flat = [_flattened(spec) for spec in specs]
    keys = sorted(set().union(*flat))
    varying = [key for key in keys if len({repr(spec.get(key)) for spec in flat}) > 1]
    return [key for key in varying if key.split(".")[0] not in ("name", "algorithm", "wire")]


def _flattened(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    leaves: dict[str, Any] = {}
    for key, branch in tree.items():
        inner = _flattened(branch, f"{prefix}{key}.") if isinstance(branch, Mapping) else None
        leaves.update(inner if inner is not None else {f"{prefix}{key}": branch})
    return leaves
