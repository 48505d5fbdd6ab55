"""Every number of every shipped profile is sourced, explained and used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from costbench.profile import FOLDER, LINKS, HardwareProfile, list_profiles, load_profile
from costbench.shipped import shipped
from costbench.sourced import Sourced

README = (shipped(FOLDER) / "README.md").read_text()
FILES = sorted(shipped(FOLDER).rglob("*.yaml"))


@pytest.mark.parametrize("profile_id", list_profiles())
def test_every_number_says_where_it_comes_from(profile_id):
    numbers = load_profile(profile_id).numbers()
    assert len(numbers) > 30
    for key, number in numbers.items():
        assert number.low <= number.value <= number.high, key
        assert len(number.source) > 10, key
        if "general knowledge" in number.source:
            assert number.kind == "assumed", key


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_number_stands_without_a_source(path):
    def leaves(node, key=""):
        if isinstance(node, dict) and "value" in node:
            return
        if isinstance(node, dict):
            for name, part in node.items():
                leaves(part, f"{key}.{name}")
        else:
            assert node is None or isinstance(node, str), f"{path.name}: {key}: {node!r}"

    leaves(yaml.safe_load(path.read_text()))


def section_keys(model, prefix=""):
    """Dotted keys of a model's numbers, without those of the radios."""
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, Sourced):
            yield f"{prefix}{name}"
        elif isinstance(kind, type) and hasattr(kind, "model_fields"):
            yield from section_keys(kind, f"{prefix}{name}.")


def test_the_dictionary_explains_every_key():
    keys = set(section_keys(HardwareProfile))
    for profile_id in list_profiles():
        keys |= {re.sub(r"^radios\.\w+\.(link\.)?", "", key) for key in load_profile(profile_id).numbers()}
    words = set(re.findall(r"[a-z_]+", README))
    missing = {key for key in keys if not set(key.split(".")) <= words}
    assert not missing


def test_links_are_shipped_and_used():
    links = {path.stem for path in (shipped(FOLDER) / LINKS).glob("*.yaml")}
    used = set(re.findall(r"link: ([\w-]+)", "".join(path.read_text() for path in FILES)))
    assert links == used


def test_files_are_named_by_their_id():
    for path in shipped(FOLDER).glob("*.yaml"):
        assert yaml.safe_load(path.read_text())["id"] == path.stem


def test_no_profile_names_a_place_on_one_machine():
    for path in FILES:
        assert not re.search(r"(?<![\w.])/(work|home|tmp|root)/", path.read_text()), path.name


def test_every_number_is_read_by_pricing():
    source = "".join(path.read_text() for path in (Path(shipped("pricing"))).rglob("*.py"))
    for profile_id in list_profiles():
        for key in load_profile(profile_id).numbers():
            assert key.rsplit(".", 1)[-1] in source, key
