"""`costbench reproduce`: published cost figures beside ours, as a table and its rules in words."""

from __future__ import annotations

import time

from costbench.cli.bars import Bars
from costbench.cli.outcome import print_json
from costbench.cli.printing import console, table
from costbench.reproduction import Claim, Reproduction, reproduce

PATIENCE_S = 2.0
"""Seconds without a line about the progress."""

COLUMNS = ("figure", "printed", "computed", "agrees", "encoded", "confidence")
LEGEND = (
    "computed: by the rule below. encoded: the same with messages as costbench encodes them, header and side "
    "numbers included, of a length that no data changes."
)


def print_reproduction(name: str, as_json: bool) -> None:
    """Compute and print the claims of a paper."""
    reproduction = _with_progress(name)
    if as_json:
        print_json(reproduction.to_json())
        return
    out = console()
    out.print(table(reproduction.title, COLUMNS, map(_row, reproduction.claims)))
    out.print(LEGEND)
    for claim in reproduction.claims:
        out.print(f"{claim.id}: {claim.rule}{_shortest(claim)}")


def _with_progress(name: str) -> Reproduction:
    begun = time.perf_counter()
    with Bars(quiet=False) as bars:
        line = bars.line("computing", "figures")

        def progress(done: int, of: int) -> None:
            if time.perf_counter() - begun > PATIENCE_S:
                line(done, of)

        return reproduce(name, progress)


def _row(claim: Claim) -> list[str]:
    return [
        claim.id,
        "-" if claim.printed is None else claim.printed,
        figure(claim.computed),
        {True: "yes", False: "no", None: "-"}[claim.agrees],
        figure(claim.encoded),
        claim.confidence,
    ]


def _shortest(claim: Claim) -> str:
    """What depends on the data, where it differs."""
    if claim.encoded_auto == claim.encoded:
        return ""
    shortest = figure(claim.encoded_auto)
    return f"; encoded with the shortest codec for the first message, which depends on the data: {shortest}"


def figure(number: float | None) -> str:
    """Four decimals below 10, two below 1,000, whole numbers above."""
    if number is None:
        return "-"
    decimals = 4 if number < 10 else 2 if number < 1000 else 0
    return f"{number:,.{decimals}f}"
