import dataclasses

import pytest
from two_nodes import NODES, ROUNDS, changed, repeated, table, two_nodes

from costbench.errors import CheckFailed
from costbench.laws import check_conservation, check_record, laws_of_ledger, laws_of_record
from costbench.ledger import Ledger, exact_sum, message_bits, totals
from costbench.spec import RunSpec

SPEC = RunSpec.model_validate(
    {
        "name": "two nodes",
        "nodes": NODES,
        "rounds": ROUNDS,
        "task": {"dataset": "digits", "model": {"kind": "mlp"}, "batch": 2},
        "optimizer": {"lr": 0.1, "milestones": {100: 0.1, 20: 0.5}},
        "topology": {"kind": "ring"},
        "algorithm": {"kind": "d-psgd"},
    }
)
LAYOUT = [{"name": "weight", "shape": [2, 3], "numel": 6}, {"name": "bias", "shape": [], "numel": 1}]


def record_of(ledger: Ledger, **changes):
    return {
        "run_id": SPEC.run_id(),
        "spec": SPEC.resolved(),
        "rounds": ROUNDS,
        "parameters": 7,
        "layout": LAYOUT,
        "totals": totals(ledger),
        **changes,
    }


def test_a_sound_ledger_passes():
    check_conservation(two_nodes(), NODES, ROUNDS)


def test_a_sound_record_passes_in_a_directory_of_its_run_id_or_of_any_other_name():
    for folder in (SPEC.run_id(), "kept", "0123456789abc"):
        check_record(record_of(two_nodes()), two_nodes(), folder)


def test_rounds_that_an_algorithm_adds_are_no_breach():
    check_record(record_of(two_nodes(), rounds=ROUNDS + 50), two_nodes(), "kept")
    by_epochs = {**SPEC.resolved(), "rounds": None, "epochs": 2}
    laws = laws_of_record(record_of(two_nodes(), spec=by_epochs), two_nodes(), "kept")
    assert laws["all rounds of the spec were run"]


def test_a_ledger_without_messages_passes():
    alone = dataclasses.replace(two_nodes(), messages=table("messages", []))
    check_conservation(alone, NODES, ROUNDS)
    assert exact_sum(message_bits(alone.messages)) == 0


def test_memory_without_a_measured_peak_passes():
    check_conservation(
        dataclasses.replace(two_nodes(), memory=table("memory", [(0, "messages", 5)])), NODES, ROUNDS
    )


BREACHES = [
    ("bits sent = bits received + bits dropped", lambda x: changed(x, "messages", 0, receiver=2)),
    ("bits sent = bits received + bits dropped", lambda x: changed(x, "messages", 0, sender=-1)),
    ("every message is a whole number of bytes", lambda x: changed(x, "messages", 0, padding_bits=6)),
    *(
        (
            "equal contents have equal bits and codec",
            lambda x, c=c: repeated(x, "messages", 0, receiver=0, **c),
        )
        for c in (
            {"header_bits": 48},
            {"index_bits": 5, "padding_bits": 3},
            {"elements": 2},
            {"codec": "bitmap"},
        )
    ),
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
    ("what has no elements has no values", lambda x: changed(x, "messages", 0, elements=0)),
    ("nodes of counts exist", lambda x: changed(x, "compute", 0, node=NODES)),
    ("phases are known", lambda x: changed(x, "compute", 0, phase="dream")),
    ("round ranges of counts exist", lambda x: changed(x, "compute", 0, round_stop=ROUNDS + 1)),
    ("round ranges of counts exist", lambda x: changed(x, "compute", 0, round_start=-1)),
    ("round ranges of counts exist", lambda x: changed(x, "compute", 0, round_start=2)),
    ("no count of a round stands twice", lambda x: repeated(x, "compute", 0)),
    ("no count of a round stands twice", lambda x: repeated(x, "compute", 0, round_start=1, round_stop=3)),
    *(
        ("counts are not negative", lambda x, name=name: changed(x, "compute", 0, **{name: -1}))
        for name in ("flop", "bytes_read", "bytes_written", "launches")
    ),
    ("what was computed was launched", lambda x: changed(x, "compute", 0, launches=0)),
    ("nodes and categories of memory exist", lambda x: changed(x, "memory", 0, node=-1)),
    ("nodes and categories of memory exist", lambda x: changed(x, "memory", 0, category="attic")),
    ("no memory of a node stands twice", lambda x: repeated(x, "memory", 0, bytes=7)),
    ("bytes are not negative", lambda x: changed(x, "memory", 0, bytes=-1)),
    ("a peak is at least every category and at most their sum", lambda x: changed(x, "memory", 0, bytes=101)),
    ("a peak is at least every category and at most their sum", lambda x: changed(x, "memory", 3, bytes=101)),
    ("nodes and rounds of metrics exist", lambda x: changed(x, "metrics", 1, node=NODES)),
    ("nodes and rounds of metrics exist", lambda x: changed(x, "metrics", 0, round=ROUNDS + 1)),
    ("no metric stands twice", lambda x: repeated(x, "metrics", 0, value=0.6)),
    ("metrics are finite", lambda x: changed(x, "metrics", 0, value=float("nan"))),
]


@pytest.mark.parametrize(("law", "break_it"), BREACHES)
def test_a_broken_law_is_named(law, break_it):
    with pytest.raises(CheckFailed) as error:
        check_conservation(break_it(two_nodes()), NODES, ROUNDS)
    assert str(error.value) == f"the ledger breaks a conservation law: {law}"


OF_RECORD = [
    ("the run id is the hash of the spec", {"spec": {**SPEC.resolved(), "seed": 1}}, "kept"),
    ("the run id is the hash of the spec", {"run_id": "0123456789ab"}, "0123456789ab"),
    ("a directory named like a run holds that run", {}, "0123456789ab"),
    ("the parameters are the entries of all tensors", {"parameters": 6}, "kept"),
    ("the parameters are the entries of all tensors", {"layout": LAYOUT[:1]}, "kept"),
    (
        "the parameters are the entries of all tensors",
        {"layout": [{"shape": [2, 2], "numel": 6}, LAYOUT[1]]},
        "kept",
    ),
    ("no message has more entries than the model", {"parameters": 0, "layout": []}, "kept"),
    ("all rounds of the spec were run", {"rounds": ROUNDS - 1}, "kept"),
    *(
        ("the totals are those of the tables", {"totals": {**totals(two_nodes()), name: 1}}, "kept")
        for name in totals(two_nodes())
    ),
    ("the totals are those of the tables", {"totals": {}}, "kept"),
]


@pytest.mark.parametrize(("law", "changes", "folder"), OF_RECORD)
def test_a_broken_law_of_the_record_is_named(law, changes, folder):
    with pytest.raises(CheckFailed) as error:
        check_record(record_of(two_nodes(), **changes), two_nodes(), folder)
    assert str(error.value) == f"run.json breaks a law: {law}"


def test_every_law_was_broken_once():
    broken = {law for law, *_ in (*BREACHES, *OF_RECORD)}
    ledger = two_nodes()
    laws = {**laws_of_ledger(ledger, NODES, ROUNDS), **laws_of_record(record_of(ledger), ledger, "kept")}
    assert broken == set(laws)


def test_equal_contents_to_two_receivers_pass():
    """Three nodes: the same content may go over several links of a round."""
    check_conservation(repeated(two_nodes(), "messages", 0, receiver=2), 3, ROUNDS)
