"""Mixing matrices W of one round's graph. W[i, j] is the weight that node i puts on what it has from node j.

Shapes: N nodes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def out_weights(adjacency: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Column-stochastic W of one round's graph: every node splits itself evenly over itself and its
    receivers.

    Parameters
    ----------
    adjacency : bool [N, N], [i, j] True if i sends to j

    Returns
    -------
    W : float64 [N, N] [1]; W[j, i] = 1 / (out-degree of i + 1) for j = i and for every j to which i sends,
        else 0. W[i, j] is the weight that i puts on what it receives from j; columns sum to 1.

    Notes
    -----
    Assran et al., "Stochastic Gradient Push", ICML 2019, uniform mixing.
    """
    receives = _receives(adjacency)
    return receives / receives.sum(axis=0)


def row_weights(adjacency: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Row-stochastic W of one round's graph: every node takes the plain mean of itself and of all that it
    receives.

    Parameters
    ----------
    adjacency : bool [N, N], [i, j] True if i sends to j

    Returns
    -------
    W : float64 [N, N] [1]; W[i, j] = 1 / (in-degree of i + 1) for j = i and for every j that sends to i,
        else 0; rows sum to 1

    Notes
    -----
    On a graph whose nodes do not all send to equally many, W is not column-stochastic, and repeated
    averaging ends at another point than the mean of all nodes.
    """
    receives = _receives(adjacency)
    return receives / receives.sum(axis=1, keepdims=True)


def metropolis(adjacency: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Symmetric, doubly stochastic W of one round's undirected graph, by Metropolis-Hastings weights.

    Parameters
    ----------
    adjacency : bool [N, N], symmetric

    Returns
    -------
    W : float64 [N, N] [1]; W[i, j] = 1 / (1 + max(degree of i, degree of j)) for neighbours, W[i, i] = 1
        minus the rest of row i

    Raises
    ------
    ValueError : the graph is not symmetric

    Notes
    -----
    Xiao, Boyd, "Fast linear iterations for distributed averaging", Systems & Control Letters 53 (2004),
    and Xiao, Boyd, Lall, "A scheme for robust distributed sensor fusion based on average consensus", IPSN
    2005.
    """
    if not (adjacency == adjacency.T).all():
        raise ValueError("Metropolis weights need an undirected graph")
    degree = adjacency.sum(axis=1)
    weights = adjacency / (1.0 + np.maximum(degree[:, None], degree))
    return weights + np.diag(1.0 - weights.sum(axis=1))


def _receives(adjacency: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """[i, j] True if i has something from j: j sends to i, or j = i."""
    return adjacency.T | np.eye(len(adjacency), dtype=bool)
