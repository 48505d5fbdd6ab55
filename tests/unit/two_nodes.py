"""A made-up ledger of two nodes and three rounds, and the same with a cell or a row changed."""

import dataclasses

import pyarrow as pa

from costbench.ledger import DEVICE_PHASES, SCHEMAS, Ledger

NODES, ROUNDS = 2, 3


def table(name, rows):
    return pa.Table.from_pylist(
        [dict(zip(SCHEMAS[name].names, row, strict=True)) for row in rows], SCHEMAS[name]
    )


def two_nodes():
    """Two nodes that send each other 10 bytes in each of 3 rounds; one message is lost."""
    messages = [
        (t, i, 1 - i, 0, 1, 32, 3, 0, 5, 40, (t, i) != (1, 0), "packed")
        for t in range(ROUNDS)
        for i in range(NODES)
    ]
    compute = [
        (0, 2, node, phase, "float32", 10, 8, 4, 1) for node in range(NODES) for phase in DEVICE_PHASES
    ]
    compute += [(2, 3, node, "mix", "float32", 7, 8, 4, 1) for node in range(NODES)]
    compute += [(2, 3, node, "evaluate", "float32", 1000, 8, 4, 1) for node in range(NODES)]
    memory = [(node, category, 100) for node in range(NODES) for category in ("parameters", "peak")]
    metrics = [(3, None, "test", "test_accuracy", 0.5), (3, 1, "test", "test_accuracy", 0.5)]
    return Ledger(
        table("messages", messages),
        table("compute", compute),
        table("memory", memory),
        table("metrics", metrics),
    )


def changed(ledger, name, row, **cells):
    rows = getattr(ledger, name).to_pylist()
    rows[row].update(cells)
    return dataclasses.replace(ledger, **{name: pa.Table.from_pylist(rows, SCHEMAS[name])})


def repeated(ledger, name, row, **cells):
    rows = getattr(ledger, name).to_pylist()
    return dataclasses.replace(
        ledger, **{name: pa.Table.from_pylist([*rows, {**rows[row], **cells}], SCHEMAS[name])}
    )
