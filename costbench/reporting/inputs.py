"""What dominates a price, and the numbers that it rests on, as rows of tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from costbench.pricing.priced import Priced

Row = dict[str, Any]


def cause_columns(price: Priced) -> Row:
    """The columns of cost.csv that say what dominates a price and what its spread comes from."""
    term, share = price.dominant_term()
    total, nodes = price.per_node["total_j"].sum(), price.per_node
    first = price.shares[0] if price.shares else None
    return {
        "dominant_term": term,
        "dominant_term_percent": 100 * share,
        "waiting_percent": 100 * nodes["waiting_j"].sum() / total if total else None,
        "bottleneck_node": price.bottleneck(),
        "bottleneck_device": str(nodes["device"].iloc[price.bottleneck()]),
        "spread_from": first.name if first else None,
        "spread_from_percent": 100 * (first.share or 0.0) if first else None,
    }


def input_rows(priced: Sequence[Priced]) -> Iterable[Row]:
    """The rows of inputs.csv: every number that a price used, where it stands and who states it."""
    for price in priced:
        for entry in price.inputs:
            yield {
                "run_id": price.run_id,
                "name": price.name,
                "priced_profile": price.profile,
                "radio": price.radio,
                "profile": entry.profile,
                "key": entry.key,
                "nominal": entry.nominal,
                **{name: getattr(entry, name) for name in ("low", "high", "unit", "kind")},
                "place": entry.place or None,
                "source": entry.source,
                "spread_percent": None if entry.share is None else 100 * entry.share,
            }
