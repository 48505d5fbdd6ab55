"""What a partition looks like: sizes, class counts, and one number for its skew."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

Indices = NDArray[np.int64]


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
