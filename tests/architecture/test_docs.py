"""runs/README.md documents every column, key, law and error, and nothing that does not exist."""

import json
import re
from pathlib import Path

import pytest

from costbench import errors, laws, ledger
from costbench.errors import CheckFailed, CostbenchError
from costbench.ledger import MEMORY_CATEGORIES, PHASES, SCHEMAS
from costbench.runstore import SEAL, RunStore
from costbench.spec import RunSpec
from costbench.training.run import execute

README = (Path(__file__).parents[2] / "runs" / "README.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", README, re.S | re.M))


def documented(section, heading):
    """First cells of the table whose heading begins with these cells."""
    table = SECTIONS[section].partition(f"| {heading} |")[2].partition("\n\n")[0]
    return re.findall(r"^\| `([^`]+)`", table, re.M)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    spec = RunSpec.model_validate(
        {
            "name": "tiny",
            "nodes": 2,
            "rounds": 1,
            "task": {"dataset": "fashion-mnist-small", "model": {"kind": "lenet"}, "batch": 2},
            "optimizer": {"lr": 0.1, "momentum": 0.9},
            "topology": {"kind": "ring"},
            "algorithm": {"kind": "scsp", "keep": 0.01, "gamma": 0.1, "merge_rounds": 1},
        }
    )
    return execute(spec, RunStore(tmp_path_factory.mktemp("runs")))


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_column_has_its_type(name):
    assert documented(f"{name}.parquet", "column | type | unit | meaning") == SCHEMAS[name].names
    for field in SCHEMAS[name]:
        kind = {"double": "float64"}.get(str(field.type), str(field.type))
        assert f"| `{field.name}` | {kind} |" in SECTIONS[f"{name}.parquet"]


def test_every_file_of_a_run(run):
    files = re.findall(r"^\| `([^`]+)` \|", README.partition("| file |")[2].partition("\n\n")[0], re.M)
    assert sorted(files) == sorted(path.name for path in run.path.iterdir())


def test_every_key_of_the_record(run):
    assert sorted(documented("run.json", "key | type | meaning")) == sorted(run.record)
    provenance = documented("run.json", "key of `provenance` | type | meaning")
    assert sorted(provenance) == sorted(run.record["provenance"])


def test_every_key_inside_the_keys_of_the_record(run):
    section = SECTIONS["run.json"]
    nested = [run.record["partition"], run.record["gauges"], run.record["layout"][0]]
    nested += [run.record["provenance"][key] for key in ("platform", "threads", "dataset")]
    for key in {key for mapping in nested for key in mapping}:
        assert f"`{key}`" in section


def test_every_key_of_the_seal(run):
    seal = json.loads((run.path / SEAL).read_text())
    assert sorted(documented("SEALED", "key | type | meaning")) == sorted(seal)


def test_every_phase_and_category_of_memory():
    assert all(f"`{phase}`" in SECTIONS["compute.parquet"] for phase in PHASES)
    assert tuple(documented("memory.parquet", "category | what is in it")) == MEMORY_CATEGORIES


def test_every_metric_and_split(run):
    table = run.ledger.metrics
    of_tables = {"test_auc"}
    recorded = set(table["metric"].to_pylist()) | of_tables
    assert sorted(documented("metrics.parquet", "metric | unit | meaning")) == sorted(recorded)
    assert all(f"`{split}`" in SECTIONS["metrics.parquet"] for split in set(table["split"].to_pylist()))


def test_every_law(run):
    section = SECTIONS["What `costbench verify` checks"]
    listed = re.findall(r"^- (.+)$", section, re.M)
    of_tables = laws.laws_of_ledger(run.ledger, run.nodes, run.rounds)
    of_record = laws.laws_of_record(run.record, run.ledger, run.path.name)
    assert listed == [*of_tables, *of_record]


def test_every_error_with_its_exit_code():
    classes = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    kinds = [kind for kind in classes if issubclass(kind, CostbenchError) and kind is not CostbenchError]
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \|", SECTIONS["Errors and exit codes"], re.M)
    assert sorted(rows) == sorted((kind.__name__, str(kind.exit_code)) for kind in kinds)
    assert all(f"exit {kind.exit_code}" in (kind.__doc__ or "") for kind in kinds)
    assert CheckFailed.exit_code == CostbenchError.exit_code == 1


def test_the_schema_version_is_the_documented_one():
    assert f"`schema` is {ledger.SCHEMA_VERSION}." in SECTIONS["Versions"]
