"""Why a price is what it is, in words: dominating terms, waiting, and what the spread comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from costbench.reporting.numerals import percentage
from costbench.units import unit_after

if TYPE_CHECKING:
    from costbench.pricing.priced import Priced
    from costbench.pricing.traced import TracedInput

#: a sentence names inputs until they make up half of the spread, and so many at most
HALF, MOST_INPUTS = 0.5, 3
#: below this share of the energy nobody needs to hear of waiting [1]
WORTH_TELLING = 0.05


def cause_sentences(priced: Sequence[Priced]) -> list[str]:
    """What dominates each price and what to measure, a sentence a run, device and radio."""
    return [_sentence(price) for price in priced if price.per_node["total_j"].any()]


def _sentence(price: Priced) -> str:
    term, share = price.dominant_term()
    words = f"{price.name} on {price.profile} · {price.radio}: {percentage(100 * share)} of the joules are "
    words += term.replace("_", " ")
    waiting = price.per_node["waiting_j"].sum() / price.per_node["total_j"].sum()
    if term != "waiting" and waiting >= WORTH_TELLING:
        words += f", {percentage(100 * waiting)} are waiting"
    mixed = len(set(price.per_node["device"])) > 1
    if mixed:
        node = price.bottleneck()
        words += f"; the others wait for node {node} ({price.per_node['device'].iloc[node]})"
    return " ".join(filter(None, (f"{words}.", _spread(price.shares, mixed), _skew(price))))


def _skew(price: Priced) -> str:
    side = price.nominal_outside()
    return f"The nominal energy is {side}, for ranges of its inputs are one-sided." if side else ""


def _spread(shares: Sequence[TracedInput], mixed: bool) -> str:
    named: list[TracedInput] = []
    for entry in shares[:MOST_INPUTS]:
        named.append(entry)
        if sum(one.share or 0.0 for one in named) >= HALF:
            break
    if not named:
        return ""
    part = percentage(100 * sum(entry.share or 0.0 for entry in named))
    keys = " and ".join(f"{entry.name if mixed else entry.key} ({_range(entry)})" for entry in named)
    verb = "come" if len(named) > 1 else "comes"
    return f"{part} of the spread {verb} from {keys}: measure that first."


def _range(entry: TracedInput) -> str:
    return f"{entry.low:g} to {entry.high:g}{unit_after(entry.unit)}, {entry.kind}"
