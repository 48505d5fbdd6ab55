"""From a spec to a report by `python -m costbench`, with interruptions and damage on the way."""

import csv
import json
import shutil
import signal
import subprocess
import sys
import time

import pytest
import yaml

from costbench.spec import RunSpec

SPEC = {
    "name": "small [/odd] name",
    "nodes": 4,
    "rounds": 40,
    "task": {
        "dataset": "fashion-mnist-small",
        "model": {"kind": "lenet"},
        "batch": 4,
        "partition": {"kind": "label-skew", "skew": 0.5},
    },
    "optimizer": {"lr": 0.05, "momentum": 0.9},
    "topology": {"kind": "one-peer-exponential"},
    "algorithm": {"kind": "sparse-push", "keep": 0.01, "gamma": 0.03},
    "links": {"drop": 0.1},
    "evaluate": {"every": 100},
}
RUN_ID = RunSpec.model_validate(SPEC).run_id()
PROFILES = "phone/wifi,phone/lte,drone"


def costbench(*arguments, folder):
    done = subprocess.run(command(*arguments), cwd=folder, capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    return done


def command(*arguments):
    return [sys.executable, "-m", "costbench", *map(str, arguments)]


def document_of(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a spec in it, and the run of that spec."""
    folder = tmp_path_factory.mktemp("work")
    (folder / "spec.yaml").write_text(yaml.safe_dump(SPEC))
    done = costbench("run", "spec.yaml", "--quiet", folder=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"runs/{RUN_ID}\n", "")
    return folder


@pytest.fixture
def ledger_sha256(place):
    return json.loads((place / "runs" / RUN_ID / "SEALED").read_text())["ledger_sha256"]


@pytest.fixture
def fresh(place, tmp_path):
    shutil.copy(place / "spec.yaml", tmp_path)
    return tmp_path


def test_show_has_the_promised_keys_and_exact_sums(place):
    done = costbench("show", RUN_ID[:6], "--json", folder=place)
    shown = document_of(done)
    assert done.stderr == ""
    assert list(shown) == [
        "schema", "run_id", "spec", "nodes", "rounds", "parameters", "per_node", "totals", "compression",
        "metrics", "uncounted_operators",
    ]  # fmt: skip
    assert (shown["schema"], shown["run_id"], shown["nodes"], shown["rounds"]) == (1, RUN_ID, 4, 40)
    assert shown["spec"] == RunSpec.model_validate(SPEC).resolved()
    for node, row in enumerate(shown["per_node"]):
        assert row["node"] == node
        for parts, names in (
            (row["sent_bits"], ["value", "index", "side", "padding", "header"]),
            (row["flop"], ["forward", "backward", "optimizer", "compress", "mix"]),
        ):
            assert list(parts) == [*names, "total"]
            assert parts["total"] == sum(parts[name] for name in names)
            assert all(isinstance(count, int) for count in parts.values())
        held = row["memory_bytes"]
        assert {"parameters", "gradients", "optimizer", "algorithm", "messages", "activations"} < set(held)
        assert held["peak"] >= max(held.values())
    totals = shown["totals"]
    assert totals["sent_bits"] == sum(row["sent_bits"]["total"] for row in shown["per_node"])
    assert totals["received_bits"] == sum(row["received_bits"] for row in shown["per_node"])
    assert totals["flop"] == sum(row["flop"]["total"] for row in shown["per_node"])
    assert totals["sent_bits"] == totals["received_bits"] + totals["dropped_bits"]
    assert totals["dropped_bits"] > 0
    assert list(shown["compression"]) == ["encoded", "aketi", "choco", "qgm", "log2", "entropy"]
    assert {"test_accuracy", "test_loss", "consensus_distance"} <= set(shown["metrics"])
    assert 0 <= shown["metrics"]["test_accuracy"] <= 1
    assert shown["uncounted_operators"] == []


def test_verify_price_and_report_leave_the_run_alone(place, ledger_sha256):
    run = place / "runs" / RUN_ID
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in run.iterdir()}
    verified = costbench("verify", RUN_ID, run, folder=place)
    assert verified.returncode == 0
    assert verified.stdout.splitlines() == [
        f"runs/{RUN_ID}: intact, ledger {ledger_sha256[:12]}",
        f"{run}: intact, ledger {ledger_sha256[:12]}",
    ]
    priced = document_of(
        costbench("price", RUN_ID, "--profile", PROFILES, "--samples", 50, "--json", folder=place)
    )
    assert list(priced) == ["schema", "boundary", "samples", "runs"]
    assert [(one["run_id"], one["profile"], one["radio"]) for one in priced["runs"]] == [
        (RUN_ID, "phone", "wifi"),
        (RUN_ID, "phone", "lte"),
        (RUN_ID, "drone", "wifi"),
    ]
    for one in priced["runs"]:
        assert one["tier"] in ("A", "B", "C")
        for row in one["per_node"]:
            terms = {name: j for name, j in row["energy_j"].items() if name not in ("total", "above_idle")}
            assert sum(terms.values()) == pytest.approx(row["energy_j"]["total"], rel=1e-12)
            assert row["energy_total_j_p10"] <= row["energy_total_j_p50"] <= row["energy_total_j_p90"]
    reported = costbench(
        "report", RUN_ID, "--profile", PROFILES, "--samples", 50, "--out", "reports/r", folder=place
    )
    assert (reported.returncode, reported.stdout) == (0, "reports/r/index.html\n"), reported.stderr
    assert (place / "reports" / "r" / "index.html").is_file()
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in run.iterdir()} == before


def test_prices_as_csv_and_as_a_table(place):
    done = costbench(
        "price", RUN_ID, "--profile", "phone", "--samples", 20, "--csv", "prices.csv", folder=place
    )
    assert (done.returncode, done.stdout) == (0, "")
    with (place / "prices.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["run_id"], row["profile"], row["radio"]) for row in rows] == [(RUN_ID, "phone", "wifi")] * 4
    done = costbench("price", RUN_ID, "--profile", "phone", "--samples", 20, folder=place)
    assert done.returncode == 0, done.stderr
    assert "phone/wifi" in done.stdout
    shown = costbench("show", RUN_ID, folder=place).stdout
    assert SPEC["name"] in shown and "Messages by wire codec: " in shown


def test_running_again_trains_nothing(place, ledger_sha256):
    begun = time.time_ns()
    done = costbench("run", "spec.yaml", folder=place)
    assert (done.returncode, done.stdout) == (0, f"runs/{RUN_ID}\n")
    assert all(path.stat().st_mtime_ns < begun for path in (place / "runs" / RUN_ID).iterdir())


def stopped(folder, number):
    """Start the run, stop it with a signal while it trains, and return its exit code and stderr."""
    process = subprocess.Popen(
        command("run", "spec.yaml"), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    partial = folder / "runs" / f".partial-{RUN_ID}"
    while not partial.is_dir() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(number)
    out, err = process.communicate()
    assert out == ""
    assert "Traceback" not in err
    assert not (folder / "runs" / RUN_ID).exists()
    return process.returncode, err


def resume(folder):
    done = costbench("run", "spec.yaml", folder=folder)
    assert (done.returncode, done.stdout) == (0, f"runs/{RUN_ID}\n"), done.stderr
    assert [path.name for path in (folder / "runs").iterdir()] == [RUN_ID]
    return json.loads((folder / "runs" / RUN_ID / "SEALED").read_text())["ledger_sha256"], done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_exits_130_and_goes_on(fresh, ledger_sha256, number):
    code, err = stopped(fresh, number)
    assert code == 130
    assert "of 40 rounds; the same command goes on from there" in err
    assert (fresh / "runs" / f".partial-{RUN_ID}" / "checkpoint" / "state.pt").is_file()
    if number == signal.SIGINT:
        assert resume(fresh)[0] == ledger_sha256


def test_a_killed_run_goes_on(fresh, ledger_sha256):
    code, _ = stopped(fresh, signal.SIGKILL)
    assert code == -signal.SIGKILL
    assert resume(fresh)[0] == ledger_sha256


def test_a_damaged_run_exits_1_and_is_named(place, tmp_path):
    run = shutil.copytree(place / "runs" / RUN_ID, tmp_path / "runs" / RUN_ID)
    table = run / "compute.parquet"
    content = bytearray(table.read_bytes())
    content[len(content) // 2] ^= 1
    table.write_bytes(content)
    done = costbench("verify", RUN_ID, folder=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"runs/{RUN_ID}/compute.parquet: found SHA-256" in done.stderr
    assert len(done.stderr.splitlines()) == 1
