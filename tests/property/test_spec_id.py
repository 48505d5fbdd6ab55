"""The run id is a hash of what is to run: of all of it, and of nothing else."""

import copy
import string

from hypothesis import given, settings
from hypothesis import strategies as st

from costbench.spec import RunSpec

FULL = {
    "name": "full",
    "seed": 3,
    "nodes": 4,
    "rounds": 10,
    "epochs": None,
    "task": {
        "dataset": "fashion-mnist-small",
        "model": {"kind": "resnet20", "shortcut": "A", "norm": "batch"},
        "batch": 4,
        "partition": {"kind": "label-skew", "skew": 0.5},
        "augment": False,
    },
    "optimizer": {
        "lr": 0.05,
        "momentum": 0.9,
        "nesterov": False,
        "weight_decay": 1e-4,
        "warmup_epochs": 1,
        "milestones": {100: 0.1, 150: 0.01},
    },
    "topology": {"kind": "random-digraph", "out_degree": 2},
    "algorithm": {"kind": "scsp", "keep": 0.01, "gamma": 0.03, "merge_rounds": 5},
    "wire": {"codec": "auto", "values": "float32"},
    "links": {"drop": 0.25},
    "evaluate": {"every": 7},
}
OTHER = {
    "name": "other",
    "seed": 4,
    "nodes": 5,
    "rounds": 11,
    "task.dataset": "cifar10",
    "task.model.kind": "lenet",
    "task.model.shortcut": "B",
    "task.model.norm": "group",
    "task.batch": 5,
    "task.partition.kind": "iid",
    "task.partition.skew": 0.75,
    "task.augment": True,
    "optimizer.lr": 0.0500001,
    "optimizer.momentum": 0.0,
    "optimizer.nesterov": True,
    "optimizer.weight_decay": 0.0,
    "optimizer.warmup_epochs": 2,
    "optimizer.milestones": {100: 0.1, 151: 0.01},
    "topology.kind": "ring",
    "topology.out_degree": 3,
    "algorithm.kind": "sparse-push",
    "algorithm.keep": 0.02,
    "algorithm.gamma": 0.04,
    "algorithm.merge_rounds": 6,
    "wire.codec": "packed",
    "links.drop": 0.0,
    "evaluate.every": 8,
}
GOES_WITH_KIND = {
    "task.model.kind": ["shortcut", "norm"],
    "task.partition.kind": ["skew"],
    "topology.kind": ["out_degree"],
    "algorithm.kind": ["merge_rounds"],
}


def changed(document, dotted):
    document = copy.deepcopy(document)
    *parents, leaf = dotted.split(".")
    here = document
    for parent in parents:
        here = here[parent]
    here[leaf] = OTHER[dotted]
    for key in GOES_WITH_KIND.get(dotted, []):
        del here[key]
    return document


def run_id(document):
    return RunSpec.model_validate(document).run_id()


def leaves(document, prefix=""):
    for key, entry in document.items():
        if isinstance(entry, dict) and key != "milestones":
            yield from leaves(entry, f"{prefix}{key}.")
        else:
            yield prefix + key


@st.composite
def reordered(draw, document):
    """The same mapping with the keys of every level in another order."""
    keys = draw(st.permutations(list(document)))
    return {
        key: draw(reordered(document[key])) if isinstance(document[key], dict) else document[key]
        for key in keys
    }


def test_it_is_12_hex_digits():
    assert len(run_id(FULL)) == 12
    assert set(run_id(FULL)) <= set(string.hexdigits.lower())


def test_it_does_not_change_between_versions():
    """Runs on disk keep their names; a new key with a default is the one reason to change this."""
    assert run_id(FULL) == "38c531f18458"


@given(reordered(FULL))
@settings(max_examples=50, deadline=None)
def test_it_does_not_depend_on_the_order_of_keys(document):
    assert run_id(document) == run_id(FULL)


def test_it_differs_for_every_changed_key():
    """`epochs` excludes `rounds`, and `wire.values` has one choice so far."""
    assert set(leaves(FULL)) - set(OTHER) == {"epochs", "wire.values"}
    ids = [run_id(FULL), *(run_id(changed(FULL, dotted)) for dotted in OTHER)]
    assert len(set(ids)) == len(ids)


def test_rounds_and_epochs_of_the_same_number_differ():
    assert run_id({**FULL, "rounds": None, "epochs": 10}) != run_id(FULL)


def test_a_default_written_out_changes_nothing():
    short = {
        key: FULL[key] for key in ("name", "nodes", "rounds", "task", "optimizer", "topology", "algorithm")
    }
    defaults = {"seed": 0, "wire": {"codec": "auto"}, "links": {"drop": 0}, "evaluate": {"every": 50}}
    assert run_id(short) == run_id({**short, **defaults})


@given(st.floats(min_value=1e-9, max_value=1e3, allow_nan=False), st.integers(0, 2**63 - 1))
@settings(max_examples=50, deadline=None)
def test_the_resolved_spec_is_a_spec_of_the_same_id(lr, seed):
    spec = RunSpec.model_validate({**FULL, "seed": seed, "optimizer": {"lr": lr, "milestones": {7: lr}}})
    assert RunSpec.model_validate(spec.resolved()).run_id() == spec.run_id()
