"""The report directory: complete, self-contained, deterministic, and never written over something else."""

import csv
import dataclasses
import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import fabricated
import pytest

from costbench.errors import CheckFailed, UsageError
from costbench.pricing.counts import counts_of
from costbench.pricing.price import price
from costbench.profile import load_profile
from costbench.reporting import report
from costbench.reporting.columns import COLUMNS
from costbench.reporting.report import write_report
from costbench.spec import load_spec

GOLDEN = Path(__file__).parents[2] / "golden" / "report.md"


@pytest.fixture(scope="module")
def out(runs, priced, tmp_path_factory):
    directory = tmp_path_factory.mktemp("reports") / "demo"
    write_report(runs, priced, directory)
    return directory


@pytest.fixture
def no_figures(monkeypatch):
    """Skip the drawing where a test is about files."""
    monkeypatch.setattr(
        report.figures, "draw", lambda tables, formats: {f"wire.{k}": b"<svg/>" for k in formats}
    )


def contents(directory):
    return {p.relative_to(directory): p.read_bytes() for p in directory.rglob("*") if p.is_file()}


class Page(HTMLParser):
    """The tags of a page, and the exact numbers in its cells by table."""

    def __init__(self, source):
        super().__init__()
        self.tags, self.numbers, self.table = [], {}, ""
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        if tag == "table":
            self.table = attributes["id"].removeprefix("table-")
        if tag == "data":
            self.numbers.setdefault(self.table, []).append(attributes["value"])


@pytest.fixture(scope="module")
def page(out):
    return Page((out / "index.html").read_text(encoding="utf-8"))


def cells_of(out, name):
    with (out / "tables" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_files(out):
    names = {str(path) for path in contents(out)}
    assert {"index.html", "report.md", "report.json"} < names
    assert {f"tables/{name}.csv" for name in COLUMNS} < names
    assert set(json.loads((out / "report.json").read_text())["files"]) == names - {"report.json"}


def test_the_page_loads_nothing_and_runs_nothing(page):
    assert not {"script", "iframe", "object", "embed", "img"} & {tag for tag, _ in page.tags}
    for tag, attributes in page.tags:
        target = attributes.get("href") or attributes.get("src") or attributes.get("xlink:href") or ""
        if tag == "a":
            assert re.match(r"tables/\w+\.csv$|report\.json$", target)
        else:
            assert target.startswith(("#", "data:")) or not target, (tag, target)
        assert not any(name.startswith("on") for name in attributes)


def test_ids_are_unique_but_for_shared_svg_definitions(page):
    ids = [
        attributes["id"]
        for tag, attributes in page.tags
        if "id" in attributes and tag not in ("path", "clippath")
    ]
    assert len(ids) == len(set(ids))


def test_links_lead_to_files(page, out):
    for tag, attributes in page.tags:
        if tag == "a":
            assert (out / attributes["href"]).is_file()


@pytest.mark.parametrize(
    ("table", "files"),
    [
        ("headline", ("cost", "runs", "compare")),
        ("runs", ("runs",)),
        ("cost", ("cost",)),
        ("terms", ("cost_terms",)),
        ("compare", ("compare",)),
    ],
)
def test_numbers_on_the_page_are_those_of_the_csv(page, out, table, files):
    in_files = {cell for name in files for row in cells_of(out, name) for cell in row.values()}
    assert len(page.numbers[table]) > 20
    assert set(page.numbers[table]) <= in_files


def test_csv_keep_full_precision(out, priced):
    row = cells_of(out, "cost")[0]
    assert float(row["energy_total_j"]) == priced[0].per_node["total_j"].mean()
    assert row["flight_time_lost_min"] == ""


def test_report_json(out, runs):
    document = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert document["schema"] == 1
    assert [shown["run_id"] for shown in document["show"]] == [run.run_id for run in runs]
    assert [len(price["runs"]) for price in document["price"]] == [9]
    assert document["price"][0]["boundary"] == "device"
    assert len(document["compare"]) == 9


@pytest.mark.parametrize("name", ["index.html", "report.md"])
def test_pages_say_what_the_numbers_rest_on(out, runs, name):
    text = (out / name).read_text(encoding="utf-8").replace("\\", "")
    for run in runs:
        assert run.ledger_sha256 in text
    for words in (
        "tier B",
        "compute.launch_time",
        "phone.yaml:54",
        "A. Author, Power of a phone, 2021",
        "evaluate",
        "aten::mystery",
        "final-merge reading",
        "FLOP, 2 per multiply-add",
        "2 a multiply-add, 1 any other operation",
        "licence MIT",
        "ab" * 32,
        f"costbench verify {runs[0].run_id}",
        "--profile phone/wifi,phone/lte,phone/ble --samples 200 --out demo",
    ):
        assert words in text, words


def test_specs_in_the_report_are_the_specs_of_the_runs(out, runs):
    for run in runs:
        assert load_spec(str(out / "specs" / f"{run.run_id}.yaml")).run_id() == run.run_id


def test_writing_again_replaces_the_report_with_the_same_bytes(out, runs, priced):
    before = contents(out)
    write_report(runs, priced, out)
    assert contents(out) == before
    assert [path.name for path in out.parent.iterdir()] == [out.name]


def test_a_smaller_report_leaves_nothing_of_the_larger_one(runs, priced, tmp_path, no_figures):
    write_report(runs, priced, tmp_path / "r", ("png",))
    write_report(runs[:1], [], tmp_path / "r")
    assert {path.name for path in (tmp_path / "r" / "figures").iterdir()} == {"wire.svg"}
    assert "not priced" in (tmp_path / "r" / "index.html").read_text(encoding="utf-8")


def test_an_empty_directory_may_be_used(runs, tmp_path, no_figures):
    assert write_report(runs[:1], [], tmp_path) == tmp_path


@pytest.mark.parametrize("stranger", ["thesis.txt", "report.json"])
def test_a_directory_that_is_no_report_is_left_alone(runs, tmp_path, stranger, no_figures):
    (tmp_path / stranger).write_text('{"schema": 1}')
    with pytest.raises(CheckFailed, match="no costbench report"):
        write_report(runs[:1], [], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [stranger]


def test_a_report_to_which_someone_added_a_file_is_left_alone(runs, tmp_path, no_figures):
    write_report(runs[:1], [], tmp_path)
    (tmp_path / "notes.md").write_text("mine")
    with pytest.raises(CheckFailed, match=r"notes\.md"):
        write_report(runs[:1], [], tmp_path)
    assert (tmp_path / "notes.md").read_text() == "mine"


def test_a_failure_leaves_the_old_report_and_no_debris(runs, tmp_path, monkeypatch, no_figures):
    write_report(runs[:1], [], tmp_path / "r")
    before = contents(tmp_path / "r")
    monkeypatch.setattr(report, "render_markdown", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_report(runs[:2], [], tmp_path / "r")
    assert contents(tmp_path / "r") == before
    assert [path.name for path in tmp_path.iterdir()] == ["r"]


def test_wrong_requests(runs, priced, tmp_path):
    for bad_runs, bad_prices, formats in (
        ([], [], ("svg",)),
        ([runs[0], runs[0]], [], ("svg",)),
        (runs[:1], [priced[1]], ("svg",)),
        (runs[:1], [], ("gif",)),
    ):
        with pytest.raises(UsageError):
            write_report(bad_runs, bad_prices, tmp_path / "r", formats)
    assert not (tmp_path / "r").exists()


def test_names_cannot_inject_markup(runs, tmp_path):
    spec = {**runs[0].record["spec"], "name": "<script>alert(1)</script>|`$x$"}
    odd = dataclasses.replace(runs[0], record={**runs[0].record, "spec": spec})
    write_report([odd], [], tmp_path / "r")
    page = Page((tmp_path / "r" / "index.html").read_text(encoding="utf-8"))
    assert "script" not in {tag for tag, _ in page.tags}
    markdown = (tmp_path / "r" / "report.md").read_text(encoding="utf-8")
    assert "<script" not in markdown.replace("\\<script", "")


def test_markdown_tables_are_rectangular(out):
    blocks = re.split(r"\n(?!\|)", (out / "report.md").read_text(encoding="utf-8"))
    tables = [[line for line in block.split("\n") if line.startswith("|")] for block in blocks]
    tables = [table for table in tables if table]
    assert len(tables) == 7
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table}) == 1, table[0]


def test_report_md_is_the_frozen_one(out):
    """Freeze it anew, after looking at it: COSTBENCH_UPDATE_GOLDEN=1 pytest tests/unit/reporting."""
    text = (out / "report.md").read_text(encoding="utf-8")
    text = re.sub(r"\b[0-9a-f]{64}\b", "SHA256", re.sub(r"\b[0-9a-f]{12}\b", "RUN", text))
    if os.environ.get("COSTBENCH_UPDATE_GOLDEN"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_the_fixture_has_the_promised_sizes(runs):
    assert sum(layer["numel"] for layer in runs[0].record["layout"]) == fabricated.PARAMETERS
    assert len(runs[0].record["layout"]) == 65


def test_real_prices_of_shipped_devices(runs, tmp_path, no_figures):
    targets = [("phone", "wifi"), ("phone", "lte"), ("drone", "wifi"), ("jetson-nano", "wifi")]
    priced = [
        price(counts_of(run), load_profile(profile), radio, samples=50)
        for run in runs
        for profile, radio in targets
    ]
    out = write_report(runs, priced, tmp_path / "r")
    rows = {(row["profile"], row["radio"], row["name"]): row for row in cells_of(out, "cost")}
    assert len(rows) == 12
    assert rows["drone", "wifi", "sgp-skewed"]["flight_time_lost_min"]
    assert not rows["phone", "wifi", "sgp-skewed"]["flight_time_lost_min"]
    for row in cells_of(out, "compare"):
        if row["name"] == "sparse-push-skewed":
            assert float(row["energy_communication_ratio"]) > 1, row["profile"]
    terms, cost = cells_of(out, "cost_terms"), cells_of(out, "cost")
    summed = sum(float(row["energy_fleet_j"]) for row in terms)
    assert summed == pytest.approx(sum(float(row["energy_fleet_j"]) for row in cost), rel=1e-12)
