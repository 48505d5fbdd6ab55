"""Price runs for the profiles and radios named on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from costbench.errors import UsageError
from costbench.pricing.counts import counts_of
from costbench.pricing.price import Priced, price
from costbench.profile import HardwareProfile, list_profiles, load_profile
from costbench.runstore import RunStore


@dataclass(frozen=True)
class Target:
    """A profile, and one of its radios (None: its first)."""

    profile: HardwareProfile
    radio: str | None


def parse_targets(text: str) -> list[Target]:
    """P[/RADIO],... with P the id of a profile or a path to one."""
    items = [item.strip() for item in text.split(",")]
    if not all(items):
        raise UsageError(f"--profile {text}: an empty profile between commas")
    return [_target(item) for item in items]


def _target(item: str) -> Target:
    profile, slash, radio = item.rpartition("/")
    if not slash or item in list_profiles() or Path(item).is_file():
        return Target(load_profile(item), None)
    return Target(load_profile(profile), radio)


def price_runs(references: Sequence[str], targets: str, samples: int, runs: Path) -> list[Priced]:
    """Every run for every target, in the order given: runs outermost."""
    parsed = parse_targets(targets)
    store = RunStore(runs)
    every = [counts_of(store.find(reference)) for reference in references]
    return [price(counts, target.profile, target.radio, samples) for counts in every for target in parsed]


def price_document(priced: Sequence[Priced]) -> dict[str, Any]:
    """The JSON document of `costbench price --json`."""
    return {
        "schema": 1,
        "boundary": priced[0].boundary,
        "samples": priced[0].samples,
        "runs": [one.to_json() for one in priced],
    }


def price_frame(priced: Sequence[Priced]) -> pd.DataFrame:
    """One row a run, target and node."""
    return pd.concat(
        [
            one.per_node.assign(run_id=one.run_id, profile=one.profile, radio=one.radio, tier=one.tier)
            for one in priced
        ]
    )
