"""Grouping of rounds that are alike, so that each kind of round is priced once.

Two rounds are alike when the same nodes send the same messages and compute the same counts. A round is
recognised by the sum of the 64-bit hashes of its rows, which does not depend on their order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from costbench.pricing.counts import Counts, payload_bits, split_phases

_COMPUTE_KEYS = ["node", "phase", "dtype", "flop", "bytes_read", "bytes_written", "launches"]


@dataclass(frozen=True)
class ComputeRows:
    """One round of each kind of computing, one row a node, phase and dtype: arrays [C].

    `trains` marks the rows of the optimizer, of which there is one in a round with a training step.
    """

    compute_kind: np.ndarray
    node: np.ndarray
    flop: np.ndarray
    bytes_moved: np.ndarray
    launches: np.ndarray
    trains: np.ndarray


@dataclass(frozen=True)
class MessageRows:
    """Messages of one round of each kind: arrays [M]; `bits` is what the transport is handed.

    Rows of one round and sender with equal `content` carry the same bytes.
    """

    round_kind: np.ndarray
    sender: np.ndarray
    receiver: np.ndarray
    content: np.ndarray
    bits: np.ndarray
    delivered: np.ndarray

    def some(self, chosen: np.ndarray | slice) -> MessageRows:
        """Some of the messages, by their places."""
        return MessageRows(*(column[chosen] for column in vars(self).values()))

    def blocks(self, length: int) -> Iterator[MessageRows]:
        """The messages in parts of at least a length, whole rounds together; one part if there are none."""
        starts = np.flatnonzero(np.diff(self.round_kind, prepend=-1))
        cuts = starts[np.unique(np.searchsorted(starts, range(0, len(self.sender), length)))[:-1]]
        yield from (self.some(slice(*ends)) for ends in pairwise([0, *cuts[cuts > 0], len(self.sender)]))

    def first_of_contents(self, *apart: np.ndarray) -> np.ndarray:
        """Places of the first message of each round, sender and content, int; and of further columns [M]."""
        contents = np.stack([self.round_kind, self.sender, self.content, *apart], axis=1)
        return np.sort(np.unique(contents, axis=0, return_index=True)[1])


@dataclass(frozen=True)
class RoundKinds:
    """The kinds of round of a run.

    Attributes
    ----------
    nodes : number of nodes N [1]
    kind_of_round : kind of each round, int [R]
    repeats : rounds of each kind, int [U]
    compute_kind : kind of computing of each kind of round, int [U]; there are V of them, often one
    compute : what is computed in one round of each kind of computing
    messages : what is sent in one round of each kind
    """

    nodes: int
    kind_of_round: np.ndarray
    repeats: np.ndarray
    compute_kind: np.ndarray
    compute: ComputeRows
    messages: MessageRows

    @property
    def steps(self) -> np.ndarray:
        """Training steps of each node in a round of each kind of computing [V, N], 0 or 1 [1]."""
        rows = self.compute
        trained = np.zeros((self.compute_kinds, self.nodes))
        trained[rows.compute_kind[rows.trains], rows.node[rows.trains]] = 1.0
        return trained

    @property
    def kinds(self) -> int:
        """Number of kinds U [1]."""
        return len(self.repeats)

    @property
    def compute_kinds(self) -> int:
        """Number of kinds of computing V [1]."""
        return int(self.compute_kind.max(initial=-1)) + 1

    @property
    def compute_repeats(self) -> np.ndarray:
        """Rounds of each kind of computing [V], [1]."""
        return np.bincount(self.compute_kind, weights=self.repeats, minlength=self.compute_kinds)


def group_rounds(counts: Counts) -> RoundKinds:
    """Find the kinds of round of a run.

    Parameters
    ----------
    counts : the run; phases that are no device's cost are left out

    Returns
    -------
    Kinds in order of first appearance, with the rows of the first round of each kind

    Raises
    ------
    UsageError : a compute phase that cannot be priced
    """
    messages = _sorted(counts)
    compute, _ = split_phases(counts.compute)
    compute = _added_up(compute)
    computing = _compute_signature(compute, counts.rounds)
    compute_kind_of_round, first_computing = _kinds(computing)
    kind_of_round, first_round = _kinds(computing + _message_signature(messages, counts.rounds))
    return RoundKinds(
        counts.nodes,
        kind_of_round,
        np.bincount(kind_of_round, minlength=len(first_round)),
        compute_kind_of_round[first_round],
        _compute_rows(compute, first_computing),
        _message_rows(messages, first_round),
    )


def _sorted(counts: Counts) -> dict[str, np.ndarray]:
    """The columns of the messages that matter here, sorted by round, sender, receiver and content."""
    names = ("round", "sender", "receiver", "content", "delivered")
    columns = {name: counts.messages[name].to_numpy().astype(np.int64) for name in names}
    columns["bits"] = payload_bits(counts.messages)
    link = (columns["round"] * counts.nodes + columns["sender"]) * counts.nodes + columns["receiver"]
    by_link = (np.diff(link) > 0).all()
    if by_link:
        return columns
    order = np.lexsort((columns["bits"], columns["content"], link))
    return {name: column[order] for name, column in columns.items()}


def _kinds(signature: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Kind of each round [R] in order of first appearance, and the first round of each kind."""
    kind_of_round, _ = pd.factorize(signature)
    return kind_of_round, np.flatnonzero(~pd.Series(signature).duplicated().to_numpy())


def _added_up(compute: pd.DataFrame) -> pd.DataFrame:
    """Rows of the same range, node, phase and dtype added, so that splitting a row changes nothing."""
    keys = ["round_start", "round_stop", "node", "phase", "dtype"]
    return compute.groupby(keys, as_index=False, observed=True)[_COMPUTE_KEYS[3:]].sum()


def _message_signature(messages: dict[str, np.ndarray], rounds: int) -> np.ndarray:
    """Sum of the hashes of each round's rows, whatever their order; sums wrap modulo 2**64."""
    names = ("sender", "receiver", "content", "bits", "delivered")
    hashes = pd.util.hash_pandas_object(pd.DataFrame({name: messages[name] for name in names}), index=False)
    running = np.concatenate((np.zeros(1, np.uint64), np.cumsum(hashes.to_numpy(np.uint64))))
    bounds = np.searchsorted(messages["round"], np.arange(rounds + 1))
    return np.diff(running[bounds])


def _compute_signature(compute: pd.DataFrame, rounds: int) -> np.ndarray:
    """Hashes enter where a range starts and leave where it stops; sums wrap modulo 2**64."""
    hashes = pd.util.hash_pandas_object(compute[_COMPUTE_KEYS], index=False).to_numpy(np.uint64)
    change = np.zeros(rounds + 1, np.uint64)
    np.add.at(change, compute["round_start"].to_numpy(np.int64), hashes)
    np.subtract.at(change, compute["round_stop"].to_numpy(np.int64), hashes)
    return np.cumsum(change, dtype=np.uint64)[:-1]


def _compute_rows(compute: pd.DataFrame, first_round: np.ndarray) -> ComputeRows:
    """Each row once for every representative round inside its range."""
    begin = np.searchsorted(first_round, compute["round_start"].to_numpy())
    end = np.searchsorted(first_round, compute["round_stop"].to_numpy())
    times = end - begin
    rows = compute.loc[compute.index.repeat(times)]
    within = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
    moved = rows["bytes_read"].to_numpy(np.float64) + rows["bytes_written"].to_numpy(np.float64)
    return ComputeRows(
        np.repeat(begin, times) + within,
        rows["node"].to_numpy(np.int64),
        rows["flop"].to_numpy(np.float64),
        moved,
        rows["launches"].to_numpy(np.float64),
        (rows["phase"] == "optimizer").to_numpy(bool),
    )


def _message_rows(messages: dict[str, np.ndarray], first_round: np.ndarray) -> MessageRows:
    place = np.searchsorted(first_round, messages["round"])
    of_first = first_round[np.minimum(place, len(first_round) - 1)] == messages["round"]
    rows = messages if of_first.all() else {name: column[of_first] for name, column in messages.items()}
    return MessageRows(
        np.searchsorted(first_round, rows["round"]),
        rows["sender"],
        rows["receiver"],
        rows["content"],
        rows["bits"],
        rows["delivered"].astype(bool),
    )


def per_kind_and_node(
    amounts: np.ndarray, round_kind: np.ndarray, node: np.ndarray, kinds: int, nodes: int
) -> np.ndarray:
    """Add amounts up by kind of round and node.

    Parameters
    ----------
    amounts : [rows] or [S, rows], any unit
    round_kind, node : where each row belongs, int [rows]
    kinds, nodes : U and N [1]

    Returns
    -------
    [U, N] or [S, U, N], the unit of `amounts`
    """
    place = round_kind * nodes + node
    flat = np.atleast_2d(amounts)
    summed = np.stack([np.bincount(place, weights=row, minlength=kinds * nodes) for row in flat])
    return summed.reshape(*amounts.shape[:-1], kinds, nodes)
