"""docs/ names everything that a spec can name, and its example runs as it stands there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from costbench.pricing.price import EXCHANGES
from costbench.pricing.terms import TERMS
from costbench.runstore import RunStore, verify
from costbench.spec import load_suite, suite_names
from costbench.spec.kinds import UNIONS, kinds, options
from costbench.spec.task import DATASETS

DOCS = Path(__file__).parents[2] / "docs"
PAGE_OF = {key: "algorithms.md" if key.startswith("algorithm") else "tasks.md" for key in UNIONS}


@pytest.mark.parametrize("key", UNIONS)
def test_every_kind_and_option_has_its_row(key):
    rows = [
        line for line in (DOCS / PAGE_OF[key]).read_text(encoding="utf-8").splitlines() if line[:1] == "|"
    ]
    for kind, part in kinds(key).items():
        if kind != "module" or key == "task.model":
            of_kind = [row for row in rows if f"`{kind}`" in row.split("|")[1]]
            assert of_kind, kind
            inherited = "and `compressor`, `gamma`" in " ".join(of_kind)
            assert inherited or all(f"`{option}`" in " ".join(of_kind) for option in options(part)), kind


def test_every_data_set_has_its_row():
    page = (DOCS / "tasks.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in DATASETS)


def test_the_help_of_run_lists_every_kind():
    done = subprocess.run(
        [sys.executable, "-m", "costbench", "run", "--help"], capture_output=True, text=True, check=True
    )
    shown = re.sub(r"-\s+", "-", done.stdout)
    for key in UNIONS:
        assert all(kind in shown for kind in kinds(key) if kind != "module"), key
    assert "module:callable" in shown


def test_the_help_of_sweep_lists_every_shipped_suite():
    done = subprocess.run(
        [sys.executable, "-m", "costbench", "sweep", "--help"], capture_output=True, text=True, check=True
    )
    assert all(f"  {name} " in done.stdout for name in suite_names())


@pytest.mark.parametrize("name", suite_names())
def test_every_shipped_suite_has_its_command_and_a_result_for_every_variant(name):
    page = (DOCS / "RESULTS.md").read_text(encoding="utf-8")
    suite, _ = load_suite(name)
    command = re.compile(rf"^costbench sweep {name}( --figure {name}\.svg)?$", re.M)
    (section,) = [part for part in re.split(r"\n##+ ", page) if command.search(part)]
    rows = {line.split("|")[1].strip(): line for line in section.splitlines() if line[:1] == "|"}
    assert f"costbench data fetch {suite.base['task']['dataset']}\n" in section
    for variant in suite.variants:
        assert f"| {len(suite.seeds)} |" in rows[variant]


def test_the_suite_of_the_page_runs(tmp_path):
    page = (DOCS / "suites.md").read_text(encoding="utf-8")
    (document,) = re.findall(r"```yaml\n(.*?)```", page, re.S)
    (arguments,) = re.findall(r"`costbench (sweep keep-ratios.*?)`", page)
    (tmp_path / "keep-ratios.yaml").write_text(document)
    done = subprocess.run(
        [sys.executable, "-m", "costbench", *arguments.split()], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert all(re.search(rf"^\s+{name}\s+2 ", done.stdout, re.M) for name in ("keep 1 %", "keep 10 %"))
    assert (tmp_path / "keep-ratios.svg").stat().st_size > 1000
    assert len(RunStore(tmp_path / "runs").sealed()) == 6


def test_the_algorithm_of_the_page_runs_beside_the_package(tmp_path):
    page = (DOCS / "adding-an-algorithm.md").read_text(encoding="utf-8")
    (code,), (spec,) = (re.findall(rf"```{kind}\n(.*?)```", page, re.S) for kind in ("python", "yaml"))
    assert len(code.splitlines()) <= 40
    (tmp_path / "combine_then_adapt.py").write_text(code)
    (tmp_path / "combine-then-adapt.yaml").write_text(spec)
    done = subprocess.run(
        [sys.executable, "-m", "costbench", "run", "combine-then-adapt.yaml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    run = RunStore(tmp_path / "runs").find(Path(done.stdout.strip()).name)
    verify(run)
    assert "combine then adapt" in run.record["algorithm_reading"]
    # 4 nodes, 2 neighbours, rounds 0, 2 and 4
    assert len(run.ledger.messages) == 4 * 2 * 3


def test_the_page_of_pricing_names_every_term_and_radio_model():
    page = (DOCS / "pricing.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in (*TERMS, *EXCHANGES))


def test_the_commands_of_the_page_of_pricing_work(tmp_path):
    page = (DOCS / "pricing.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```console\n(.*?)```", page, re.S)
    commands = block.splitlines()
    assert commands[0] == "$ costbench run quickstart"
    for command in commands:
        arguments = command.removeprefix("$ costbench ").split()
        done = subprocess.run(
            [sys.executable, "-m", "costbench", *arguments], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, (command, done.stderr)
    assert (tmp_path / "reports" / "priced" / "tables" / "inputs.csv").is_file()
