"""Models and data of the user's, by module:callable from the current directory."""

import sys

import pytest
import torch

from costbench.errors import InputError
from costbench.spec import UserModel
from costbench.training import models
from costbench.training.data import Images, Tables, load
from costbench.training.models.dropout import Dropout
from costbench.training.user_code import imported

MINE = """
import numpy as np
import torch
from torch import nn
from costbench.training.data import Images, Tables

def plain(input_shape, outputs, hidden=3, dropout=0.0):
    c, h, w = input_shape
    layers = [nn.Flatten(), nn.Linear(c * h * w, hidden), nn.Dropout(dropout), nn.Linear(hidden, outputs)]
    return nn.Sequential(*layers)

class Lookup(nn.Module):
    def __init__(self, input_shape, outputs, vocabulary):
        super().__init__()
        assert input_shape == (len(vocabulary),) and outputs == 1
        self.table = nn.Embedding(sum(vocabulary), 1)
    def forward(self, ids):
        return self.table(ids).sum(dim=(1, 2))

class Tied(nn.Module):
    def __init__(self, input_shape, outputs):
        super().__init__()
        self.a, self.b = nn.Linear(3072, 10), nn.Linear(3072, 10)
        self.b.weight = self.a.weight
    def forward(self, x):
        return self.a(x.flatten(1)) + self.b(x.flatten(1))

def double(input_shape, outputs):
    return plain(input_shape, outputs).double()

def wrong_shape(input_shape, outputs):
    return plain(input_shape, outputs + 1)

def empty(input_shape, outputs):
    return nn.Sequential(nn.Flatten(), nn.AdaptiveAvgPool1d(outputs))

def no_module(input_shape, outputs):
    return "a string"

def fails(input_shape, outputs):
    raise RuntimeError("no such luck\\nand more")

NUMBER = 3

def images():
    x = np.arange(6 * 4 * 4, dtype=np.uint8).reshape(6, 1, 4, 4)
    return Images.of("squares", x, np.arange(6) % 3, x[:2], np.array([0, 2]), licence="mine")

def tables():
    ids = np.array([[0, 1], [1, 2], [0, 0], [1, 0]])
    return Tables.of("rows", ids, np.array([0, 1, 1, 0]), ids[:2], np.array([0, 1]), ["left", "right"])

def list_of_images():
    return [images()]

def broken_images():
    x, y = np.zeros((2, 1, 4, 4)), np.zeros(2, int)
    return Images.of("float", x, y, x, y)
"""
SHAPE = (3, 32, 32)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    sys.modules.pop("mine", None)


def model(name, **options):
    return UserModel(kind="module", callable=f"mine:{name}", options=options)


def test_a_users_model_gets_shape_outputs_and_options():
    built = models.build(model("plain", hidden=5), SHAPE, 10)
    assert built[1].weight.shape == (5, 3072) and built(torch.zeros(4, *SHAPE)).shape == (4, 10)
    assert built.training


def test_a_users_model_for_tables_gets_the_vocabulary():
    built = models.build(model("Lookup"), (2,), 1, (2, 3))
    assert built(torch.zeros(4, 2, dtype=torch.int64)).shape == (4,)


def test_a_users_dropout_draws_from_a_generator_of_its_own():
    assert isinstance(models.build(model("plain", dropout=0.5), SHAPE, 10)[2], Dropout)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing", "has no attribute 'missing'"),
        ("NUMBER", "NUMBER is no callable"),
        ("fails", r"input_shape, outputs and the options \(RuntimeError: no such luck\)"),
        ("no_module", "returns an nn.Module, not 'a string'"),
        ("wrong_shape", r"returns logits \(2, 10\) for inputs \(2, 3, 32, 32\), not \(2, 11\)"),
        ("double", r"takes inputs \(2, 3, 32, 32\) \(RuntimeError: "),
        ("empty", "with parameters, all of them float32"),
        ("Lookup", r"missing 1 required positional argument: 'vocabulary'"),
    ],
)
def test_a_users_model_that_cannot_be_trained_is_refused(name, reason):
    with pytest.raises(InputError, match=rf"run: task\.model\.callable: found 'mine:{name}'; .*{reason}"):
        models.build(model(name), SHAPE, 10, file="run")


def test_a_users_model_with_tied_weights_is_taken():
    tied = models.build(model("Tied"), SHAPE, 10)
    assert tied.a.weight is tied.b.weight
    assert sum(parameter.numel() for parameter in tied.parameters()) == 3072 * 10 + 2 * 10


def test_an_option_that_the_callable_does_not_take():
    with pytest.raises(InputError, match="unexpected keyword argument 'depth'"):
        models.build(model("plain", depth=3), SHAPE, 10)


def test_a_module_that_is_not_there():
    with pytest.raises(InputError, match=r"run: key: found 'nowhere:f'; .*No module named 'nowhere'"):
        imported("nowhere:f", "key", "run")


def test_a_users_images():
    found = load("mine:images")
    assert isinstance(found, Images) and (found.name, found.classes, found.licence) == ("squares", 3, "mine")
    assert len(found.sha256) == 64


def test_a_users_tables():
    found = load("mine:tables")
    assert isinstance(found, Tables) and found.vocabulary == (2, 3)
    assert found.train_fields["right"].tolist() == [1, 2, 0, 0]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing", "has no attribute 'missing'"),
        ("list_of_images", r"returns Images\.of\(\.\.\.\) or Tables\.of\(\.\.\.\), not list"),
        ("broken_images", r"makes data \(ValueError: images must be uint8"),
        ("plain", "missing 2 required positional arguments"),
    ],
)
def test_other_things_than_data_are_refused(name, reason):
    with pytest.raises(InputError, match=rf"run: task\.dataset: found 'mine:{name}'; .*{reason}"):
        load(f"mine:{name}", "run")
