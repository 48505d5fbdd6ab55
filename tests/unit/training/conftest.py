"""A small run that trains in a second: LeNet on a few nodes."""

import pytest

from costbench.spec import RunSpec

SMALL = {
    "name": "small",
    "nodes": 4,
    "rounds": 4,
    "task": {
        "dataset": "fashion-mnist-small",
        "model": {"kind": "lenet", "norm": "batch"},
        "batch": 4,
        "partition": {"kind": "label-skew", "skew": 0.5},
    },
    "optimizer": {"lr": 0.05, "momentum": 0.9, "weight_decay": 1e-4},
    "topology": {"kind": "one-peer-exponential"},
    "algorithm": {"kind": "sparse-push", "keep": 0.01, "gamma": 0.03},
    "evaluate": {"every": 100},
}


@pytest.fixture
def spec_of():
    """A spec like SMALL with some keys replaced."""

    def make(**changes):
        return RunSpec.model_validate({**SMALL, **changes})

    return make
