"""Comparisons: ratios against the run that sends most, and claims only where the draws support them."""

import dataclasses

import fabricated
import numpy as np
import pytest

from costbench.errors import UsageError
from costbench.reporting.compare import baseline_of, compare
from costbench.reporting.headline import energy_claim, headline, sentences


def rows_of(runs, priced, name):
    return [row for row in compare(runs, priced) if row["name"] == name]


def test_the_baseline_sends_most_whatever_the_order(runs):
    assert baseline_of(runs[::-1]).name == "sgp-skewed"
    with pytest.raises(UsageError):
        baseline_of([])


def test_a_merge_that_outweighs_a_short_run_does_not_make_it_the_baseline(runs):
    # 20 dense rounds send fewer bits than the 50 of scsp's merge
    short = dataclasses.replace(runs[0], record={**runs[0].record, "rounds": 20})
    messages = runs[0].ledger.messages.slice(0, 20 * fabricated.NODES)
    short.__dict__["ledger"] = dataclasses.replace(runs[0].ledger, messages=messages)
    assert baseline_of([runs[2], short]).name == "sgp-skewed"


def test_bits_ratio_by_hand(runs, priced):
    # sparse-push: 1,078,984 / 15,600 = 69.17; scsp: 400 * 1,078,984 / (400 * 15,600 + 50 * 1,078,984) = 7.17
    assert rows_of(runs, priced, "sparse-push-skewed")[0]["sent_bits_ratio"] == pytest.approx(
        69.166, abs=1e-3
    )
    assert rows_of(runs, priced, "scsp-skewed")[0]["sent_bits_ratio"] == pytest.approx(7.1707, abs=1e-4)


def test_energy_ratio_is_baseline_over_run(runs, priced):
    row = rows_of(runs, priced, "sparse-push-skewed")[1]
    dense, sparse = priced[3].per_node["total_j"].sum(), priced[4].per_node["total_j"].sum()
    assert row["radio"] == "lte"
    assert row["energy_total_ratio"] == pytest.approx(dense / sparse)
    assert row["energy_total_p10_ratio"] <= row["energy_total_p50_ratio"] <= row["energy_total_p90_ratio"]
    assert row["energy_total_verdict"] == "less"


def test_the_baseline_against_itself_claims_nothing(runs, priced):
    row = rows_of(runs, priced, "sgp-skewed")[0]
    assert row["energy_total_verdict"] == "baseline"
    assert row["energy_total_ratio"] == 1.0


def test_a_difference_whose_sign_changes_is_not_distinguishable(runs, priced):
    dense, sparse = priced[0], priced[1]
    flips = np.where(np.arange(dense.samples) % 4 == 0, 1.5, 0.9)[:, None]
    shaky = dataclasses.replace(sparse, draws={q: d * flips for q, d in dense.draws.items()})
    row = rows_of(runs, [dense, shaky], "sparse-push-skewed")[0]
    assert row["energy_total_verdict"] == "not distinguishable"
    assert row["energy_total_sign_share_percent"] < 90
    claims = " ".join(sentences(headline(runs[:2], [dense, shaky])))
    assert "not distinguishable" in claims
    assert "fewer joules" not in claims


def test_more_joules_are_called_more(runs, priced):
    dense, sparse = priced[0], priced[1]
    nodes = sparse.per_node.assign(total_j=2 * dense.per_node["total_j"])
    dear = dataclasses.replace(sparse, per_node=nodes, draws={q: 2 * d for q, d in dense.draws.items()})
    cost = headline(runs[:2], [dense, dear])[1]["costs"][0]
    assert cost["energy_total_verdict"] == "more"
    assert energy_claim(cost) == "2.00× more joules on phone · wifi (p10–p90 2.00–2.00)"


def test_a_run_without_a_priced_baseline_is_not_compared(runs, priced):
    row = rows_of(runs, [priced[1]], "sparse-push-skewed")[0]
    assert row["energy_total_ratio"] is None
    assert "not priced" in row["energy_total_verdict"]


def test_no_saving_without_its_accuracy(runs, priced):
    for row in compare(runs, priced):
        assert (
            row["test_accuracy_min_percent"] < row["test_accuracy_percent"] < row["test_accuracy_max_percent"]
        )
        assert row["average_model_test_accuracy_percent"] > row["test_accuracy_percent"]
    for sentence in sentences(headline(runs, priced)):
        assert "test accuracy" in sentence
        assert "points below sgp-skewed" in sentence


def test_headline_rows(runs, priced):
    rows = headline(runs, priced)
    assert [row["name"] for row in rows] == [run.name for run in runs]
    assert [row["is_baseline"] for row in rows] == [True, False, False]
    assert rows[0]["sent_per_device_bits"] == 400 * fabricated.DENSE_BYTES * 8
    assert [cost["radio"] for cost in rows[1]["costs"]] == list(fabricated.RADIOS)


def test_a_single_run_has_a_sentence_too(runs, priced):
    (sentence,) = sentences(headline(runs[1:2], [priced[1]]))
    assert "sends 49.9\u00a0Mbit and spends" in sentence
    (unpriced,) = sentences(headline(runs[1:2], []))
    assert "sends 49.9\u00a0Mbit, at 35.1 % test accuracy" in unpriced


def test_the_opening_stays_short_with_many_runs_and_radios(runs, priced):
    rows = headline(runs, priced)
    crowd = [rows[0], *[{**rows[1], "name": f"run {i}", "costs": rows[1]["costs"] * 2} for i in range(9)]]
    told = sentences(crowd)
    assert len(told) == 4
    assert told[-1] == "The table has 6 more."
    assert "between 1.02× fewer joules on phone · wifi" in told[0]
    assert told[0].count("joules on") == 2  # the least and the most saving


def test_a_run_that_sends_nothing_or_as_much_is_worded_so(runs, priced):
    dense, sparse = headline(runs[:2], [])
    assert "sends nothing, unlike sgp-skewed" in sentences([dense, {**sparse, "sent_bits_ratio": None}])[0]
    assert "sends as many bits as sgp-skewed" in sentences([dense, {**sparse, "sent_bits_ratio": 1.0}])[0]
