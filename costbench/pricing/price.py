"""Price a run's counts for one device and one of its radios."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from costbench.errors import UsageError
from costbench.pricing.compute import TIER, compute_time
from costbench.pricing.counts import Counts, split_phases
from costbench.pricing.gaps import Gaps, find_gaps
from costbench.pricing.priced import Priced, per_node_table, terms_table
from costbench.pricing.radio import cellular, wifi
from costbench.pricing.radio.exchange import Exchange
from costbench.pricing.rounds import RoundKinds, group_rounds
from costbench.pricing.terms import COMMUNICATION_TERMS, IDLE_TERMS, TERMS, TermSums, term_sums
from costbench.pricing.timeline import Timeline, run_timeline
from costbench.pricing.uncertainty import Draws, chunks
from costbench.profile import CellularRadio, HardwareProfile, WifiRadio

BOUNDARY = "device"


@dataclass(frozen=True)
class _Part:
    """What some of the draws give: sums of terms [s rows, N] and the clock."""

    sums: TermSums
    timeline: Timeline


def price(
    counts: Counts, profile: HardwareProfile, radio: str | None = None, samples: int = 1000, seed: int = 0
) -> Priced:
    """What a run costs every device.

    All nodes are devices of the same profile with the same radio. Rounds are synchronised by a barrier.

    Parameters
    ----------
    counts : the run
    profile : the device
    radio : id of one of its radios; None for its first
    samples : number of draws, at least 1 [1]
    seed : of the draws; runs priced with the same seed on the same profile share their draws [1]

    Returns
    -------
    Energies [J] and times [s] by node and term, nominal and as percentiles of the draws

    Raises
    ------
    UsageError : a radio that the profile does not have, a phase that it cannot price, no samples
    """
    radio = radio or profile.default_radio
    if radio not in profile.radios:
        known = ", ".join(profile.radios)
        raise UsageError(f"profile {profile.id} has no radio {radio!r}: it has {known}")
    kinds = group_rounds(counts)
    draws = Draws(profile, samples, seed)
    gaps = _gaps(kinds, profile, radio, seed)
    cells = _cells(kinds, gaps)
    parts = [
        _price_part(kinds, gaps, profile, radio, draws.part(rows)) for rows in chunks(samples + 1, cells)
    ]
    return _assembled(counts, profile, radio, draws, parts)


def _exchange(kinds: RoundKinds, profile: HardwareProfile, radio: str, draws: Draws) -> Exchange:
    found, key = profile.radios[radio], f"radios.{radio}"
    if isinstance(found, WifiRadio):
        return wifi.exchange(kinds, found, draws, key)
    if isinstance(found, CellularRadio):
        return cellular.exchange(kinds, found, draws, key)
    raise UsageError(f"profile {profile.id}: no model prices the radio {radio!r}")


def _gaps(kinds: RoundKinds, profile: HardwareProfile, radio: str, seed: int) -> Gaps:
    """Silences between transfers: the same in every draw, so the nominal row tells them."""
    nominal = Draws(profile, 1, seed).part(slice(0, 1))
    exchange = _exchange(kinds, profile, radio, nominal)
    return find_gaps(kinds, exchange.active, exchange.shared)


def _cells(kinds: RoundKinds, gaps: Gaps) -> int:
    """Array cells that one draw needs [1]."""
    rounds = 0 if gaps.adjacent else len(kinds.kind_of_round)
    return max(
        max(kinds.kinds, len(gaps.kind)) * kinds.nodes, len(kinds.compute.node), rounds, len(gaps.node)
    )


def _price_part(kinds: RoundKinds, gaps: Gaps, profile: HardwareProfile, radio: str, draws: Draws) -> _Part:
    exchange = _exchange(kinds, profile, radio, draws)
    timeline = run_timeline(kinds, compute_time(kinds, draws), exchange, gaps)
    powers = {"idle_power": draws("idle.power"), "train_power": draws("compute.train_power")}
    return _Part(term_sums(timeline, exchange, **powers), timeline)


def _assembled(
    counts: Counts, profile: HardwareProfile, radio: str, draws: Draws, parts: list[_Part]
) -> Priced:
    joules, seconds = (
        {term: np.concatenate([getattr(part.sums, what)[term] for part in parts]) for term in TERMS}
        for what in ("joules", "seconds")
    )
    sums = TermSums(joules, seconds)
    above_idle = tuple(term for term in TERMS if term not in IDLE_TERMS)
    elapsed = np.concatenate([part.timeline.total for part in parts])
    quantities = {
        "total_j": sums.total(),
        "above_idle_j": sums.total(above_idle),
        "communication_j": sums.total(COMMUNICATION_TERMS),
        "time_s": np.repeat(elapsed[:, None], counts.nodes, axis=1),
    }
    clock = {name: _nominal_row(parts, name) for name in ("compute", "communicate")}
    return Priced(
        run_id=counts.run_id,
        name=counts.name,
        profile=profile.id,
        radio=radio,
        tier=TIER,
        boundary=BOUNDARY,
        samples=draws.samples,
        terms=terms_table(sums, counts.rounds),
        per_node=per_node_table(sums, quantities, clock, draws),
        draws={name: drawn[1:] for name, drawn in quantities.items()},
        assumed_inputs=draws.assumed(),
        sources=draws.sources(),
        ignored_actions=split_phases(counts.compute)[1],
    )


def _nominal_row(parts: list[_Part], name: str) -> np.ndarray:
    """The nominal row of a time of the clock [N], [s]."""
    row: Any = getattr(parts[0].timeline, name)[0]
    return np.asarray(row)
