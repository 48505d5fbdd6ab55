"""Operators without a formula: named in a run's record, and an error in a strict run."""

import subprocess
import sys

import pytest
import torch

from costbench.errors import CheckFailed
from costbench.runstore import RunStore
from costbench.spec import RunSpec
from costbench.training.counters.compute import ComputeCounter
from costbench.training.run import execute

MINE = """
import torch
from torch import nn

@torch.library.custom_op("mine::cube", mutates_args=())
def cube(x: torch.Tensor) -> torch.Tensor:
    return x * x * x

cube.register_autograd(lambda ctx, g: g, setup_context=lambda ctx, inputs, output: None)

class Model(nn.Module):
    def __init__(self, input_shape, outputs, when="always"):
        super().__init__()
        self.linear, self.when = nn.Linear(64, outputs), when
    def forward(self, x):
        out = self.linear(x.flatten(1))
        asked = {"always": True, "training": self.training, "evaluation": not self.training}
        return cube(out) if asked[self.when] else out
"""
SPEC = """
name: mine
nodes: 2
rounds: 3
task: {dataset: digits, model: {kind: module, callable: "mine:Model", options: {when: WHEN}}, batch: 4}
optimizer: {lr: 0.01}
topology: {kind: ring}
algorithm: {kind: d-psgd}
evaluate: {every: 3}
"""


@pytest.fixture
def spec_when(tmp_path, monkeypatch):
    """A spec of a model with an operator of its own, always or only in training or evaluation."""
    import yaml

    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield lambda when: RunSpec.model_validate(yaml.safe_load(SPEC.replace("WHEN", when)))
    sys.modules.pop("mine", None)


def test_a_strict_counter_raises_at_the_operator_and_names_it():
    reached = []
    with (
        pytest.raises(CheckFailed, match=r"no formula for the FLOP of aten\._linalg_svd"),
        ComputeCounter(strict=True),
    ):
        torch.linalg.svd(torch.ones(4, 4))
        reached.append("the next line")
    assert not reached


def test_a_run_lists_an_operator_without_a_formula(spec_when, tmp_path):
    run = execute(spec_when("always"), RunStore(tmp_path / "runs"))
    assert run.record["uncounted_operators"] == ["mine.cube.default"]


@pytest.mark.parametrize("when", ["always", "training", "evaluation"])
def test_a_strict_run_fails_before_its_second_round_and_seals_nothing(spec_when, tmp_path, when):
    store, done = RunStore(tmp_path / "runs"), []
    with pytest.raises(
        CheckFailed, match=r"no formula for the FLOP of mine\.cube\.default; .*without --strict"
    ):
        execute(spec_when(when), store, strict=True, progress=lambda t, of: done.append(t))
    assert not done and not store.sealed()


def test_a_strict_run_of_known_operators_is_the_same_run(spec_of, tmp_path):
    spec = spec_of(rounds=2, algorithm={"kind": "d-psgd"}, topology={"kind": "ring"})
    strict = execute(spec, RunStore(tmp_path / "strict"), strict=True)
    other = execute(spec, RunStore(tmp_path / "other"))
    assert strict.ledger_sha256 == other.ledger_sha256


def test_a_sealed_run_with_such_an_operator_does_not_pass_a_strict_one(spec_when, tmp_path):
    store = RunStore(tmp_path / "runs")
    execute(spec_when("always"), store)
    with pytest.raises(CheckFailed, match=r"mine\.cube\.default"):
        execute(spec_when("always"), store, strict=True)


def test_an_interrupted_run_that_goes_on_strictly_keeps_its_checkpoint(spec_when, tmp_path):
    store, spec = RunStore(tmp_path / "runs"), spec_when("training")
    with pytest.raises(Exception, match="stopped after 1 of 3"):
        execute(spec, store, stop=lambda: True)
    checkpoints = sorted((tmp_path / "runs").glob(".*/*/state.pt")) or sorted(tmp_path.rglob("state.pt"))
    before = [path.read_bytes() for path in checkpoints]
    with pytest.raises(CheckFailed, match=r"mine\.cube\.default"):
        execute(spec, store, strict=True)
    assert before == [path.read_bytes() for path in checkpoints] != []
    assert execute(spec, store).rounds == 3


def test_the_command_fails_with_exit_code_1_and_one_sentence(spec_when, tmp_path):
    (tmp_path / "mine.yaml").write_text(SPEC.replace("WHEN", "always"))
    command = [sys.executable, "-m", "costbench", "run", "mine.yaml", "--strict", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and not done.stdout
    assert "mine.cube.default" in done.stderr and "Traceback" not in done.stderr


def test_a_backward_pass_in_python_is_counted():
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, gradient):
            (x,) = ctx.saved_tensors
            return 3 * x * x * gradient

    x = torch.ones(10, requires_grad=True)
    out, gradient = Cube.apply(x), torch.ones(10)
    with ComputeCounter(strict=True) as counter:
        out.backward(gradient)
    assert sum(counts.flop for counts in counter.by_phase.values()) == 3 * 10
