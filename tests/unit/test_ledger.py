import dataclasses

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from two_nodes import changed, table, two_nodes

from costbench.errors import InputError
from costbench.ledger import (
    DEVICE_PHASES,
    PHASES,
    SCHEMA_VERSION,
    SCHEMAS,
    Ledger,
    exact_sum,
    exact_sum_by,
    message_bits,
    total_count,
    totals,
)


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


def test_the_totals_of_a_run_by_hand():
    # 6 messages of 80 bits, one of them lost. A node: 2 rounds x 5 phases x 10 FLOP, and 7 of mixing in the
    # third; 8 bytes read, 4 written and 1 launch in each of 2 x 5 + 1 = 11 rows and rounds
    assert totals(two_nodes()) == {
        "messages": 6, "delivered_messages": 5, "elements": 6,
        "value_bits": 6 * 32, "index_bits": 6 * 3, "side_bits": 0, "padding_bits": 6 * 5,
        "header_bits": 6 * 40,
        "sent_bits": 480, "received_bits": 400, "dropped_bits": 80,
        "forward_flop": 40, "backward_flop": 40, "optimizer_flop": 40, "compress_flop": 40,
        "mix_flop": 40 + 2 * 7, "evaluate_flop": 2000,
        "flop": 214, "bytes_read": 2 * 11 * 8, "bytes_written": 2 * 11 * 4, "launches": 2 * 11,
    }  # fmt: skip


def test_the_totals_are_exact_integers_beyond_64_bits():
    largest = 2**62
    bits = dict.fromkeys(("value_bits", "index_bits", "side_bits"), 0)
    heavy = changed(two_nodes(), "messages", 0, **bits, padding_bits=0, header_bits=largest)
    heavy = changed(heavy, "messages", 1, **bits, padding_bits=0, header_bits=largest)
    heavy = changed(heavy, "messages", 3, **bits, padding_bits=0, header_bits=largest)
    # three of 2^62 and three of 80, one of the latter lost
    assert totals(heavy)["sent_bits"] == 3 * largest + 240
    assert totals(heavy)["received_bits"] == 3 * largest + 160
    assert all(type(total) is int for total in totals(heavy).values())


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
    with pytest.raises(ValueError, match=f"memory: not the schema of version {SCHEMA_VERSION}"):
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
