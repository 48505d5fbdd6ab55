"""What `costbench price` prints: a table a run, what dominates, and what the numbers rest on."""

from __future__ import annotations

from collections.abc import Sequence

from numpy import nanmax, nanmin, quantile

from costbench.cli.printing import console, table
from costbench.pricing.priced import Priced
from costbench.units import format_joules, format_seconds

COLUMNS = ["device", "tier", "energy", "p10 - p90", "above idle", "duration"]
#: inputs that are named as the reason of the spread [1]
MOST_INPUTS = 3


def print_prices(priced: Sequence[Priced]) -> None:
    """A table a run, then what each price rests on."""
    out = console()
    for run_id in dict.fromkeys(one.run_id for one in priced):
        of_run = [one for one in priced if one.run_id == run_id]
        title = f"{of_run[0].name} ({run_id}): mean cost of a node, boundary: {of_run[0].boundary}"
        out.print(table(title, COLUMNS, [_price_row(one) for one in of_run]))
        for one in of_run:
            out.print(_place(one) + ": " + "; ".join(_remarks(one)) + ".", soft_wrap=True)
    assumed = {(one.profile, key) for one in priced for key in one.assumed_inputs}
    ignored = sorted({action for one in priced for action in one.ignored_actions})
    out.print(f"assumed inputs: {len(assumed)} (`costbench profiles show` lists each with its range)")
    out.print(f"ignored actions: {', '.join(ignored) or 'none'}")


def _place(one: Priced) -> str:
    return f"{one.profile}/{one.radio}"


def _price_row(one: Priced) -> list[str]:
    nodes = one.per_node
    low, high = quantile(one.draws["total_j"].mean(axis=1), (0.1, 0.9))
    return [
        _place(one),
        one.tier,
        format_joules(nodes["total_j"].mean()),
        f"{format_joules(low)} - {format_joules(high)}",
        format_joules(nodes["above_idle_j"].mean()),
        format_seconds(nodes["total_s"].max()),
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.995 else "100 %"


def _remarks(one: Priced) -> list[str]:
    """Bottleneck, batteries, flight, carbon, the reasons of the spread, and notes."""
    nodes = one.per_node
    term, share = one.dominant_term()
    said = [f"{_percent(share)} of the joules are {term.replace('_', ' ')}"]
    if term != "waiting" and nodes["total_j"].any():
        said.append(f"{_percent(nodes['waiting_j'].sum() / nodes['total_j'].sum())} waiting")
    if side := one.nominal_outside():
        said.append(f"the nominal energy is {side}, for ranges of its inputs are one-sided")
    if nodes["device"].nunique() > 1:
        said.append(f"node {one.bottleneck()} ({nodes['device'].iloc[one.bottleneck()]}) is busy for longest")
    if not nodes["rounds_until_empty"].isna().all():
        percent, lasts = nanmax(nodes["battery_percent"]), nanmin(nodes["rounds_until_empty"])
        said.append(f"{percent:.3g} % of a battery, which lasts {lasts:,.4g} rounds")
    if not nodes["flight_time_lost_min"].isna().all():
        said.append(f"{nanmax(nodes['flight_time_lost_min']):.3g} min of flight lost to training")
    if not nodes["flight_carrying_min"].isna().all():
        said.append(
            f"{nanmax(nodes['flight_carrying_min']):.3g} min of every flight to carrying the computer"
        )
    if one.carbon_g:
        grams = one.carbon_g
        said.append(f"{grams['nominal']:.3g} g CO2e ({grams['p10']:.3g} - {grams['p90']:.3g}) for all nodes")
    if causes := one.shares[:MOST_INPUTS]:
        mixed = nodes["device"].nunique() > 1
        named = [f"{cause.name if mixed else cause.key} {_percent(cause.share or 0.0)}" for cause in causes]
        said.append(f"the spread comes from {', '.join(named)}")
    return [*said, *(note.rstrip(".") for note in one.notes)]
