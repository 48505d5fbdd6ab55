"""Every number of every file in hardware_profiles is sourced, explained and used."""

from __future__ import annotations

import re

import pytest
import yaml
from pydantic import TypeAdapter

from costbench.profile import FOLDER, LINKS, RADIOS, HardwareProfile, list_profiles, load_profile
from costbench.profile.compatibility import CompatibilityTable
from costbench.profile.device import Radio
from costbench.profile.environment import Environment, list_environments, load_environment
from costbench.profile.flight import list_airframes, load_airframe, load_reference_craft
from costbench.profile.wifi import WifiLink
from costbench.shipped import shipped
from costbench.sourced import Sourced, Table

HERE = shipped(FOLDER)
README = (HERE / "README.md").read_text()
#: keys in the first two columns of the tables of the dictionary
EXPLAINED = {
    word
    for cells in re.findall(r"^\|([^|]+\|[^|]*)\|", README, re.M)
    for key in re.findall(r"`([\w.]+)`", cells)
    for word in key.split(".")
}
FILES = sorted(HERE.rglob("*.yaml"))
MODELS = {
    ".": HardwareProfile,
    RADIOS: Radio,
    LINKS: WifiLink,
    "environments": Environment,
    "airframes": None,
    "compatibility": CompatibilityTable,
}
#: what the text of a file may say besides sourced numbers
WORDS = {"id", "title", "kind", "model", "link", "standard", "path", "rates", "says"}


def parsed(path):
    return yaml.safe_load(path.read_text())


def leaves(node, key=""):
    """Dotted keys of the sourced numbers and tables of a document, and of what stands beside them."""
    if isinstance(node, dict) and not {"value", "values"} & set(node):
        for name, part in node.items():
            yield from leaves(part, f"{key}.{name}" if key else name)
    else:
        yield key, node


def names_of_users(key):
    """A key without the names that a profile chooses: of radios, power modes, clusters, devices."""
    key = re.sub(r"^radios\.[\w-]+\.", "", key)
    return re.sub(r"\b(modes|clusters|devices|workloads)\.[\w-]+", r"\1.NAME", key)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_number_says_where_it_comes_from(path):
    for key, number in leaves(parsed(path)):
        if isinstance(number, dict):
            assert len(number["source"]) > 10, key
            guessed = "general knowledge" in number["source"]
            assert not guessed or number["kind"] == "assumed", f"{path.name}: {key} is a guess"
            assert "recalled" not in number["source"], key


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nothing_but_words_stands_beside_the_numbers(path):
    for key, leaf in leaves(parsed(path)):
        if not isinstance(leaf, dict):
            assert leaf is None or isinstance(leaf, str), f"{path.name}: {key}: {leaf!r}"
            named = key.startswith("radios.")
            assert leaf is None or named or key.rsplit(".", 1)[-1] in WORDS, f"{path.name}: {key}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_file_is_what_its_folder_holds(path):
    folder = str(path.parent.relative_to(HERE))
    assert folder in MODELS, f"a folder that nothing reads: {folder}"
    if folder in (RADIOS, LINKS, "compatibility"):
        document = parsed(path)
        if isinstance(document.get("link"), str):
            document["link"] = parsed(HERE / LINKS / f"{document['link']}.yaml")
        TypeAdapter(MODELS[folder]).validate_python(document)


def test_profiles_environments_and_airframes_load():
    assert [load_profile(one).id for one in list_profiles()] == list_profiles()
    assert [load_environment(one).id for one in list_environments()] == list_environments()
    assert [load_airframe(one).id for one in list_airframes()] == list_airframes()
    assert load_reference_craft().numbers()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_are_named_by_their_id(path):
    assert parsed(path).get("id", path.stem) == path.stem


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_dictionary_explains_every_key(path):
    for key, _ in leaves(parsed(path)):
        words = set(names_of_users(key).split(".")) - {"NAME", "radios"}
        if not key.startswith("radios."):
            assert words <= EXPLAINED, f"{path.name}: {key}"


def sections(model):
    """The keys of a model and of the sections in it."""
    for name, field in model.model_fields.items():
        yield name
        for kind in (field.annotation, *getattr(field.annotation, "__args__", ())):
            if (
                isinstance(kind, type)
                and hasattr(kind, "model_fields")
                and not issubclass(kind, Sourced | Table)
            ):
                yield from sections(kind)


def test_the_dictionary_explains_keys_that_no_shipped_file_uses():
    for model in (HardwareProfile, WifiLink, CompatibilityTable):
        assert set(sections(model)) <= EXPLAINED


def test_the_dictionary_explains_nothing_that_does_not_exist():
    """Every key in the first column of its tables is one of a shipped file, or is explained as text."""
    known = set()
    for path in FILES:
        for key, leaf in leaves(parsed(path)):
            known |= set(names_of_users(key).split(".")) | (set(leaf) if isinstance(leaf, dict) else set())
    known |= {"note"}
    assert {word for word in EXPLAINED if "_" in word} <= known


def test_radios_and_links_are_shipped_exactly_where_some_device_has_them():
    text = "".join(path.read_text() for path in FILES)
    assert set(re.findall(r"^link: ([\w-]+)$", text, re.M)) == {p.stem for p in (HERE / LINKS).glob("*.yaml")}
    used = {name for one in HERE.glob("*.yaml") for name in parsed(one)["radios"].values()}
    assert used == {path.stem for path in (HERE / RADIOS).glob("*.yaml")}


def test_the_readme_names_every_radio_of_a_device():
    (rows,) = re.findall(r"\| radio of a device .*?\n\|---.*?\n(.*?)\n\n", README, re.S)
    named = {name for row in rows.splitlines() for name in re.findall(r"`([\w-]+)`", row.split("|")[1])}
    assert named == {name for one in HERE.glob("*.yaml") for name in parsed(one)["radios"]}


def test_profiles_do_not_repeat_radios():
    for path in HERE.glob("*.yaml"):
        assert all(isinstance(radio, str) for radio in parsed(path)["radios"].values()), path.name


def test_no_file_names_a_place_on_one_machine():
    for path in FILES:
        assert not re.search(r"(?<![\w.])/(work|home|tmp|root)/", path.read_text()), path.name


@pytest.mark.parametrize("folder", ["airframes", "compatibility"])
def test_every_number_beside_the_profiles_is_read(folder):
    """Those of profiles and environments: test_profiles_priced.py. Flight times are what is predicted."""
    package = shipped("pricing").parent
    source = "".join(path.read_text() for path in package.rglob("*.py") if path.parent.name != "profile")
    for path in (HERE / folder).glob("*.yaml"):
        for key, number in leaves(parsed(path)):
            last = key.rsplit(".", 1)[-1]
            if last == "flight_time":
                continue
            assert not isinstance(number, dict) or re.search(rf"\b{last}\b", source), f"{path.name}: {key}"
