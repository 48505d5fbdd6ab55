"""What cannot work is refused before training, with the reason; what diverges stops and is not sealed."""

import pytest
from pydantic import ValidationError

from costbench.errors import Diverged, InputError
from costbench.runstore import RunStore
from costbench.training.run import execute
from costbench.training.simulate import Simulation

TOP_K = {"kind": "top-k", "keep": 0.1}


@pytest.mark.parametrize(
    "algorithm",
    [
        {"kind": "sparse-push", "keep": 0, "gamma": 0.1},
        {"kind": "sparse-push", "keep": 0.1, "gamma": 1.5},
        {"kind": "d-adam", "period": 0},
        {"kind": "d-adam", "beta1": 1.0},
        {"kind": "choco-sgd", "compressor": {"kind": "qsgd", "levels": 0}, "gamma": 0.1},
        {"kind": "choco-sgd", "compressor": TOP_K, "gamma": 0},
        {"kind": "qg-dsgdm", "mu": 0},
        {"kind": "local-sgd", "period": 0},
    ],
)
def test_a_number_outside_its_range_is_refused(spec_of, algorithm):
    with pytest.raises(ValidationError):
        spec_of(algorithm=algorithm)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"algorithm": {"kind": "d-adam"}}, "moments of its own"),
        ({"algorithm": {"kind": "local-sgd", "period": 2}}, "directed-ring, over which local-sgd reduces"),
        ({"algorithm": {"kind": "fedavg", "period": 2}}, "star, whose hub is the server"),
        (
            {
                "algorithm": {"kind": "local-sgd", "period": 2},
                "topology": {"kind": "directed-ring"},
                "links": {"drop": 0.1},
            },
            "reliable links",
        ),
        (
            {
                "algorithm": {"kind": "choco-sgd", "compressor": {"kind": "sign"}, "gamma": 0.1},
                "topology": {"kind": "ring"},
                "wire": {"codec": "packed"},
            },
            "auto, dense, sign with the compressor sign",
        ),
        (
            {
                "algorithm": {"kind": "local-sgd", "period": 2},
                "topology": {"kind": "directed-ring"},
                "wire": {"codec": "packed"},
            },
            "auto, dense with local-sgd, whose messages are dense",
        ),
        ({"optimizer": {"lr": 0.1, "nesterov": True}}, "a momentum above 0"),
        ({"optimizer": {"lr": 0.1, "schedule": "cosine", "milestones": {1: 0.1}}}, "no milestones"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused(spec_of, changes, words):
    with pytest.raises(ValidationError, match=words):
        spec_of(**changes)


def test_more_nodes_than_samples_are_refused(spec_of):
    spec = spec_of(nodes=4801)
    with pytest.raises(InputError, match=r"nodes: found 4801; allowed: at most one node a sample, 4800"):
        Simulation(spec)


def test_a_run_whose_loss_is_no_number_stops_and_is_not_sealed(spec_of, tmp_path):
    store = RunStore(tmp_path / "runs")
    spec = spec_of(optimizer={"lr": 1e12, "momentum": 0.9}, rounds=50, evaluate={"every": 50})
    with pytest.raises(
        Diverged, match=r"training loss of node \d became (nan|inf) in round \d; .* not sealed"
    ):
        execute(spec, store)
    assert not store.holds(spec.run_id())


def test_a_users_algorithm_that_is_none_is_refused(spec_of):
    spec = spec_of(algorithm={"kind": "json:loads"})
    with pytest.raises(InputError, match=r"algorithm\.callable: found 'json:loads'"):
        Simulation(spec)
    spec = spec_of(algorithm={"kind": "no_such_module:Thing"})
    with pytest.raises(InputError, match="can be imported"):
        Simulation(spec)
