"""Traffic: what each node sends and receives in a round of each kind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from costbench.pricing.rounds import RoundKinds, per_kind_and_node


@dataclass(frozen=True)
class Traffic:
    """Amounts of a round of each kind, U kinds and N nodes.

    Attributes
    ----------
    sent, received : float [U, N], such as bits or seconds of what a node sends and of what reaches it
    active : bool [U, N], whether it sends or receives anything
    """

    sent: np.ndarray
    received: np.ndarray
    active: np.ndarray

    def over_run(self, kinds: RoundKinds) -> tuple[np.ndarray, np.ndarray]:
        """Amounts sent and received over the run, each [N]."""
        return np.asarray(kinds.repeats @ self.sent), np.asarray(kinds.repeats @ self.received)


def traffic_of(kinds: RoundKinds, amounts: np.ndarray, arrives: np.ndarray) -> Traffic:
    """Add the amounts of messages up by sender and receiver.

    Parameters
    ----------
    kinds : kinds of round with their messages
    amounts : [M], of each message, any unit
    arrives : bool [M], whether the message reaches its receiver

    Returns
    -------
    Traffic in the unit of the amounts; a message of no bits takes part in nothing
    """
    rows = kinds.messages

    def summed(each: np.ndarray, node: np.ndarray) -> np.ndarray:
        return per_kind_and_node(each.astype(np.float64), rows.round_kind, node, kinds.kinds, kinds.nodes)

    carries = rows.bits > 0
    taking_part = summed(carries, rows.sender) + summed(carries & rows.delivered, rows.receiver)
    return Traffic(summed(amounts, rows.sender), summed(amounts * arrives, rows.receiver), taking_part > 0)
