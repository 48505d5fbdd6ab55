"""When radios rest: the silences between one transfer of a node and its next, grouped when alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from costbench.pricing.rounds import RoundKinds

HASH_SEED = 20_15


@dataclass(frozen=True)
class Gaps:
    """Silences between transfers, K different ones, and the rounds told apart by what precedes them.

    Attributes
    ----------
    node : [K], whose gap it is
    round_before, round_after : [K], one pair of rounds with this gap between them
    repeats : [K], how often the gap occurs
    kind : [Q], kind of round of each context
    times : [Q], rounds of each context
    gap_before : [Q, N], the gap that precedes a node's transfer; K for its first, K + 1 for no transfer
    transfers : [N], whether the node ever transfers
    """

    node: np.ndarray
    round_before: np.ndarray
    round_after: np.ndarray
    repeats: np.ndarray
    kind: np.ndarray
    times: np.ndarray
    gap_before: np.ndarray
    transfers: np.ndarray

    @property
    def adjacent(self) -> bool:
        """Whether no gap spans a whole round."""
        return bool((self.round_after == self.round_before + 1).all())

    def rounds_at_ends(self, kinds: RoundKinds) -> tuple[np.ndarray, np.ndarray]:
        """Rounds of each kind that come before and after gaps of each node, two [U, N], [1]."""
        nodes = len(self.transfers)
        before, after = (
            np.bincount(
                kinds.kind_of_round[rounds] * nodes + self.node, self.repeats, kinds.kinds * nodes
            ).reshape(-1, nodes)
            for rounds in (self.round_before, self.round_after)
        )
        return before, after

    @property
    def first(self) -> np.ndarray:
        """Contexts in which some node transfers for the first time, bool [Q]."""
        return np.asarray((self.gap_before == len(self.node)).any(axis=1))


def find_gaps(kinds: RoundKinds, active: np.ndarray, shared: bool, one_channel: bool) -> Gaps:
    """Find the silences of every node.

    Gaps of a node are alike when the round before is of the same kind, the round after computes the same,
    and the multiset of the kinds in between is the same; that multiset is recognised by a sum of random
    64-bit numbers. On a channel that all share a transfer ends with its round, so the kind before does not
    matter, and contexts differ by their gaps alone.

    Parameters
    ----------
    kinds : kinds of round
    active : bool [U, N], whether a node transfers in a round of each kind
    shared : whether nodes share channels
    one_channel : whether all nodes share one

    Returns
    -------
    The different gaps, and the different rounds with respect to what precedes them
    """
    pairs = _pairs(kinds, active, shared and one_channel)
    pairs["gap"] = pairs.groupby(["node", "before_like", "between", "after_like"], sort=False).ngroup()
    first = pairs.drop_duplicates("gap")
    gap_before = _gap_before(kinds.kind_of_round, active, pairs, len(first))
    like = np.zeros_like(kinds.kind_of_round) if one_channel else kinds.kind_of_round
    context, example = _contexts(like, gap_before)
    return Gaps(
        node=first["node"].to_numpy(),
        round_before=first["before"].to_numpy(),
        round_after=first["after"].to_numpy(),
        repeats=np.bincount(pairs["gap"].to_numpy(), minlength=len(first)),
        kind=kinds.kind_of_round[example],
        times=np.bincount(context, minlength=len(example)),
        gap_before=gap_before[example],
        transfers=np.asarray(active.any(axis=0)),
    )


def _pairs(kinds: RoundKinds, active: np.ndarray, shared: bool) -> pd.DataFrame:
    """Consecutive transfers of each node, one row a pair."""
    kind_of_round = kinds.kind_of_round
    random = np.random.default_rng(HASH_SEED).integers(0, 2**64, kinds.kinds, dtype=np.uint64)
    passed = np.concatenate((np.zeros(1, np.uint64), np.cumsum(random[kind_of_round], dtype=np.uint64)))
    node, when = np.nonzero(active[kind_of_round].T)
    same = node[1:] == node[:-1]
    before, after = when[:-1][same], when[1:][same]
    return pd.DataFrame(
        {
            "node": node[1:][same],
            "before_like": np.zeros_like(before) if shared else kind_of_round[before],
            "between": passed[after] - passed[before + 1],
            "after_like": kinds.compute_kind[kind_of_round[after]],
            "before": before,
            "after": after,
        }
    )


def _gap_before(kind_of_round: np.ndarray, active: np.ndarray, pairs: pd.DataFrame, gaps: int) -> np.ndarray:
    transfers = active[kind_of_round]
    gap_before = np.where(transfers, gaps, gaps + 1)
    gap_before[pairs["after"].to_numpy(), pairs["node"].to_numpy()] = pairs["gap"].to_numpy()
    return gap_before


def _contexts(kind_of_round: np.ndarray, gap_before: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Context of each round [R] and one round of each context [Q]."""
    rows = pd.DataFrame(np.column_stack((kind_of_round, gap_before)))
    hashes = pd.util.hash_pandas_object(rows, index=False).to_numpy()
    context, _ = pd.factorize(hashes)
    return context, np.flatnonzero(~pd.Series(hashes).duplicated().to_numpy())
