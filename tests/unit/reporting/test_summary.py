"""`show`: exact counts in the shape of the contract."""

import dataclasses
import json

import fabricated
import pyarrow as pa
import pytest

from costbench.ledger import SCHEMAS
from costbench.reporting.summary import final_metrics, show, spec_differences
from costbench.runstore import RunStore


@pytest.fixture(scope="module")
def sgp(runs):
    return show(runs[0])


def test_keys_are_the_contract(sgp):
    assert list(sgp) == [
        *("schema", "run_id", "spec", "nodes", "rounds", "parameters", "per_node", "totals"),
        *("compression", "metrics", "uncounted_operators"),
    ]
    node = sgp["per_node"][3]
    assert list(node) == [
        *("node", "messages_sent", "messages_received", "sent_bits", "received_bits", "flop", "memory_bytes"),
    ]
    assert list(node["sent_bits"]) == ["value", "index", "side", "padding", "header", "total"]
    assert list(node["flop"]) == ["forward", "backward", "optimizer", "compress", "mix", "total"]
    assert list(node["memory_bytes"]) == list(fabricated.MEMORY)
    assert list(sgp["totals"]) == ["sent_bits", "received_bits", "dropped_bits", "flop"]
    assert list(sgp["compression"]) == ["encoded", "aketi", "choco", "qgm", "log2", "entropy"]


def test_bits_by_hand(sgp):
    # 400 rounds of one message of 1,078,984 bytes from each of 16 nodes
    assert sgp["per_node"][0]["sent_bits"]["total"] == 400 * 1_078_984 * 8
    assert sgp["totals"]["sent_bits"] == 16 * 400 * 1_078_984 * 8
    assert sgp["per_node"][0]["sent_bits"]["value"] == 400 * 32 * 269_722


def test_flop_leave_evaluation_out_and_multiply_by_rounds(runs):
    flop = show(runs[2])["per_node"][5]["flop"]
    assert flop["forward"] == 400 * 655_360_000
    assert flop["mix"] == 450 * 539_444  # the 50 merge rounds mix, too
    assert flop["total"] < 10**12  # one evaluation of 10^12 FLOP is in the ledger


@pytest.mark.parametrize("index", [0, 1, 2])
def test_totals_are_the_sums_of_their_parts(runs, index):
    shown = show(runs[index])
    for node in shown["per_node"]:
        for group in ("sent_bits", "flop"):
            parts = dict(node[group])
            assert parts.pop("total") == sum(parts.values())
    totals = shown["totals"]
    assert totals["sent_bits"] == sum(node["sent_bits"]["total"] for node in shown["per_node"])
    assert totals["sent_bits"] == totals["received_bits"] + totals["dropped_bits"]
    assert totals["flop"] == sum(node["flop"]["total"] for node in shown["per_node"])


def test_counts_beyond_64_bits_stay_exact(runs):
    row = fabricated.compute_row(0, "forward", 0, 400, 2**61 + 1)
    ledger = dataclasses.replace(
        runs[0].ledger, compute=pa.Table.from_pylist([row], schema=SCHEMAS["compute"])
    )
    run = dataclasses.replace(runs[0])
    run.__dict__["ledger"] = ledger
    assert show(run)["totals"]["flop"] == 400 * (2**61 + 1)


def test_dropped_messages_are_sent_but_not_received(tmp_path):
    spec = fabricated.spec_of("sgp")
    ledger = fabricated.ledger_of("sgp")
    delivered = [row > 0 for row in range(ledger.messages.num_rows)]  # the first message is lost
    at = ledger.messages.schema.get_field_index("delivered")
    messages = ledger.messages.set_column(at, SCHEMAS["messages"].field("delivered"), pa.array(delivered))
    store = RunStore(tmp_path)
    with store.writing(spec.run_id()) as partial:
        run = store.seal(
            partial,
            fabricated.record_of(spec, "sgp"),
            dataclasses.replace(ledger, messages=messages.cast(SCHEMAS["messages"])),
        )
    shown = show(run)
    assert shown["totals"]["dropped_bits"] == 1_078_984 * 8
    assert shown["per_node"][1]["received_bits"] == 399 * 1_078_984 * 8
    assert shown["per_node"][1]["messages_received"] == 399  # node 0 sends to node 1 in round 0
    assert shown["per_node"][0]["messages_sent"] == 400


def test_memory_that_was_not_measured_is_none_not_zero(runs):
    ledger = dataclasses.replace(runs[0].ledger, memory=SCHEMAS["memory"].empty_table())
    run = dataclasses.replace(runs[0])
    run.__dict__["ledger"] = ledger
    assert show(run)["per_node"][0]["memory_bytes"]["peak"] is None


def test_metrics_are_those_of_the_last_evaluation(runs):
    assert final_metrics(runs[2].ledger)["test_accuracy"] == pytest.approx(
        0.1 + 0.52 * (1 - 2.718281828459045 ** (-450 / 120))
    )


def test_a_loss_that_is_no_number_is_null_in_json(runs):
    rows = [fabricated.metric(9, None, "test", "test_loss", float("nan"))]
    ledger = dataclasses.replace(
        runs[0].ledger, metrics=pa.Table.from_pylist(rows, schema=SCHEMAS["metrics"])
    )
    metrics = final_metrics(ledger)
    assert json.loads(json.dumps(metrics, allow_nan=False))["test_loss"] is None
    assert metrics["test_accuracy"] is None


def test_specs_that_differ_only_in_algorithm_are_comparable(runs):
    assert spec_differences([run.record["spec"] for run in runs]) == []
    other = fabricated.spec_of("sgp").model_copy(update={"seed": 1}).resolved()
    assert spec_differences([runs[0].record["spec"], other]) == ["seed"]
