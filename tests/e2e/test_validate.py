"""`costbench validate` as a user runs it, and its page in the docs."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from costbench.validation.entries import Measurements
from costbench.validation.validate import SHIPPED

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")


def costbench(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "costbench", *map(str, arguments)], capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def document():
    done = costbench("validate", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_document_of_json(document):
    assert (document["schema"], document["ok"]) == (1, True)
    assert len(document["entries"]) == len(yaml.safe_load(SHIPPED.read_text())["entries"])
    for entry in document["entries"]:
        assert set(entry) == {"id", "kind", "independent", "errors", "predicted", "measured"}
        for error in entry["errors"]:
            assert set(error) == {"quantity", "error_pct", "tolerance_pct", "ok"}


def test_the_table_says_what_tests_physics_and_what_code():
    done = costbench("validate")
    assert done.returncode == 0
    assert re.search(r"dji-endurance +physics", done.stdout)
    assert re.search(r"ieee80211-rates +code", done.stdout)
    assert "17 of 17 entries lie within their tolerance" in done.stdout


def test_a_measurement_out_of_tolerance_exits_1(tmp_path):
    shipped = yaml.safe_load(SHIPPED.read_text())
    entry = next(e for e in shipped["entries"] if e["id"] == "hpl-bcm2711")
    entry["tolerance_pct"] = 20
    mine = tmp_path / "mine.yaml"
    mine.write_text(yaml.safe_dump({"schema": shipped["schema"], "entries": [entry]}))
    done = costbench("validate", "--file", mine)
    assert done.returncode == 1
    assert "out of tolerance: hpl-bcm2711" in done.stderr
    document = json.loads((done := costbench("validate", "--file", mine, "--json")).stdout)
    assert (done.returncode, document["ok"]) == (1, False)


def test_a_file_that_is_none_exits_3(tmp_path):
    done = costbench("validate", "--file", tmp_path / "none.yaml")
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert "no such file" in done.stderr


def test_the_page_shows_what_the_command_finds(document):
    rows = re.findall(r"^\| `([\w-]+)` \| (\w+) \| (\S+) \| ([\d.]+) % \|", PAGE, re.M)
    found = [
        (entry["id"], "physics" if entry["independent"] else "code", error["quantity"])
        for entry in document["entries"]
        for error in entry["errors"]
    ]
    assert [row[:3] for row in rows] == found
    errors = [error["error_pct"] for entry in document["entries"] for error in entry["errors"]]
    assert [float(row[3]) for row in rows] == pytest.approx(errors, rel=0.05, abs=1e-9)


def test_the_page_explains_every_kind_and_field():
    kinds = {e["$ref"].rsplit("/", 1)[-1] for e in _entries()["anyOf" if "anyOf" in _entries() else "oneOf"]}
    definitions = Measurements.model_json_schema()["$defs"]
    for kind in kinds:
        schema = definitions[kind]
        assert f"`{schema['properties']['kind']['const']}`" in PAGE
        for field in set(schema["properties"]) - {"kind"}:
            assert f"`{field}`" in PAGE, f"{kind}.{field}"


def _entries():
    return Measurements.model_json_schema()["properties"]["entries"]["items"]
