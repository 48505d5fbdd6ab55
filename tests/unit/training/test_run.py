import json
from itertools import islice
from threading import Event

import numpy as np
import pytest

from costbench.errors import InputError, Interrupted
from costbench.ledger import BIT_COLUMNS, exact_sum, message_bits
from costbench.runstore import CHECKPOINT, PARTIAL, RunStore, verify
from costbench.training import run as run_module
from costbench.training.run import execute
from costbench.training.simulate import Simulation
from costbench.training.task import ImageTask

SCSP = {"kind": "scsp", "keep": 0.01, "gamma": 0.03, "merge_rounds": 3}


@pytest.fixture(autouse=True)
def fifty_test_images(monkeypatch):
    whole = ImageTask.test_batches
    monkeypatch.setattr(ImageTask, "test_batches", lambda task: islice(whole(task), 1))


@pytest.fixture
def store_of(tmp_path):
    return lambda name: RunStore(tmp_path / name)


def fingerprint(run):
    return run.ledger_sha256, run.record["final_parameters_sha256"]


def interrupted_after(spec, store, rounds, **settings):
    """Run until `rounds` are done, and stop there."""
    stop = Event()

    def watch(done, of):
        if done == rounds:
            stop.set()

    with pytest.raises(Interrupted) as error:
        execute(spec, store, progress=watch, stop=stop.is_set, **settings)
    return str(error.value)


@pytest.mark.parametrize("changes", [{}, {"algorithm": SCSP}], ids=["sparse-push", "scsp"])
def test_the_same_spec_gives_the_same_bits_with_any_number_of_workers(spec_of, store_of, changes):
    spec = spec_of(**changes)
    runs = [execute(spec, store_of(f"{i}"), workers=workers) for i, workers in enumerate((1, 2, 1))]
    assert len({fingerprint(run) for run in runs}) == 1
    assert [run.record["provenance"]["threads"]["workers"] for run in runs] == [1, 2, 1]
    other = execute(spec_of(**changes, seed=1), store_of("seed"), workers=2)
    assert other.record["final_parameters_sha256"] != runs[0].record["final_parameters_sha256"]


@pytest.mark.parametrize(
    ("rounds", "resumed_with"), [((1,), 1), ((2, 3), 2), ((5,), 2)], ids=["early", "twice", "in-the-merge"]
)
def test_an_interrupted_and_resumed_run_is_the_uninterrupted_one(spec_of, store_of, rounds, resumed_with):
    spec = spec_of(algorithm=SCSP, evaluate={"every": 2})
    whole = execute(spec, store_of("whole"))
    store = store_of("parts")
    for after in rounds:
        message = interrupted_after(spec, store, after)
        assert message == f"stopped after {after} of 7 rounds; the same command goes on from there"
        assert store.sealed() == []
        assert (store.root / f"{PARTIAL}{spec.run_id()}" / CHECKPOINT / "state.pt").is_file()
    seen = []
    resumed = execute(spec, store, progress=lambda done, of: seen.append(done), workers=resumed_with)
    assert seen == list(range(rounds[-1] + 1, 8))
    assert fingerprint(resumed) == fingerprint(whole)
    assert [path.name for path in store.root.iterdir()] == [spec.run_id()]
    assert resumed.record["gauges"]["wall_s"] > 0


def test_a_run_that_dies_goes_on_from_its_last_checkpoint(spec_of, store_of, monkeypatch):
    monkeypatch.setattr(run_module, "CHECKPOINT_EVERY_S", 0.0)
    spec, store = spec_of(), store_of("dead")

    def die(done, of):
        if done == 3:
            raise MemoryError

    with pytest.raises(MemoryError):
        execute(spec, store, progress=die)
    assert store.sealed() == []
    seen = []
    resumed = execute(spec, store, progress=lambda done, of: seen.append(done))
    assert seen == [3, 4]
    assert fingerprint(resumed) == fingerprint(execute(spec, store_of("whole")))


def test_stopping_in_the_last_round_finishes_the_run(spec_of, store_of):
    assert execute(spec_of(rounds=1), store_of("last"), stop=lambda: True).rounds == 1


def test_a_sealed_run_is_returned_without_training(spec_of, store_of, monkeypatch):
    spec, store = spec_of(rounds=1), store_of("once")
    first = execute(spec, store)
    before = {path: path.stat().st_mtime_ns for path in first.path.iterdir()}
    monkeypatch.setattr(run_module, "Simulation", None)
    assert execute(spec, store) == first
    assert {path: path.stat().st_mtime_ns for path in first.path.iterdir()} == before


def test_the_record_says_what_ran(spec_of, store_of):
    spec = spec_of(algorithm=SCSP)
    run = execute(spec, store_of("record"))
    verify(run)
    assert run.run_id == run.path.name == spec.run_id()
    assert run.record["spec"] == spec.resolved()
    assert run.rounds == 7
    assert sum(tensor["numel"] for tensor in run.record["layout"]) == run.record["parameters"]
    assert run.record["uncounted_operators"] == []
    assert json.loads(json.dumps(run.record, allow_nan=False)) == run.record
    metrics = run.ledger.metrics.to_pandas()
    trained = metrics[(metrics["metric"] == "train_loss") & metrics["node"].isna()]
    assert trained["round"].tolist() == [1, 2, 3, 4], "the merge trains nothing and has no loss of its own"
    assert set(metrics["round"]) == {1, 2, 3, 4, 7}


def test_nodes_draw_different_batches_and_the_same_at_every_try(spec_of):
    first, again = Simulation(spec_of()).task, Simulation(spec_of()).task
    drawn = {(node, t): first.batch(node, t).inputs.numpy() for node in range(4) for t in range(3)}
    assert len({images.tobytes() for images in drawn.values()}) == len(drawn)
    for (node, t), images in reversed(drawn.items()):
        np.testing.assert_array_equal(again.batch(node, t).inputs.numpy(), images)


def test_every_sample_is_held_by_one_node(spec_of):
    parts = Simulation(spec_of()).task.parts
    held = np.concatenate(parts)
    assert len(np.unique(held)) == len(held) == 4800


def test_lost_messages_stand_in_the_ledger_and_change_training(spec_of, store_of):
    equally_long = {"codec": "packed"}
    lossy = execute(spec_of(rounds=8, links={"drop": 0.4}, wire=equally_long), store_of("lossy"))
    sound = execute(spec_of(rounds=8, wire=equally_long), store_of("sound"))
    verify(lossy)
    messages = lossy.ledger.messages
    bits, delivered = message_bits(messages), messages["delivered"].to_numpy(zero_copy_only=False)
    assert len(messages) == len(sound.ledger.messages) == 4 * 8
    assert 0 < (~delivered).sum() < len(messages)
    assert exact_sum(bits) == exact_sum(bits[delivered]) + exact_sum(bits[~delivered])
    assert exact_sum(bits) == exact_sum(message_bits(sound.ledger.messages))
    assert lossy.record["final_parameters_sha256"] != sound.record["final_parameters_sha256"]


@pytest.mark.parametrize(
    "graph",
    [{"kind": "one-peer-exponential"}, {"kind": "ring"}, {"kind": "complete"}],
    ids=lambda g: g["kind"],
)
def test_a_single_node_trains_and_sends_nothing(spec_of, store_of, graph):
    run = execute(spec_of(nodes=1, rounds=2, topology=graph), store_of("alone"))
    verify(run)
    assert len(run.ledger.messages) == 0
    assert all(exact_sum(run.ledger.messages[name].to_numpy()) == 0 for name in BIT_COLUMNS)
    assert len(run.ledger.compute) > 0


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {
                "nodes": 3,
                "topology": {"kind": "file", "edges": [[0, 0, 1], [0, 1, 0], [0, 0, 2]]},
            },
            "mine.yaml: topology.edges: found 'node 2 never sends'; allowed: an out-neighbour for every node",
        ),
        (
            {
                "nodes": 4,
                "topology": {"kind": "file", "edges": [[0, 0, 1], [0, 1, 0], [0, 2, 3], [0, 3, 2]]},
            },
            "mine.yaml: topology.edges: found 'node 2 unreachable from node 0'; allowed: a path from every",
        ),
        (
            {"nodes": 2, "topology": {"kind": "file", "edges": [[0, 0, 1], [0, 1, 2]]}},
            "mine.yaml: topology.edges 0,1,2: found 2; allowed: nodes 0 to 1",
        ),
        (
            {"algorithm": {"kind": "d-psgd"}, "topology": {"kind": "directed-ring"}},
            "mine.yaml: topology.kind: found 'directed-ring'; allowed: an undirected graph, as d-psgd needs",
        ),
    ],
    ids=["silent-node", "two-islands", "no-such-node", "directed-d-psgd"],
)
def test_a_graph_that_cannot_train_is_refused_and_leaves_nothing(spec_of, store_of, changes, expected):
    store = store_of("refused")
    with pytest.raises(InputError) as error:
        execute(spec_of(**changes), store, file="mine.yaml")
    assert expected in str(error.value)
    assert not store.root.exists()
