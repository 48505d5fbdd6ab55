"""Which samples each node holds, and which of them it draws at each step.

Both are pure functions of the labels, the parameters and the seed: no draw depends on another node's draws,
on the order of calls or on the number of workers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

from costbench.errors import InputError
from costbench.training.randomness import Purpose, random_generator

Indices = NDArray[np.int64]

DIRICHLET_DRAWS = 1_000


def partition(
    labels: Indices,
    nodes: int,
    kind: str,
    seed: int,
    *,
    skew: float | None = None,
    alpha: float | None = None,
    file: str = "spec",
) -> list[Indices]:
    """Deal every sample to exactly one node.

    Parameters
    ----------
    labels : int64 [n], class of each sample
    nodes : number of nodes
    kind : "iid"; "label-skew" with `skew` in [0, 1]; "dirichlet" with `alpha` > 0
    seed : seed of the run
    file : the name under which an error refers to the spec

    Returns
    -------
    one int64 array of indices into `labels` for each node, none of them empty

    Raises
    ------
    InputError : fewer samples than nodes, an unknown kind, a parameter that is missing or out of range, or no
        Dirichlet draw that gives every node a sample

    Notes
    -----
    - iid: a random order cut into consecutive shares; their sizes differ by at most 1.
    - label-skew (Sparse-Push, arXiv 2102.05715; read in scripts of its first author): of each class the first
      int(skew * class size) indices go, in class order, to a sorted pool, and the rest to a shuffled pool;
      node i takes the i-th consecutive share of both. The shares differ by at most 1 sample in either pool,
      and so do the nodes. skew 0 is iid, skew 1 gives contiguous label shards.
    - dirichlet (Li, Diao, Chen, He, "Federated Learning on Non-IID Data Silos", ICDE 2022, known as
      NIID-Bench): how a class is shared among the nodes is one draw of Dirichlet(alpha, ..., alpha),
      independent between the classes, and all are drawn again until no node is empty. NIID-Bench's code also
      stops giving to nodes that are already full, which changes the law; that is left out here.
    """
    if len(labels) < nodes:
        raise InputError(file, "nodes", nodes, f"at most one node a sample, {len(labels)}")
    generator = random_generator(seed, Purpose.PARTITION)
    if kind == "iid":
        return _label_skew(labels, nodes, 0.0, generator)
    if kind == "label-skew":
        if skew is None or not 0 <= skew <= 1:
            raise InputError(file, "task.partition.skew", skew, "a number from 0 to 1")
        return _label_skew(labels, nodes, skew, generator)
    if kind == "dirichlet":
        if alpha is None or not 0 < alpha < np.inf:
            raise InputError(file, "task.partition.alpha", alpha, "a number above 0")
        return _dirichlet(labels, nodes, alpha, generator, file)
    raise InputError(file, "task.partition.kind", kind, ["iid", "label-skew", "dirichlet"])


def _by_class(labels: Indices) -> list[Indices]:
    return [np.flatnonzero(labels == label) for label in np.unique(labels)]


def _label_skew(labels: Indices, nodes: int, skew: float, generator: np.random.Generator) -> list[Indices]:
    classes = [(members, int(skew * len(members))) for members in _by_class(labels)]
    ordered = np.concatenate([members[:head] for members, head in classes])
    shuffled = generator.permutation(np.concatenate([members[head:] for members, head in classes]))
    ordered_cuts = _even_cuts(len(ordered), nodes)
    shuffled_cuts = _even_cuts(len(labels), nodes) - ordered_cuts
    shares = zip(np.split(ordered, ordered_cuts), np.split(shuffled, shuffled_cuts), strict=True)
    return [np.concatenate(share) for share in shares]


def _even_cuts(total: int, nodes: int) -> Indices:
    """The nodes - 1 places at which `np.array_split` cuts `total` things: larger shares first."""
    least, larger = divmod(total, nodes)
    ends = np.arange(1, nodes)
    return ends * least + np.minimum(ends, larger)


def _dirichlet(
    labels: Indices, nodes: int, alpha: float, generator: np.random.Generator, file: str
) -> list[Indices]:
    classes = [generator.permutation(members) for members in _by_class(labels)]
    class_sizes = np.array([[len(members)] for members in classes])
    for _ in range(DIRICHLET_DRAWS):
        shares = generator.dirichlet(np.full(nodes, alpha), size=len(classes))
        if not np.isfinite(shares).all():
            continue
        cuts = (np.cumsum(shares, axis=1)[:, :-1] * class_sizes).astype(np.int64)
        if np.diff(cuts, axis=1, prepend=0, append=class_sizes).any(axis=0).all():
            dealt = [np.split(members, cut) for members, cut in zip(classes, cuts, strict=True)]
            return [np.concatenate(node) for node in zip(*dealt, strict=True)]
    raise InputError(
        file,
        "task.partition.alpha",
        alpha,
        f"a larger alpha or fewer nodes: each of {DIRICHLET_DRAWS} draws left one of {nodes} nodes empty",
    )


def describe(parts: list[Indices], labels: Indices) -> dict[str, Any]:
    """What a partition looks like, ready for JSON.

    Parameters
    ----------
    parts : indices into `labels` for each node, none of them empty
    labels : int64 [n], classes 0 .. c - 1

    Returns
    -------
    samples : list [nodes], number of samples
    class_counts : list [nodes][c], samples of each class
    mean_js_distance : mean over the nodes of the Jensen-Shannon distance [1] of their label
        distribution to that of all parts together, with logarithms of base 2: 0 if all are alike, at most 1
    """
    classes = int(labels.max()) + 1
    counts = np.stack([np.bincount(labels[part], minlength=classes) for part in parts])
    together = counts.sum(axis=0) / counts.sum()
    distances = [_jensen_shannon(node / node.sum(), together) for node in counts]
    return {
        "samples": [len(part) for part in parts],
        "class_counts": counts.tolist(),
        "mean_js_distance": float(np.mean(distances)),
    }


def _jensen_shannon(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    """As scipy.spatial.distance.jensenshannon of base 2, but 0 and not NaN where rounding goes below 0."""
    middle = (p + q) / 2
    divergence = (rel_entr(p, middle).sum() + rel_entr(q, middle).sum()) / (2 * np.log(2))
    return float(np.sqrt(max(divergence, 0.0)))


class Sampler:
    """The batches of one node, without replacement within an epoch.

    Each epoch is a fresh random order of the node's samples, and the epochs follow one another without a gap,
    so that every batch is full; one that crosses an epoch's end may hold a sample twice. `indices(step)` is a
    pure function of the step: a resumed run needs no state. Only the order of the current epoch is kept in
    memory.

    Parameters
    ----------
    part : int64 [m], the node's samples, m >= 1
    batch : samples a step
    seed : seed of the run
    node : number of the node
    """

    def __init__(self, part: Indices, batch: int, seed: int, node: int):
        self._part, self._batch, self._seed, self._node = part, batch, seed, node
        self._epoch = -1
        self._order = part

    def indices(self, step: int) -> Indices:
        """The samples int64 [batch] of a step, counted from 0."""
        position, stop = step * self._batch, (step + 1) * self._batch
        pieces = []
        while position < stop:
            epoch, start = divmod(position, len(self._part))
            pieces.append(self._epoch_order(epoch)[start : start + stop - position])
            position += len(pieces[-1])
        return np.concatenate(pieces)

    def _epoch_order(self, epoch: int) -> Indices:
        if epoch != self._epoch:
            generator = random_generator(self._seed, Purpose.BATCHES, self._node, epoch)
            self._order = generator.permutation(self._part)
            self._epoch = epoch
        return self._order


def batch_indices(part: Indices, batch: int, step: int, seed: int, node: int) -> Indices:
    """The samples int64 [batch] that a node draws at a step; `Sampler` is faster for many steps."""
    return Sampler(part, batch, seed, node).indices(step)
