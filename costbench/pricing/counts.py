"""Counts: what pricing needs of a run, as two data frames of its ledger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from costbench.errors import UsageError
from costbench.ledger import BIT_COLUMNS, DEVICE_PHASES, PHASES

if TYPE_CHECKING:
    from costbench.runstore import Run


@dataclass(frozen=True)
class Counts:
    """The counts of one run.

    Attributes
    ----------
    run_id, name : identity of the run
    nodes, rounds : how many there are [1]
    messages : one row a message, columns of the ledger's table `messages`
    compute : counts for each round of a range, columns of the ledger's table `compute`
    positions_m : places of the nodes [N, 2], [m]; None where the graph has none
    parameters : entries of one model [1]; None where unknown
    batch : samples of a training step [1]; None where unknown
    """

    run_id: str
    name: str
    nodes: int
    rounds: int
    messages: pd.DataFrame
    compute: pd.DataFrame
    positions_m: np.ndarray | None = None
    parameters: int | None = None
    batch: int | None = None


def counts_of(run: Run) -> Counts:
    """The counts of a sealed run.

    Parameters
    ----------
    run : a run of the run store

    Returns
    -------
    Its identity and its tables of messages and compute
    """
    ledger, record = run.ledger, run.record
    places = record.get("positions_m")
    return Counts(
        run.run_id,
        run.name,
        run.nodes,
        run.rounds,
        ledger.messages.to_pandas(),
        ledger.compute.to_pandas(),
        None if places is None else np.array(places, dtype=float),
        record["parameters"],
        record["spec"]["task"]["batch"],
    )


def payload_bits(messages: pd.DataFrame) -> np.ndarray:
    """Bits that each message hands to the transport.

    Parameters
    ----------
    messages : table of messages [M rows]

    Returns
    -------
    int64 [M], [bit]: values, indices, side information, padding and header together
    """
    return messages[list(BIT_COLUMNS)].to_numpy(dtype=np.int64).sum(axis=1)


def split_phases(compute: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The rows that are a device's cost, and the phases that are ignored by name.

    Parameters
    ----------
    compute : table of compute [rows]

    Returns
    -------
    device rows : those of forward, backward, optimizer, compress and mix
    ignored : names of the phases left out that occur in the table: "evaluate" or nothing

    Raises
    ------
    UsageError : a phase that no profile can price
    """
    phases = [str(phase) for phase in compute["phase"].unique()]
    unknown = sorted(set(phases) - set(PHASES))
    if unknown:
        raise UsageError(f"cannot price the phase {unknown[0]!r}: known are {', '.join(PHASES)}")
    device = compute[compute["phase"].isin(DEVICE_PHASES)]
    return device, sorted(set(phases) - set(DEVICE_PHASES))
