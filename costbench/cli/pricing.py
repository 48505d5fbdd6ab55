"""Price runs for the devices named on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from costbench.cli.scenarios import Request
from costbench.cli.targets import parse_targets
from costbench.pricing.counts import counts_of
from costbench.pricing.price import price_fleet
from costbench.pricing.priced import Priced
from costbench.runstore import RunStore


def price_runs(references: Sequence[str], request: Request) -> list[Priced]:
    """Every run for every target, in the order given: runs outermost."""
    targets = parse_targets(request.profile)
    store = RunStore(request.runs)
    every = [counts_of(store.find(reference)) for reference in references]
    return [
        price_fleet(counts, target.devices(counts.nodes), request.samples, 0, request.scenario(counts))
        for counts in every
        for target in targets
    ]


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
