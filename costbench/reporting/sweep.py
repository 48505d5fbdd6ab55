"""What the runs of a suite reached, variant by variant: mean and spread over seeds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean, stdev

from costbench.ledger import exact_sum, message_bits
from costbench.reporting.summary import final_metrics, last_fleet
from costbench.runstore import Run
from costbench.spec.suite import Suite


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation over seeds; None where a seed has no figure, or there is but one."""

    mean: float | None
    sd: float | None

    @classmethod
    def of(cls, figures: Sequence[float | None]) -> Spread:
        known = [figure for figure in figures if figure is not None]
        if len(known) < len(figures) or not known:
            return cls(None, None)
        return cls(mean(known), stdev(known) if len(known) > 1 else None)


@dataclass(frozen=True)
class Variant:
    """One variant of a suite.

    Attributes
    ----------
    name, seeds : which, and number of runs
    nodes : n of its first run; None where it has no run
    quality : metric of the nodes after the last round, mean over nodes
    of_mean : the same metric of the model with the mean of all nodes' parameters
    loss : test loss, mean over nodes
    sent_bits : by a device, mean over devices [bit]
    rounds_to_target : None where a seed does not reach it
    """

    name: str
    seeds: int
    nodes: int | None
    quality: Spread
    of_mean: Spread
    loss: Spread
    sent_bits: Spread
    rounds_to_target: Spread


def quality_metric(run: Run) -> str:
    """Which metric says how well a run learned: test_auc or test_accuracy."""
    return next(iter(final_metrics(run.ledger)))


def variants(suite: Suite, runs: Iterable[tuple[str, Run]]) -> list[Variant]:
    """One row a variant, in the order of the suite; runs that are not there are left out of its figures."""
    by_name: dict[str, list[Run]] = {name: [] for name in suite.variants}
    for name, run in runs:
        by_name[name].append(run)
    return [_variant(suite, name, same) for name, same in by_name.items()]


def _variant(suite: Suite, name: str, runs: list[Run]) -> Variant:
    def final(metric: str, split: str = "test") -> Spread:
        return Spread.of([last_fleet(run.ledger, split, metric) for run in runs])

    metric = quality_metric(runs[0]) if runs else "test_accuracy"
    return Variant(
        name=name,
        seeds=len(runs),
        nodes=runs[0].nodes if runs else None,
        quality=final(metric),
        of_mean=final(metric, "test-of-mean"),
        loss=final("test_loss"),
        sent_bits=Spread.of([exact_sum(message_bits(run.ledger.messages)) / run.nodes for run in runs]),
        rounds_to_target=Spread.of([rounds_to_target(suite, run) for run in runs]),
    )


@dataclass(frozen=True)
class SpeedUp:
    """The law rounds = c n^a, with the half-width of the 95 % interval of a; a = -1 is a linear speed-up."""

    factor: float
    exponent: float
    half_width: float


def speed_up(suite: Suite, runs: Iterable[tuple[str, Run]]) -> SpeedUp | None:
    """Least squares of log rounds to the target on log n over all seeds, of a suite that varies n.

    None where the suite has no target, two variants share their n, fewer than three variants are there, or
    a seed does not reach the target after at least one round.
    """
    reached = [(name, run.nodes, rounds_to_target(suite, run)) for name, run in runs]
    nodes_of = {name: n for name, n, _ in reached}
    if len(nodes_of) < 3 or len(set(nodes_of.values())) < len(nodes_of):
        return None
    log_rounds = [math.log(rounds) for _, _, rounds in reached if rounds]
    if len(log_rounds) < len(reached):
        return None
    from scipy import stats

    line = stats.linregress([math.log(n) for _, n, _ in reached], log_rounds)
    quantile = stats.t.ppf(0.975, len(reached) - 2)
    return SpeedUp(math.exp(line.intercept), float(line.slope), float(quantile * line.stderr))


def rounds_to_target(suite: Suite, run: Run) -> float | None:
    """Rounds after which the fleet's metric passes the target, linear between evaluations; None if never."""
    if suite.target is None:
        return None
    metric, reached = suite.target.metric, suite.target.reached
    rows = run.ledger.metrics.to_pandas()
    rows = rows[(rows["metric"] == metric) & (rows["split"] == "test") & rows["node"].isna()]
    curve = sorted(zip(rows["round"], rows["value"], strict=True))
    sign = -1.0 if metric == "test_loss" else 1.0
    if curve and sign * curve[0][1] >= sign * reached:
        return float(curve[0][0])
    for (before, low), (after, high) in pairwise(curve):
        if sign * high >= sign * reached:
            return float(before + (after - before) * (reached - low) / (high - low))
    return None
