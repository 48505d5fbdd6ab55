"""Traced: every number that a price used, with its range, its source and where it stands."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from costbench.pricing.fleet import Fleet
from costbench.pricing.sensitivity import variance_shares
from costbench.sourced import Sourced


class TracedInput(NamedTuple):
    """A number that a price used; `share` of the spread of the fleet's joules [1], None where unknown."""

    profile: str
    key: str
    nominal: float
    low: float
    high: float
    unit: str
    kind: str
    source: str
    place: str
    share: float | None

    @property
    def name(self) -> str:
        """Profile and dotted key."""
        return f"{self.profile}: {self.key}"

    def to_json(self) -> dict[str, Any]:
        """The fields by name."""
        return self._asdict()


def traced_inputs(fleet: Fleet, energy: np.ndarray) -> list[TracedInput]:
    """The numbers that were asked for, those that the spread comes from first.

    Parameters
    ----------
    fleet : the devices and their surroundings, after pricing
    energy : [S], draws of the fleet's energy, without the nominal row [J]

    Returns
    -------
    One entry a number and profile, by share and then by key
    """
    every = (*fleet.draws, *((fleet.surroundings,) if fleet.surroundings else ()))
    used = {draws.described.id: draws for draws in every}
    drawn = {f"{name}: {key}": draws.drawn(key) for name, draws in used.items() for key in draws.varying()}
    shares = variance_shares(energy, drawn)
    of_input = None if shares is None else {one.key: one.share for one in shares}
    entries = [
        _entry(name, key, number, places.get(key, ""), of_input)
        for name, draws in used.items()
        for places in [draws.described.places()]
        for key, number in draws.asked().items()
    ]
    return sorted(entries, key=lambda entry: (-(entry.share or 0.0), entry.profile, entry.key))


def _entry(name: str, key: str, number: Sourced, place: str, shares: dict[str, float] | None) -> TracedInput:
    share = None if shares is None else shares.get(f"{name}: {key}", 0.0)
    stated = (number.value, number.low, number.high, number.unit, number.kind, number.source)
    return TracedInput(name, key, *stated, place, share)
