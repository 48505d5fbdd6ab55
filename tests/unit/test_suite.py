"""Suites: variants times seeds, skipped where they are done, compared over seeds."""

import os
import signal
import subprocess
import sys
import time
from typing import NamedTuple

import numpy as np
import pytest
import yaml

from costbench.cli.sweep_table import print_sweep, write_figure
from costbench.cli.sweeping import sweep
from costbench.errors import InputError, UsageError
from costbench.reporting.figures import FORMATS
from costbench.reporting.figures.suite import draw_suite
from costbench.reporting.sweep import SpeedUp, Spread, Variant, rounds_to_target, speed_up, variants
from costbench.runstore import RunStore
from costbench.spec import load_suite, suite_names
from costbench.spec.suite import Suite

MINI = {
    "name": "mini",
    "question": "Does it work?",
    "seeds": [0, 1],
    "target": {"metric": "test_accuracy", "reached": 0.15},
    "base": {
        "nodes": 3,
        "rounds": 8,
        "task": {"dataset": "digits", "model": {"kind": "mlp", "hidden": [16]}, "batch": 16},
        "optimizer": {"lr": 0.3},
        "topology": {"kind": "ring"},
        "evaluate": {"every": 2},
    },
    "variants": {
        "dense": {"algorithm": {"kind": "d-psgd"}},
        "signs, lr 0.1": {
            "algorithm": {"kind": "choco-sgd", "compressor": {"kind": "sign"}, "gamma": 0.3},
            "optimizer.lr": 0.1,
        },
    },
}


class FakeRun(NamedTuple):
    nodes: int
    reached: float | None


@pytest.fixture
def written(tmp_path):
    def write(**changes):
        path = tmp_path / "mini.yaml"
        path.write_text(yaml.safe_dump({**MINI, **changes}, sort_keys=False))
        return str(path)

    return write


@pytest.mark.parametrize("name", suite_names())
def test_every_shipped_suite_is_valid_and_has_three_seeds(name):
    suite, specs = load_suite(name)
    assert suite.name == name and len(suite.seeds) >= 3
    assert len({spec.run_id() for _, spec in specs}) == len(suite.variants) * len(suite.seeds)


def test_a_variant_changes_dotted_keys_for_every_seed(written):
    _, specs = load_suite(written())
    assert [(name, spec.seed) for name, spec in specs] == [
        ("dense", 0),
        ("dense", 1),
        ("signs, lr 0.1", 0),
        ("signs, lr 0.1", 1),
    ]
    assert [spec.optimizer.lr for _, spec in specs] == [0.3, 0.3, 0.1, 0.1]


def test_a_graph_file_of_a_suite_is_read_from_beside_it(written, tmp_path):
    (tmp_path / "edges.csv").write_text("round,sender,receiver\n0,0,1\n0,1,2\n0,2,0\n")
    graph = {"algorithm": {"kind": "sgp"}, "topology": {"kind": "file", "path": "edges.csv"}}
    _, ((_, spec), *_) = load_suite(written(variants={"from a file": graph}))
    assert spec.topology.edges == [(0, 0, 1), (0, 1, 2), (0, 2, 0)]


def test_a_sweep_runs_what_is_missing_and_compares(written, tmp_path, capsys):
    suite, specs = load_suite(written())
    first = sweep(suite, specs, tmp_path / "runs", jobs=2, quiet=True).runs
    again = sweep(suite, specs, tmp_path / "runs", jobs=1, quiet=True).runs
    assert [run.run_id for _, run in first] == [run.run_id for _, run in again]
    assert "4 of 4 runs are there already" in capsys.readouterr().err
    dense, signs = variants(suite, first)
    assert (dense.seeds, dense.name) == (2, "dense")
    assert dense.sent_bits.mean > 25 * signs.sent_bits.mean
    assert dense.sent_bits.sd == 0

    write_figure(suite, first, tmp_path / "quality.svg")
    drawn = (tmp_path / "quality.svg").read_text()
    shown = ("dense", "signs, lr 0.1", "sent by a device", "accuracy at the end, mean over nodes")
    assert all(f">{words}<" in drawn for words in shown)


@pytest.mark.parametrize("kind", FORMATS)
def test_the_figure_of_a_speed_up_shows_its_law(kind):
    one = Spread(1.0, None)
    rows = [Variant(f"n = {n}", 2, n, one, one, one, one, Spread(100 / n, 1.0)) for n in (1, 2, 4)]
    drawn = draw_suite(rows, "accuracy", SpeedUp(100.0, -0.91, 0.2), kind)
    assert drawn == draw_suite(rows, "accuracy", SpeedUp(100.0, -0.91, 0.2), kind)
    if kind == "svg":
        assert b"a = -0.91 \xc2\xb1 0.20" in drawn


@pytest.mark.parametrize(
    ("figure", "words"),
    [("out.txt", "found '.txt'; allowed: svg, png, pdf"), ("no/out.svg", "no is not a directory")],
)
def test_a_figure_that_cannot_be_written_is_refused_before_anything_runs(written, tmp_path, figure, words):
    command = [sys.executable, "-m", "costbench", "sweep", written(), "--figure", figure]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, f"costbench: --figure {figure}: {words}\n")
    assert not (tmp_path / "runs").exists()


def test_a_variant_that_diverges_is_missing_with_its_reason(written, tmp_path, capsys):
    wild = {"algorithm": {"kind": "d-psgd"}, "optimizer.lr": 1e30}
    suite, specs = load_suite(written(variants={"wild": wild, **MINI["variants"]}))
    swept = sweep(suite, specs, tmp_path / "runs", jobs=2, quiet=False)
    assert sorted(swept.diverged) == ["wild, seed 0", "wild, seed 1"]
    assert "mini: wild, seed 0, diverged" in capsys.readouterr().err
    print_sweep(suite, *swept, markdown=True)
    wild_row, *rows = capsys.readouterr().out.splitlines()[2:]
    assert wild_row == "| wild | 0 of 2 | - | - | - | - | not reached |"
    assert rows[0].startswith("| dense | 2 | 0.")
    assert "wild, seed 1: training diverged" in rows[-1]


def test_a_process_of_a_sweep_hands_back_what_is_wrong_with_the_data(written, tmp_path):
    dense = {"dense": MINI["variants"]["dense"]}
    suite, specs = load_suite(written(base={**MINI["base"], "nodes": 2000}, variants=dense))
    with pytest.raises(InputError, match=r"^mini: dense: nodes: found 2000; allowed: "):
        sweep(suite, specs, tmp_path / "runs", jobs=2, quiet=True)


def test_an_interrupted_sweep_keeps_checkpoints_and_begins_nothing_else(written, tmp_path):
    path = written(base={**MINI["base"], "rounds": 20000}, seeds=[0, 1, 2, 3])
    command = [sys.executable, "-m", "costbench", "sweep", path, "--jobs", "2"]
    running = subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while running.poll() is None and len(list(tmp_path.glob("runs/.partial-*/"))) < 2:
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=120)
    assert running.returncode == 130
    assert "mini: stopped; finished runs are kept, and the same command goes on from there" in said
    assert "Traceback" not in said
    assert len(list(tmp_path.glob("runs/.partial-*/checkpoint/state.pt"))) == 2
    assert RunStore(tmp_path / "runs").sealed() == []


def test_rounds_to_a_target_are_interpolated_between_evaluations(written, tmp_path):
    suite, specs = load_suite(written(seeds=[0]))
    ((_, run), _) = sweep(suite, specs, tmp_path / "runs", jobs=1, quiet=True).runs
    rows = run.ledger.metrics.to_pandas()
    rows = rows[(rows["metric"] == "test_accuracy") & (rows["split"] == "test") & rows["node"].isna()]
    (t0, a0), (t1, a1) = list(zip(rows["round"], rows["value"], strict=True))[-2:]
    if a1 > a0:
        halfway = Suite.model_validate(
            {**MINI, "target": {"metric": "test_accuracy", "reached": (a0 + a1) / 2}}
        )
        assert t0 == 6 and t1 == 8 and rounds_to_target(halfway, run) <= 7.0
    never = Suite.model_validate({**MINI, "target": {"metric": "test_accuracy", "reached": 1.1}})
    assert rounds_to_target(never, run) is None


def test_the_exponent_of_a_speed_up_is_fitted_over_the_nodes(monkeypatch):
    rounds = {1: [100.0, 110.0], 2: [52.0, 50.0], 4: [25.0, 26.0]}
    runs = [(f"n = {n}", FakeRun(n, reached)) for n, seeds in rounds.items() for reached in seeds]
    monkeypatch.setattr("costbench.reporting.sweep.rounds_to_target", lambda _, run: run.reached)
    suite = Suite.model_validate(MINI)
    points = np.log([(n, reached) for n, seeds in rounds.items() for reached in seeds])
    fit = speed_up(suite, runs)
    assert fit.exponent == pytest.approx(np.polyfit(*points.T, 1)[0])
    assert 0 < fit.half_width < 0.2
    assert speed_up(suite, runs[:4]) is None
    assert speed_up(suite, [*runs, ("n = 8", FakeRun(8, None))]) is None
    assert speed_up(suite, [*runs, ("another of 4", FakeRun(4, 25.0))]) is None


def test_a_spread_with_a_missing_figure_is_missing():
    assert Spread.of([1.0, None]) == Spread(None, None)
    assert Spread.of([1.0, 3.0]) == Spread(2.0, pytest.approx(2**0.5))
    assert Spread.of([2.0]) == Spread(2.0, None)


def test_a_suite_with_a_bad_variant_is_refused_by_name(written):
    variant = {"odd": {"algorithm": {"kind": "d-psgd"}, "optimizer.lr": -1}}
    with pytest.raises(InputError, match=r"\(odd\): optimizer\.lr: found -1"):
        load_suite(written(variants=variant))
    twins = {"one": {"algorithm": {"kind": "d-psgd"}, "name": "same"}}
    with pytest.raises(InputError, match="the spec of another variant"):
        load_suite(written(variants={**twins, "two": twins["one"]}))
    with pytest.raises(
        UsageError, match="no suite 'none': give a YAML file or a shipped suite, one of deepfm"
    ):
        load_suite("none")
    with pytest.raises(InputError, match=r"none\.yaml: found 'no such file'"):
        load_suite("none.yaml")
