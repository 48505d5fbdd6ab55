"""Comparisons between runs: how many times fewer bits and joules than the run that sends most a round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from costbench.errors import UsageError
from costbench.ledger import exact_sum, message_bits
from costbench.pricing.uncertainty import paired_ratio
from costbench.reporting.accuracy import Accuracy, final_accuracy
from costbench.runstore import Run

if TYPE_CHECKING:
    from costbench.pricing.priced import Priced

#: column prefix -> the draws of a priced run that it compares
QUANTITIES = {
    "energy_total": "total_j",
    "energy_above_idle": "above_idle_j",
    "energy_communication": "communication_j",
    "elapsed": "time_s",
}
BASELINE, LESS, MORE = "baseline", "less", "more"
UNCLEAR = "not distinguishable"
NO_BASELINE = "the baseline is not priced on this radio"


def sent_bits_per_device(run: Run) -> float:
    """Bits that a device sent in the whole run, mean over devices [bit]."""
    return exact_sum(message_bits(run.ledger.messages)) / run.nodes


def baseline_of(runs: Sequence[Run]) -> Run:
    """The run whose devices send most bits a round; the first of them on a tie.

    A round and not the whole run, so that a compressed run with dense rounds at its end is never taken for
    the uncompressed one.
    """
    if not runs:
        raise UsageError("nothing to compare: give at least one run")
    return max(runs, key=lambda run: sent_bits_per_device(run) / run.rounds)


def radios_of(priced: Sequence[Priced]) -> list[tuple[str, str]]:
    """The pairs (profile, radio) of prices, each once, in order."""
    return list(dict.fromkeys((price.profile, price.radio) for price in priced))


def price_of(priced: Sequence[Priced], run: Run, profile: str, radio: str) -> Priced | None:
    """The price of a run on one device and radio, if there is one."""
    wanted = (run.run_id, profile, radio)
    matches = (price for price in priced if (price.run_id, price.profile, price.radio) == wanted)
    return next(matches, None)


def compare(runs: Sequence[Run], priced: Sequence[Priced]) -> list[dict[str, Any]]:
    """Each run against the one that sends most a round, on each device and radio.

    Parameters
    ----------
    runs : the runs to compare
    priced : their prices; those of other runs are not looked at

    Returns
    -------
    One dict a run and (profile, radio), as documented for compare.csv. A ratio is baseline / run [1], so
    2 means half the bits or joules. A `_verdict` is "less" or "more" only where the paired difference
    keeps its sign in enough draws, else "not distinguishable".
    """
    baseline = baseline_of(runs)
    accuracies = {run.run_id: final_accuracy(run) for run in runs}
    ratios = {run.run_id: bits_ratio(baseline, run) for run in runs}
    return [
        {
            **_identity(run, baseline, price),
            "sent_bits_ratio": ratios[run.run_id],
            **_energy_columns(price_of(priced, baseline, profile, radio), price),
            **_accuracy_columns(accuracies[run.run_id], accuracies[baseline.run_id]),
        }
        for profile, radio in radios_of(priced)
        for run in runs
        if (price := price_of(priced, run, profile, radio)) is not None
    ]


def bits_ratio(baseline: Run, run: Run) -> float | None:
    """How many times fewer bits a device of `run` sends [1]; None if it sends none."""
    bits = sent_bits_per_device(run)
    return sent_bits_per_device(baseline) / bits if bits else None


def _identity(run: Run, baseline: Run, price: Priced) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "name": run.name,
        "baseline_run_id": baseline.run_id,
        "baseline_name": baseline.name,
        "profile": price.profile,
        "radio": price.radio,
        "tier": price.tier,
    }


def _energy_columns(baseline: Priced | None, price: Priced) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for prefix, quantity in QUANTITIES.items():
        columns.update(_quantity_columns(prefix, quantity, baseline, price))
    return columns


def _quantity_columns(prefix: str, quantity: str, baseline: Priced | None, price: Priced) -> dict[str, Any]:
    names = [f"{prefix}_{part}" for part in ("ratio", "p10_ratio", "p50_ratio", "p90_ratio")]
    share, verdict = f"{prefix}_sign_share_percent", f"{prefix}_verdict"
    if baseline is None:
        return {**dict.fromkeys([*names, share]), verdict: NO_BASELINE}
    if baseline.run_id == price.run_id:
        return {**dict.fromkeys(names, 1.0), share: None, verdict: BASELINE}
    *ratios, sign_share, distinguishable = paired_ratio(baseline, price, quantity)
    claim = LESS if ratios[0] > 1 else MORE
    return {
        **{name: finite_ratio(ratio) for name, ratio in zip(names, ratios, strict=True)},
        share: 100 * float(sign_share),
        verdict: claim if distinguishable else UNCLEAR,
    }


def finite_ratio(ratio: float) -> float | None:
    """A ratio, or None where the run costs nothing and there is no ratio to give."""
    return float(ratio) if abs(ratio) < float("inf") else None


def _accuracy_columns(accuracy: Accuracy, of_baseline: Accuracy) -> dict[str, float | None]:
    return {
        **accuracy_percent(accuracy),
        "baseline_test_accuracy_percent": _percent(of_baseline.mean),
    }


def accuracy_percent(accuracy: Accuracy) -> dict[str, float | None]:
    """The four figures of an accuracy under the names they have in every table [%]."""
    return {
        "test_accuracy_percent": _percent(accuracy.mean),
        "test_accuracy_min_percent": _percent(accuracy.low),
        "test_accuracy_max_percent": _percent(accuracy.high),
        "average_model_test_accuracy_percent": _percent(accuracy.average_model),
    }


def _percent(fraction: float | None) -> float | None:
    return None if fraction is None else 100 * fraction
