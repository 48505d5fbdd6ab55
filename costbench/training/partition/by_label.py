"""Rules that deal samples by their class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from costbench.errors import InputError

Indices = NDArray[np.int64]

DIRICHLET_DRAWS = 1_000


def label_skew(labels: Indices, nodes: int, skew: float, chance: np.random.Generator) -> list[Indices]:
    """A share of every class in class order, the rest in a random order, each cut evenly.

    Parameters
    ----------
    labels : int64 [n], class of each sample
    nodes : number of nodes, at most n
    skew : share of each class [1] that is dealt in class order
    chance : draws the random order

    Returns
    -------
    one int64 array of indices into `labels` for each node

    Notes
    -----
    Sparse-Push, arXiv 2102.05715; read in scripts of its first author.
    """
    classes = [(members, int(skew * len(members))) for members in _by_class(labels)]
    ordered = np.concatenate([members[:head] for members, head in classes])
    shuffled = chance.permutation(np.concatenate([members[head:] for members, head in classes]))
    ordered_cuts = _even_cuts(len(ordered), nodes)
    shuffled_cuts = _even_cuts(len(labels), nodes) - ordered_cuts
    shares = zip(np.split(ordered, ordered_cuts), np.split(shuffled, shuffled_cuts), strict=True)
    return [np.concatenate(share) for share in shares]


def dirichlet(
    labels: Indices, nodes: int, alpha: float, chance: np.random.Generator, file: str
) -> list[Indices]:
    """Each class dealt to the nodes in proportions drawn from Dirichlet(alpha, ..., alpha).

    Parameters
    ----------
    labels : int64 [n], class of each sample
    nodes : number of nodes, at most n
    alpha : concentration [1], above 0; the smaller, the more unequal the shares
    chance : draws the proportions and the order within each class
    file : the name under which an error refers to the spec

    Returns
    -------
    one int64 array of indices into `labels` for each node, none of them empty

    Raises
    ------
    InputError : each of `DIRICHLET_DRAWS` draws left a node empty

    Notes
    -----
    Li, Diao, Chen, He, "Federated Learning on Non-IID Data Silos", ICDE 2022.
    """
    classes = [chance.permutation(members) for members in _by_class(labels)]
    class_sizes = np.array([[len(members)] for members in classes])
    for _ in range(DIRICHLET_DRAWS):
        shares = chance.dirichlet(np.full(nodes, alpha), size=len(classes))
        if not np.isfinite(shares).all():
            continue
        cuts = (np.cumsum(shares, axis=1)[:, :-1] * class_sizes).astype(np.int64)
        if np.diff(cuts, axis=1, prepend=0, append=class_sizes).any(axis=0).all():
            dealt = [np.split(members, cut) for members, cut in zip(classes, cuts, strict=True)]
            return [np.concatenate(node) for node in zip(*dealt, strict=True)]
    allowed = (
        f"a larger alpha or fewer nodes: each of {DIRICHLET_DRAWS} draws left one of {nodes} nodes empty"
    )
    raise InputError(file, "task.partition.alpha", alpha, allowed)


def shards(labels: Indices, nodes: int, per_node: int, chance: np.random.Generator) -> list[Indices]:
    """The samples in class order, cut into `per_node` shards for each node, dealt at random.

    Parameters
    ----------
    labels : int64 [n], class of each sample
    nodes : number of nodes
    per_node : shards a node; nodes * per_node is at most n
    chance : deals the shards

    Returns
    -------
    one int64 array of indices into `labels` for each node: its shards, one after the other

    Notes
    -----
    McMahan et al., "Communication-Efficient Learning of Deep Networks from Decentralized Data", AISTATS 2017,
    section 3, with 2 shards a node. There the shards divide the samples; here none is dropped where they do
    not: shards differ by at most 1 sample, and nodes by at most `per_node`.
    """
    in_class_order = np.argsort(labels, kind="stable")
    cut = np.array_split(in_class_order, nodes * per_node)
    dealt = chance.permutation(len(cut)).reshape(nodes, per_node)
    return [np.concatenate([cut[shard] for shard in hand]) for hand in dealt]


def _by_class(labels: Indices) -> list[Indices]:
    return [np.flatnonzero(labels == label) for label in np.unique(labels)]


def _even_cuts(total: int, nodes: int) -> Indices:
    """The nodes - 1 places at which `np.array_split` cuts `total` things: larger shares first."""
    least, larger = divmod(total, nodes)
    ends = np.arange(1, nodes)
    return ends * least + np.minimum(ends, larger)
