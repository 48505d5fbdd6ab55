"""How well a run has learned, for printing beside what it cost."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import pandas as pd

from costbench.ledger import exact_sum_by, message_bits
from costbench.reporting.summary import finite
from costbench.runstore import Run

METRIC = "test_accuracy"
ACCURACY_PARTS = ("mean", "low", "high", "average_model")


@dataclass(frozen=True)
class Accuracy:
    """Test accuracy at the last evaluation [fraction]; None where it was not evaluated.

    `low` and `high` are the worst and the best node; `average_model` is the accuracy of the model whose
    parameters are the mean over all nodes, which no single device holds.
    """

    mean: float | None
    low: float | None
    high: float | None
    average_model: float | None


def final_accuracy(run: Run) -> Accuracy:
    """Accuracy at the run's last evaluation."""
    scores = _scores(run)
    if scores.empty:
        return Accuracy(None, None, None, None)
    last = scores.iloc[-1]
    return Accuracy(*(finite(last[name]) for name in ACCURACY_PARTS))


def accuracy_curve(run: Run) -> pd.DataFrame:
    """Accuracy at every evaluation.

    Returns
    -------
    DataFrame ordered by round, with columns round (how many were over), sent_bits (by a device in them, mean
    over devices [bit]), mean, low, high (over nodes) and average_model [fraction].
    """
    curve, sent = _scores(run), cumulative_bits_per_device(run)
    curve["sent_bits"] = [sent[int(when)] for when in curve.index]
    return curve.rename_axis("round").reset_index()[["round", "sent_bits", *ACCURACY_PARTS]]


def loss_curve(run: Run) -> pd.DataFrame:
    """Mean training loss of the nodes' batches in every round with a step: columns round, train_loss."""
    rows = run.ledger.metrics.to_pandas()
    of_fleet = (rows["metric"] == "train_loss") & (rows["split"] == "train") & rows["node"].isna()
    curve = rows[of_fleet].rename(columns={"value": "train_loss"}).sort_values("round")
    return curve[["round", "train_loss"]].reset_index(drop=True)


def _scores(run: Run) -> pd.DataFrame:
    """The four accuracies [fraction] at every evaluation, by round."""
    rows = run.ledger.metrics.to_pandas()
    rows = rows[rows["metric"] == METRIC]
    on_test, of_nodes = rows["split"] == "test", rows["node"].notna()
    nodes = rows[on_test & of_nodes].groupby("round")["value"].agg(["mean", "min", "max"])
    fleet = rows[on_test & ~of_nodes].groupby("round")["value"].last()
    average = rows[rows["split"] == "test-of-mean"].groupby("round")["value"].last()
    return pd.DataFrame(
        {
            "mean": fleet.combine_first(nodes["mean"]),
            "low": nodes["min"],
            "high": nodes["max"],
            "average_model": average,
        },
        dtype=float,
    ).sort_index()


def cumulative_bits_per_device(run: Run) -> list[float]:
    """Bits that a device has sent, mean over devices, after 0, 1, ... all rounds [rounds + 1]."""
    messages = run.ledger.messages
    per_round = exact_sum_by(messages["round"].to_numpy(), message_bits(messages), run.rounds)
    return [total / run.nodes for total in accumulate(per_round, initial=0)]


def peak_bytes(run: Run) -> int | None:
    """The largest peak memory of any node [byte]; None where it was not measured."""
    memory = run.ledger.memory
    is_peak = np.asarray(memory["category"].to_pylist(), dtype=object) == "peak"
    return int(memory["bytes"].to_numpy()[is_peak].max()) if is_peak.any() else None
