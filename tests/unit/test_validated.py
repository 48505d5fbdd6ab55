from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from costbench.errors import InputError
from costbench.validated import parse_yaml, read_yaml, validated


class Square(BaseModel):
    model_config = ConfigDict(extra="forbid")
    form: Literal["square"]
    side: float = Field(gt=0, le=2, description="metres")


class Word(BaseModel):
    form: Literal["word"]
    letters: str = Field(pattern="^[a-z]+$")


class Box(BaseModel):
    model_config = ConfigDict(extra="forbid")
    count: int = Field(ge=1)
    title: str = Field(default="box", min_length=1)
    open: bool = True
    colour: Literal["red", "blue"] = "red"
    shape: Annotated[Square | Word, Field(discriminator="form")]
    corners: list[tuple[int, float]] | None = None
    prices: dict[int, float] = {}


GOOD = {"count": 1, "shape": {"form": "square", "side": 1.5}}


def sentence(**changes):
    with pytest.raises(InputError) as error:
        validated(Box, {**GOOD, **changes}, "box.yaml")
    return str(error.value)


def test_a_good_document_becomes_a_model():
    assert validated(Box, GOOD, "box.yaml").shape.side == 1.5


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"colr": 1},
            "colr: found 'colr'; allowed: one of count, title, open, colour, shape, corners, prices",
        ),
        (
            {"shape": {"form": "square", "side": 1, "edge": 2}},
            "shape.edge: found 'edge'; allowed: one of form, side",
        ),
        (
            {"shape": {"form": "square"}},
            "shape.side: found nothing; allowed: a number, above 0 and at most 2 (metres); "
            "this key is required",
        ),
        ({"shape": {"form": "round"}}, "shape.form: found 'round'; allowed: one of square, word"),
        ({"shape": {}}, "shape.form: found nothing; allowed: one of square, word"),
        ({"shape": "square"}, "shape: found 'square'; allowed: a mapping with the key form"),
        (
            {"shape": {"form": "word", "letters": "A"}},
            "shape.letters: found 'A'; allowed: text that matches ^[a-z]+$",
        ),
        ({"count": 0}, "count: found 0; allowed: an integer, at least 1"),
        ({"count": None}, "count: found nothing; allowed: an integer, at least 1"),
        ({"count": 1.5}, "count: found 1.5; allowed: an integer, at least 1"),
        ({"count": "many"}, "count: found 'many'; allowed: an integer, at least 1"),
        (
            {"shape": {"form": "square", "side": 3}},
            "shape.side: found 3; allowed: a number, above 0 and at most 2 (metres)",
        ),
        ({"title": ""}, "title: found ''; allowed: text that is not empty"),
        ({"open": "ajar"}, "open: found 'ajar'; allowed: true or false"),
        ({"colour": "green"}, "colour: found 'green'; allowed: one of red, blue"),
        ({"corners": [[1, "x"]]}, "corners.0.1: found 'x'; allowed: a number"),
        ({"corners": [[1]]}, "corners.0.1: found nothing; allowed: a number; this key is required"),
        ({"corners": [3]}, "corners.0: found 3; allowed: a list of 2"),
        ({"prices": {"a": 1.0}}, "prices: found 'a'; allowed: keys that are a valid integer"),
        ({"prices": {-3: "b"}}, "prices.-3: found 'b'; allowed: a number"),
        ({"prices": [1]}, "prices: found [1]; allowed: a mapping"),
    ],
)
def test_the_sentence_names_file_key_found_and_allowed(changes, expected):
    assert sentence(**changes) == f"box.yaml: {expected}"


def test_a_key_that_is_no_text():
    with pytest.raises(InputError, match=r"box\.yaml: 5: found 5; allowed: keys that are text"):
        validated(Box, {**GOOD, 5: 1}, "box.yaml")


@pytest.mark.parametrize(("bad", "rest"), [(1, ""), (2, " (and 1 more error)"), (3, " (and 2 more errors)")])
def test_further_errors_are_counted(bad, rest):
    wrong = dict(list({"count": 0, "title": "", "open": 7}.items())[:bad])
    message = sentence(**wrong)
    assert message.startswith("box.yaml: count: found 0;")
    assert rest in message
    assert ("more error" in message) == (bad > 1)


def test_a_long_mapping_or_text_is_cut_short():
    assert "found a mapping with the keys k0, k1" in sentence(count={f"k{i}": i for i in range(20)})
    assert len(sentence(count="x" * 10_000)) < 150
    assert "found a list of 500;" in sentence(count=[0] * 500)


def test_numbers_in_scientific_notation_need_no_point():
    assert parse_yaml("[1e-4, 1.0e-4, -2E+3, .5e1, 1e, 4, 0x10, '1e-4']") == [
        1e-4, 1e-4, -2000.0, 5.0, "1e", 4, 16, "1e-4",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb: 2\na: 3\n", "line 3: found the key 'a' a second time; allowed: well-formed YAML"),
        ("x:\n  a: 1\n  a: 2\n", "line 3: found the key 'a' a second time; allowed: well-formed YAML"),
        ("a: [1,\nb: 2\n", "line 3: found "),
        ("a: 1\n\tb: 2\n", "line 2: found "),
        ("a: \0\n", "found a character that YAML does not allow; allowed: well-formed YAML"),
        ("", "found nothing; allowed: a mapping of keys to values"),
        ("- a\n- b\n", "found ['a', 'b']; allowed: a mapping of keys to values"),
        ("just text\n", "found 'just text'; allowed: a mapping of keys to values"),
    ],
)
def test_text_that_is_no_mapping(tmp_path, text, expected):
    path = tmp_path / "a.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_yaml(path)
    assert str(error.value).startswith(f"{path}: {expected}")
    assert "\n" not in str(error.value)


def test_the_same_key_in_two_mappings_and_merged_keys_are_fine(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("base: &base {k: 1, m: 2}\nx: {<<: *base, k: 3}\ny: {k: 4}\n")
    assert read_yaml(path) == {"base": {"k": 1, "m": 2}, "x": {"k": 3, "m": 2}, "y": {"k": 4}}


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match=r"none\.yaml: found 'no such file'; allowed: an existing YAML file"):
        read_yaml(tmp_path / "none.yaml")
    with pytest.raises(InputError, match=f"{tmp_path}: found Is a directory; allowed: a readable YAML file"):
        read_yaml(tmp_path)
    (tmp_path / "latin.yaml").write_bytes(b"name: caf\xe9\n")
    with pytest.raises(InputError, match="found bytes that are no text; allowed: a YAML file in UTF-8"):
        read_yaml(tmp_path / "latin.yaml")
