"""`costbench verify`: every run that was named is checked, also after one that is not intact."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from costbench.cli.outcome import note
from costbench.errors import CostbenchError
from costbench.runstore import RunStore, verify


def verify_runs(references: Sequence[str], runs: Path) -> None:
    """Say of each run whether it is intact; exits with the code of the first that is not."""
    store = RunStore(runs)
    codes = [code for reference in references if (code := _verified(store, reference))]
    if len(references) > 1:
        note(f"{len(references) - len(codes)} of {len(references)} runs are intact")
    if codes:
        raise typer.Exit(codes[0])


def _verified(store: RunStore, reference: str) -> int:
    """The exit code of one run, 0 where it is intact."""
    try:
        found = store.find(reference)
        verify(found)
    except CostbenchError as error:
        note(f"costbench: {error}")
        return error.exit_code
    typer.echo(f"{found.path}: intact, ledger {found.ledger_sha256[:12]}")
    return 0
