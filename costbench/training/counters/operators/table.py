"""The one table of formulas, and the FLOP of a call by it."""

from __future__ import annotations

from collections.abc import Iterator

from costbench.training.counters.operators import (
    attention,
    elementwise,
    embedding,
    losses,
    normalising,
    optimizers,
    pooling,
    products,
    recurrent,
    reductions,
)
from costbench.training.counters.operators.call import Call, Formula, name_of
from costbench.training.counters.operators.moving import MOVES, runs_nothing

FAMILIES = {
    "Matrix products and convolutions": products,
    "Attention": attention,
    "Recurrent layers": recurrent,
    "Embeddings": embedding,
    "Normalisation and softmax": normalising,
    "Pooling and resampling": pooling,
    "Losses": losses,
    "Reductions, scans, selections, draws": reductions,
    "Optimizer steps": optimizers,
    "Lists of tensors": elementwise,
}
FORMULAS: dict[str, Formula] = {
    name: formula for family in FAMILIES.values() for formula in family.FORMULAS for name in formula.names
}


def flop(call: Call) -> int | None:
    """FLOP of one call, or None where the operator, or this use of it, is unknown."""
    name = name_of(call.operator)
    if runs_nothing(call.operator) or name in MOVES:
        return 0
    if name in FORMULAS:
        return FORMULAS[name].flop(call)
    return elementwise.elementwise(call)


def markdown() -> Iterator[str]:
    """The table, line by line: operators, FLOP, source; one part a family."""
    for title, family in FAMILIES.items():
        yield f"### {title}\n"
        yield "| operators | FLOP | source |"
        yield "|---|---|---|"
        for formula in family.FORMULAS:
            names = " ".join(f"`{name}`" for name in formula.names)
            yield f"| {names} | {formula.says} | {formula.source} |"
        yield ""
