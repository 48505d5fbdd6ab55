"""Tables: the documented columns, units in names, and sums that agree."""

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest

from costbench.reporting import columns
from costbench.reporting.columns import COLUMNS
from costbench.reporting.tables import all_tables, source_rows

BANNED = {"size", "cost", "time", "data", "value", "info", "params", "result"}
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def tables(runs, priced):
    return all_tables(runs, priced)


def test_columns_are_those_documented(tables):
    assert {name: list(table.columns) for name, table in tables.items()} == {
        name: list(columns) for name, columns in COLUMNS.items()
    }


def test_columns_without_any_price_are_the_same(runs):
    bare = all_tables(runs, [])
    assert list(bare["cost"].columns) == list(COLUMNS["cost"])
    assert bare["cost"].empty


def test_numeric_columns_carry_their_unit(tables):
    plain = {*columns.PLAIN_COUNTS, *columns.DIMENSIONLESS, *columns.UNIT_BESIDE}
    for table, frame in tables.items():
        for name in frame:
            numbers = [cell for cell in frame[name] if isinstance(cell, (int, float))]
            if numbers and name not in plain:
                assert name.endswith(columns.UNIT_SUFFIXES), f"{table}.{name}"
            assert name not in BANNED, f"{table}.{name}"


def test_a_table_with_flop_says_what_a_flop_is(tables):
    for name, frame in tables.items():
        if any(column.endswith("_flop") for column in frame):
            assert set(frame["flop_convention"]) == {"2 a multiply-add, 1 any other operation"}, name


def test_every_row_tells_counted_from_modelled(tables):
    for name in set(tables) - {"sources", "inputs"}:
        expected = (
            "counted" if name in ("runs", "per_node_counts", "accuracy", "learning") else "modelled, tier B"
        )
        assert set(tables[name]["provenance"]) == {expected}


def test_missing_is_empty_with_its_reason(tables):
    for name, frame in tables.items():
        for row in frame.to_dict("records"):
            empty = {column for column, cell in row.items() if cell is None}
            reasons = dict(part.split(": ", 1) for part in row.get("missing", "").split("; ") if part)
            assert set(reasons) == empty, name
    grounded = ["flight_time_lost_min", "flight_carrying_min"]
    no_carbon = ["carbon_fleet_g", "carbon_fleet_p10_g", "carbon_fleet_p90_g"]
    reasons = [f"{column}: the device is no drone" for column in grounded]
    reasons += [f"{column}: no carbon intensity was given" for column in no_carbon]
    assert set(tables["cost"]["missing"]) == {"; ".join(reasons)}


def test_one_node_without_a_battery_makes_the_mean_missing(runs, priced):
    nodes = priced[0].per_node.assign(battery_percent=[np.nan, *[1.0] * 15])
    table = all_tables(runs, [dataclasses.replace(priced[0], per_node=nodes)])["cost"]
    assert table["battery_percent"][0] is None
    assert "the profile has no battery" in table["missing"][0]


def test_bits_add_up_from_nodes_to_runs(tables):
    runs, nodes = tables["runs"].set_index("run_id"), tables["per_node_counts"]
    for name in ("sent_bits", "value_bits", "index_bits", "received_bits", "total_flop"):
        assert nodes.groupby("run_id")[name].sum().to_dict() == runs[name].to_dict()
    parts = sum(runs[f"{part}_bits"] for part in ("value", "index", "side", "padding", "header"))
    assert (parts == runs["sent_bits"]).all()


def test_terms_add_up_to_the_energy(tables):
    keys = ["run_id", "profile", "radio"]
    terms = tables["cost_terms"].groupby(keys)[["energy_per_device_j", "energy_share_percent"]].sum()
    cost = tables["cost"].set_index(keys)
    for key, row in terms.iterrows():
        assert row["energy_per_device_j"] == pytest.approx(cost.loc[key, "energy_total_j"], rel=1e-12)
        assert row["energy_share_percent"] == pytest.approx(100, rel=1e-12)


def test_bits_sent_by_an_evaluation_are_those_of_the_rounds_before_it(tables):
    sgp = tables["accuracy"][lambda frame: frame["name"] == "sgp-skewed"]
    assert sgp["sent_per_device_bits"].iloc[0] == 50 * 1_078_984 * 8  # evaluated after 50 rounds
    assert sgp["sent_per_device_bits"].iloc[-1] == 400 * 1_078_984 * 8


def test_sources_are_listed_once_a_radio(priced):
    rows = source_rows([*priced, *priced])
    assert len(rows) == 2 * 3  # a source and an assumed input on three radios
    assert {row["kind"] for row in rows} == {"source", "assumed input"}


def test_the_readme_is_the_one_generated_from_the_columns():
    written = (ROOT / "reports" / "README.md").read_text(encoding="utf-8")
    assert written == columns.readme(), "python -m costbench.reporting.columns > reports/README.md"
    assert not re.search(r"\| *\|$", written, re.MULTILINE)


def test_learning_has_the_loss_of_every_round_with_a_step(tables, runs):
    scsp = tables["learning"][lambda frame: frame["run_id"] == runs[2].run_id]
    steps = runs[2].record["spec"]["rounds"]
    assert list(scsp["round"]) == list(range(1, steps + 1))
    assert scsp["train_loss"].iloc[149] == pytest.approx(2.3 * np.exp(-1))
    assert (np.diff(scsp["sent_per_device_bits"].to_numpy(float)) > 0).all()
