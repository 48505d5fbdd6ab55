import copy

import pytest
import yaml

from costbench.errors import InputError, UsageError
from costbench.spec import RunSpec, load_spec, read_edges, recipe_names

SPEC = {
    "name": "small",
    "nodes": 4,
    "rounds": 4,
    "task": {
        "dataset": "fashion-mnist-small",
        "model": {"kind": "lenet"},
        "batch": 4,
        "partition": {"kind": "label-skew", "skew": 0.5},
    },
    "optimizer": {"lr": 0.05},
    "topology": {"kind": "ring"},
    "algorithm": {"kind": "sparse-push", "keep": 0.01, "gamma": 0.03},
}
ABSENT = object()
KEEP = "a number, above 0 and at most 1 (share of the entries that a message keeps)"


@pytest.fixture
def load(tmp_path):
    """Write SPEC with changes at dotted keys to spec.yaml, and load it."""

    def loaded(changes=None, overrides=()):
        document = copy.deepcopy(SPEC)
        for dotted, entry in (changes or {}).items():
            *parents, leaf = dotted.split(".")
            here = document
            for parent in parents:
                here = here.setdefault(parent, {})
            if entry is ABSENT:
                del here[leaf]
            else:
                here[leaf] = entry
        path = tmp_path / "spec.yaml"
        path.write_text(yaml.safe_dump(document))
        return load_spec(str(path), overrides)

    return loaded


def sentence_of(load, changes):
    with pytest.raises(InputError) as error:
        load(changes)
    message = str(error.value)
    assert "\n" not in message
    for jargon in ("union", "tag", "forbidden", "dictionary", "pydantic", "instance", "Input should"):
        assert jargon not in message
    return message


@pytest.mark.parametrize(
    ("place", "keys"),
    [
        (
            "",
            "name, seed, nodes, rounds, epochs, task, optimizer, topology, algorithm, wire, links, evaluate",
        ),
        ("task.", "dataset, model, batch, partition, augment"),
        ("task.model.", "kind, norm"),
        ("task.partition.", "kind, skew"),
        ("optimizer.", "lr, momentum, nesterov, weight_decay, warmup_epochs, warmup, milestones, schedule"),
        ("topology.", "kind"),
        ("algorithm.", "kind, keep, gamma"),
        ("wire.", "codec, values"),
        ("links.", "drop, bursts"),
        ("evaluate.", "every"),
    ],
)
def test_an_unknown_key_is_refused_and_the_known_ones_are_listed(load, place, keys):
    message = sentence_of(load, {f"{place}extra": 1})
    assert message.endswith(f"spec.yaml: {place}extra: found 'extra'; allowed: one of {keys}")


@pytest.mark.parametrize(
    "key",
    [
        "name", "nodes", "task", "task.dataset", "task.model", "task.batch", "optimizer", "optimizer.lr",
        "topology", "algorithm", "algorithm.keep", "algorithm.gamma", "task.partition.skew",
    ],
)  # fmt: skip
def test_a_missing_key_is_named(load, key):
    message = sentence_of(load, {key: ABSENT})
    assert f"spec.yaml: {key}: found nothing; allowed: " in message
    assert message.endswith("; this key is required")


@pytest.mark.parametrize(
    ("key", "kinds"),
    [
        ("task.model", "deepfm, lenet, mlp, module, resnet110, resnet20, resnet32, resnet56, resnet8, vgg11"),
        ("task.partition", "dirichlet, field, iid, label-skew, shards"),
        (
            "topology",
            "complete, directed-ring, erdos-renyi, exponential, file, geometric, one-peer-exponential, "
            "random-digraph, random-matching, ring, star, time-varying-ring, torus",
        ),
        (
            "algorithm",
            "cd-adam, choco-sgd, d-adam, d-psgd, deepsqueeze, fedavg, local-sgd, module, plain-averaging, "
            "qg-dsgdm, scsp, sgp, sparse-push",
        ),
    ],
)
@pytest.mark.parametrize(
    ("kind", "found"), [("round", "'round'"), (7, "7"), (ABSENT, "nothing"), (None, "nothing")]
)
def test_an_unknown_or_missing_kind_lists_the_known_ones(load, key, kinds, kind, found):
    message = sentence_of(load, {f"{key}.kind": kind})
    assert message.endswith(f"spec.yaml: {key}.kind: found {found}; allowed: one of {kinds}")


@pytest.mark.parametrize(
    ("key", "entry", "allowed"),
    [
        ("name", "", "text that is not empty"),
        ("name", 3, "text that is not empty"),
        ("nodes", 0, "an integer, at least 1"),
        ("nodes", "four", "an integer, at least 1"),
        ("nodes", 2.5, "an integer, at least 1"),
        ("nodes", True, "an integer, at least 1"),
        ("rounds", 0, "an integer, at least 1 (training rounds; this or epochs)"),
        ("seed", -1, "an integer, at least 0 and below 9223372036854775808"),
        ("seed", 2**63, "an integer, at least 0 and below 9223372036854775808"),
        ("task.batch", 0, "an integer, at least 1 (samples a node and step)"),
        ("task.batch", False, "an integer, at least 1 (samples a node and step)"),
        (
            "task.dataset",
            "mnist",
            "one of fashion-mnist-small, fashion-mnist, cifar10, cifar100, digits, "
            "movielens-100k, census-income, adult, or module:callable",
        ),
        ("task.augment", "perhaps", "true or false"),
        ("task.partition.skew", 1.01, "a number, at least 0 and at most 1"),
        ("optimizer.lr", 0, "a number, above 0"),
        ("optimizer.lr", "fast", "a number, above 0"),
        ("optimizer.lr", float("nan"), "a finite number, above 0"),
        ("optimizer.lr", float("inf"), "a finite number, above 0"),
        ("optimizer.momentum", 1.0, "a number, at least 0 and below 1"),
        ("optimizer.milestones", [100], "a mapping"),
        ("algorithm.keep", 0, KEEP),
        (
            "algorithm.keep",
            -0.1,
            KEEP,
        ),
        (
            "algorithm.keep",
            1.5,
            KEEP,
        ),
        ("algorithm.gamma", 0, "a number, above 0 and at most 1 (consensus step)"),
        (
            "wire.codec",
            "zip",
            "one of auto, dense, coo16, coo32, coo64, packed, bitmap, golomb-rice, elias-fano, elias-gamma, "
            "entropy, seeded, sign, qsgd",
        ),
        ("wire.values", "int4", "one of float32, float16, bfloat16, int8"),
        (
            "links.drop",
            1,
            "a number, at least 0 and below 1 (probability that a message is lost (on a good link))",
        ),
        (
            "evaluate.every",
            0,
            "an integer, at least 1 (rounds between evaluations; the last is always one)",
        ),
    ],
)
def test_a_wrong_entry_says_what_may_stand_there(load, key, entry, allowed):
    message = sentence_of(load, {key: entry})
    assert message.endswith(f"spec.yaml: {key}: found {entry!r}; allowed: {allowed}")


@pytest.mark.parametrize("key", ["task", "task.model", "optimizer", "topology", "algorithm", "wire"])
@pytest.mark.parametrize("entry", ["text", 3, None, [1]])
def test_a_section_that_is_no_mapping(load, key, entry):
    assert f"spec.yaml: {key}: found " in (message := sentence_of(load, {key: entry}))
    assert "; allowed: a mapping with the key" in message


def test_rounds_or_epochs(load):
    both = sentence_of(load, {"epochs": 3})
    neither = sentence_of(load, {"rounds": ABSENT})
    assert both.endswith("spec.yaml: found rounds and epochs; allowed: exactly one of rounds and epochs")
    assert neither.endswith("found neither rounds nor epochs; allowed: exactly one of rounds and epochs")
    assert load({"rounds": ABSENT, "epochs": 3}).epochs == 3


def test_milestones_are_epochs_with_factors(load):
    assert load({"optimizer.milestones": {100: 0.1, "150": 0.01}}).optimizer.milestones == {
        100: 0.1,
        150: 0.01,
    }
    message = sentence_of(load, {"optimizer.milestones": {"x": 0.1}})
    assert message.endswith("optimizer.milestones: found 'x'; allowed: keys that are a valid integer")
    message = sentence_of(load, {"optimizer.milestones": {-1: 0.1}})
    assert message.endswith(
        "optimizer.milestones: found -1; allowed: keys that are greater than or equal to 0"
    )
    message = sentence_of(load, {"optimizer.milestones": {100: 0}})
    assert message.endswith("optimizer.milestones.100: found 0; allowed: a number, above 0")


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (None, "graph.csv: found no readable file; allowed: a CSV file with round,sender,receiver"),
        ("", "graph.csv: line 1: found nothing; allowed: round,sender,receiver"),
        ("from,to\n0,1\n", "graph.csv: line 1: found 'from,to'; allowed: round,sender,receiver"),
        (
            "round,sender,receiver\n0,0,1\n\n0,1\n",
            "line 4: found '0,1'; allowed: three integers: round,sender,receiver",
        ),
        (
            "round,sender,receiver\n0,0,b\n",
            "line 2: found '0,0,b'; allowed: three integers: round,sender,receiver",
        ),
    ],
)
def test_a_graph_file_with_a_fault(load, tmp_path, rows, expected):
    if rows is not None:
        (tmp_path / "graph.csv").write_text(rows)
    assert expected in sentence_of(load, {"topology": {"kind": "file", "path": "graph.csv"}})


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        ({}, "topology: found neither path nor edges; allowed: exactly one of path and edges"),
        (
            {"path": "a.csv", "edges": []},
            "topology: found path and edges; allowed: exactly one of path and edges",
        ),
        ({"edges": [[0, 1]]}, "topology.edges.0.2: found nothing; allowed: an integer"),
        ({"edges": [[0, 1, "x"]]}, "topology.edges.0.2: found 'x'; allowed: an integer"),
        ({"edges": 3}, "topology.edges: found 3; allowed: a list"),
    ],
)
def test_a_graph_with_a_fault(load, graph, expected):
    assert expected in sentence_of(load, {"topology": {"kind": "file", **graph}})


def test_edges_are_read_in_order(tmp_path):
    path = tmp_path / "graph.csv"
    path.write_text("round,sender,receiver\n0,0,1\n\n1,1,0\n")
    assert read_edges(path) == [(0, 0, 1), (1, 1, 0)]


def test_a_graph_file_lies_beside_its_spec_and_its_name_does_not_matter(load, tmp_path):
    rows = "round,sender,receiver\n0,0,1\n0,1,2\n0,2,3\n0,3,0\n"
    (tmp_path / "a.csv").write_text(rows)
    (tmp_path / "b.csv").write_text(rows)
    (tmp_path / "c.csv").write_text(rows + "0,0,2\n")
    a, b, c = (load({"topology": {"kind": "file", "path": f"{name}.csv"}}) for name in "abc")
    assert a.resolved()["topology"] == {
        "kind": "file",
        "path": None,
        "edges": [[0, 0, 1], [0, 1, 2], [0, 2, 3], [0, 3, 0]],
    }
    assert a.run_id() == b.run_id() != c.run_id()
    assert load({"topology": {"kind": "file", "edges": a.resolved()["topology"]["edges"]}}) == a


def test_the_resolved_spec_writes_every_default_out():
    assert RunSpec.model_validate(SPEC).resolved() == {
        "name": "small",
        "seed": 0,
        "nodes": 4,
        "rounds": 4,
        "epochs": None,
        "task": {
            "dataset": "fashion-mnist-small",
            "model": {"kind": "lenet", "norm": "none"},
            "batch": 4,
            "partition": {"kind": "label-skew", "skew": 0.5},
            "augment": False,
        },
        "optimizer": {
            "lr": 0.05,
            "momentum": 0.0,
            "nesterov": False,
            "weight_decay": 0.0,
            "warmup_epochs": 0,
            "warmup": "flat",
            "milestones": {},
            "schedule": "milestones",
        },
        "topology": {"kind": "ring"},
        "algorithm": {"kind": "sparse-push", "keep": 0.01, "gamma": 0.03},
        "wire": {"codec": "auto", "values": "float32"},
        "links": {"drop": 0.0, "bursts": None},
        "evaluate": {"every": 50},
    }


@pytest.mark.parametrize("recipe", recipe_names())
def test_a_recipe_is_its_own_resolved_spec(recipe):
    spec = load_spec(recipe)
    assert RunSpec.model_validate(spec.resolved()).run_id() == spec.run_id()


def test_an_override_is_a_yaml_value_at_a_dotted_key(load):
    spec = load(
        overrides=["optimizer.lr=1e-2", "links.drop=0.25", "algorithm={kind: sgp}", "name=other", "nodes=5"]
    )
    assert (spec.optimizer.lr, spec.links.drop, spec.algorithm.kind) == (0.01, 0.25, "sgp")
    assert (spec.name, spec.nodes) == ("other", 5)
    assert load(overrides=["nodes=5", "nodes=6"]).nodes == 6
    assert load(overrides=["rounds=", "epochs=2"]).epochs == 2


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("nodes", "--set nodes: expected KEY=VALUE, such as --set optimizer.lr=0.05"),
        ("=5", "--set =5: expected KEY=VALUE, such as --set optimizer.lr=0.05"),
        ("nodes.x=5", "--set nodes.x=5: 'nodes' holds a single value, not keys"),
        ("nodes=[1", "--set nodes=[1: '[1' is not a YAML value"),
    ],
)
def test_an_override_that_is_none(load, override, expected):
    with pytest.raises(UsageError) as error:
        load(overrides=[override])
    assert str(error.value) == expected


def test_an_override_is_validated_like_the_file(load):
    with pytest.raises(InputError, match=r"spec\.yaml: optimizer\.rate: found 'rate'"):
        load(overrides=["optimizer.rate=1"])


def test_neither_a_file_nor_a_recipe(tmp_path):
    with pytest.raises(
        UsageError, match=r"no spec 'nonsense': give a YAML file or a recipe, one of demo-scsp"
    ):
        load_spec("nonsense")
    with pytest.raises(InputError, match="found 'no such file'; allowed: an existing YAML file"):
        load_spec(str(tmp_path / "none.yaml"))
