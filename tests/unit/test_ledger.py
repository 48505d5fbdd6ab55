import dataclasses

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from costbench.errors import CheckFailed, InputError
from costbench.ledger import (
    DEVICE_PHASES,
    PHASES,
    SCHEMAS,
    Ledger,
    check_conservation,
    exact_sum,
    exact_sum_by,
    message_bits,
    total_count,
)

NODES, ROUNDS = 2, 3


def table(name, rows):
    return pa.Table.from_pylist(
        [dict(zip(SCHEMAS[name].names, row, strict=True)) for row in rows], SCHEMAS[name]
    )


def two_nodes():
    """Two nodes that send each other 10 bytes in each of 3 rounds; one message is lost."""
    messages = [
        (t, i, 1 - i, 0, 1, 32, 3, 0, 5, 40, (t, i) != (1, 0)) for t in range(ROUNDS) for i in range(NODES)
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


def test_a_sound_ledger_passes():
    check_conservation(two_nodes(), NODES, ROUNDS)


def test_a_ledger_without_messages_passes():
    alone = dataclasses.replace(two_nodes(), messages=table("messages", []))
    check_conservation(alone, NODES, ROUNDS)
    assert exact_sum(message_bits(alone.messages)) == 0


@pytest.mark.parametrize(
    ("law", "break_it"),
    [
        ("bits sent = bits received + bits dropped", lambda x: changed(x, "messages", 0, receiver=2)),
        ("bits sent = bits received + bits dropped", lambda x: changed(x, "messages", 0, sender=-1)),
        ("every message is a whole number of bytes", lambda x: changed(x, "messages", 0, padding_bits=6)),
        (
            "equal contents have equal bits",
            lambda x: repeated(x, "messages", 0, receiver=0, header_bits=48),
        ),
        (
            "equal contents have equal bits",
            lambda x: repeated(x, "messages", 0, receiver=0, index_bits=5, padding_bits=3),
        ),
        ("equal contents have equal bits", lambda x: repeated(x, "messages", 0, receiver=0, elements=2)),
        ("a link carries a content once", lambda x: repeated(x, "messages", 0)),
        ("no node sends to itself", lambda x: changed(x, "messages", 0, receiver=0)),
        ("senders and receivers are nodes", lambda x: changed(x, "messages", 2, receiver=2)),
        ("rounds of messages exist", lambda x: changed(x, "messages", 0, round=ROUNDS)),
        ("rounds of messages exist", lambda x: changed(x, "messages", 0, round=-1)),
        (
            "bits and elements are not negative",
            lambda x: changed(x, "messages", 0, index_bits=-5, padding_bits=13),
        ),
        ("bits and elements are not negative", lambda x: changed(x, "messages", 0, elements=-1)),
        ("nodes of the compute and memory tables exist", lambda x: changed(x, "compute", 0, node=NODES)),
        ("nodes of the compute and memory tables exist", lambda x: changed(x, "memory", 0, node=-1)),
        ("phases and categories of memory are known", lambda x: changed(x, "compute", 0, phase="dream")),
        ("phases and categories of memory are known", lambda x: changed(x, "memory", 0, category="attic")),
        ("round ranges of counts exist", lambda x: changed(x, "compute", 0, round_stop=ROUNDS + 1)),
        ("round ranges of counts exist", lambda x: changed(x, "compute", 0, round_start=-1)),
        ("round ranges of counts exist", lambda x: changed(x, "compute", 0, round_start=2)),
        ("nothing is counted twice", lambda x: repeated(x, "compute", 0)),
        ("nothing is counted twice", lambda x: repeated(x, "compute", 0, round_start=1, round_stop=3)),
        ("nothing is counted twice", lambda x: repeated(x, "memory", 0, bytes=7)),
        ("counts and bytes are not negative", lambda x: changed(x, "compute", 0, flop=-1)),
        ("counts and bytes are not negative", lambda x: changed(x, "compute", 0, bytes_read=-1)),
        ("counts and bytes are not negative", lambda x: changed(x, "compute", 0, bytes_written=-1)),
        ("counts and bytes are not negative", lambda x: changed(x, "compute", 0, launches=-1)),
        ("counts and bytes are not negative", lambda x: changed(x, "memory", 0, bytes=-1)),
    ],
)
def test_a_broken_law_is_named(law, break_it):
    with pytest.raises(CheckFailed) as error:
        check_conservation(break_it(two_nodes()), NODES, ROUNDS)
    assert str(error.value) == f"the ledger breaks a conservation law: {law}"


def test_equal_contents_to_two_receivers_pass():
    """Three nodes: the same content may go over several links of a round."""
    check_conservation(repeated(two_nodes(), "messages", 0, receiver=2), 3, ROUNDS)


def test_exact_sums_go_beyond_64_bits():
    largest = 2**63 - 1
    counts = np.array([largest] * 5 + [1, -(2**63)], dtype=np.int64)
    assert exact_sum(counts) == 5 * largest + 1 - 2**63
    assert exact_sum(np.array([], dtype=np.int64)) == 0
    groups = np.array([2, 0, 2, 2, 0, 2, 0])
    assert exact_sum_by(groups, counts, 4) == [2 * largest - 2**63, 0, 3 * largest + 1, 0]


def test_exact_sums_go_beyond_the_53_bits_of_a_float():
    assert exact_sum(np.array([2**53, 1], dtype=np.int64)) == 2**53 + 1


def test_message_bits_add_up_all_five_kinds():
    assert message_bits(two_nodes().messages).tolist() == [80] * 6


def test_total_count_weighs_each_range_with_its_rounds():
    compute = two_nodes().compute
    # a node and device phase: 10 FLOP in rounds 0 and 1; mix: 7 more in round 2
    assert total_count(compute, "flop", node=0, phases=("forward",)) == 2 * 10
    assert total_count(compute, "flop", node=1, phases=DEVICE_PHASES) == 5 * 2 * 10 + 7
    assert total_count(compute, "flop", node=None, phases=DEVICE_PHASES) == 2 * (5 * 2 * 10 + 7)
    assert total_count(compute, "flop", node=None, phases=PHASES) == 2 * (5 * 2 * 10 + 7 + 1000)
    assert total_count(compute, "launches", node=0, phases=("mix",)) == 3
    assert total_count(compute, "flop", node=7, phases=PHASES) == 0
    assert total_count(table("compute", []), "flop", node=None, phases=PHASES) == 0


def test_total_count_is_exact_beyond_64_bits():
    rows = [(0, 10**6, node, "forward", "float32", 2**62 + node, 0, 0, 0) for node in range(3)]
    counted = total_count(table("compute", rows), "flop", node=None, phases=("forward",))
    assert counted == 10**6 * (3 * 2**62 + 3)
    assert isinstance(counted, int)


def test_written_and_read_back(tmp_path):
    ledger = two_nodes()
    ledger.write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f"{name}.parquet" for name in SCHEMAS)
    assert Ledger.read(tmp_path) == ledger


def test_the_same_ledger_is_written_as_the_same_bytes(tmp_path):
    for place in (a := tmp_path / "a", b := tmp_path / "b"):
        place.mkdir()
        two_nodes().write(place)
    for name in SCHEMAS:
        assert (a / f"{name}.parquet").read_bytes() == (b / f"{name}.parquet").read_bytes()


def test_another_schema_cannot_become_a_ledger():
    ledger = two_nodes()
    with pytest.raises(ValueError, match="memory: not the schema of version 1"):
        dataclasses.replace(ledger, memory=ledger.memory.drop_columns(["bytes"]))


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_table_with_other_columns_is_refused(tmp_path, name):
    ledger = two_nodes()
    ledger.write(tmp_path)
    path = tmp_path / f"{name}.parquet"
    pq.write_table(
        getattr(ledger, name).append_column("extra", pa.array([0] * len(getattr(ledger, name)))), path
    )
    with pytest.raises(InputError, match=rf"{name}\.parquet: columns: found '.*extra int64'; allowed: "):
        Ledger.read(tmp_path)


def test_a_column_of_another_type_is_refused(tmp_path):
    ledger = two_nodes()
    ledger.write(tmp_path)
    fractional = ledger.memory.set_column(2, "bytes", ledger.memory["bytes"].cast(pa.float64()))
    pq.write_table(fractional, tmp_path / "memory.parquet")
    with pytest.raises(InputError, match=r"found '.*bytes double'; allowed: .*bytes int64"):
        Ledger.read(tmp_path)


def test_a_missing_or_damaged_table_is_refused(tmp_path):
    two_nodes().write(tmp_path)
    path = tmp_path / "compute.parquet"
    intact = path.read_bytes()
    for damaged in (b"", intact[:-1], intact[: len(intact) // 2], b"PAR1" + intact):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"compute\.parquet: found .*; allowed: an intact Parquet file"):
            Ledger.read(tmp_path)
    path.unlink()
    with pytest.raises(InputError, match=r"compute\.parquet: found 'no such file'"):
        Ledger.read(tmp_path)
