"""How well outputs fit labels.

Shapes: n samples, K classes.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata
from torch import Tensor
from torch.nn import functional as F


def of_classes(logits_nK: Tensor, labels_n: Tensor) -> dict[str, float]:
    """Share of samples whose largest logit is that of their label, and mean cross-entropy [nat]."""
    return {
        "test_accuracy": int((logits_nK.argmax(dim=1) == labels_n).sum()) / len(labels_n),
        "test_loss": float(F.cross_entropy(logits_nK, labels_n)),
    }


def of_two_classes(logits_n: Tensor, labels_n: Tensor) -> dict[str, float]:
    """Area under the ROC curve, share of samples on the right side of 0, and mean log-loss [nat]."""
    return {
        "test_auc": area_under_curve(logits_n.numpy(), labels_n.numpy()),
        "test_accuracy": int(((logits_n > 0) == (labels_n == 1)).sum()) / len(labels_n),
        "test_loss": float(F.binary_cross_entropy_with_logits(logits_n, labels_n.to(logits_n.dtype))),
    }


def area_under_curve(scores: np.ndarray, labels: np.ndarray) -> float:
    """Probability that a random positive scores above a random negative, a tie counting half.

    Computed from the ranks of the positives, as the Mann-Whitney U statistic: (R - p (p + 1) / 2) / (p q) for
    p positives of rank sum R and q negatives (Hanley and McNeil, "The meaning and use of the area under a ROC
    curve", 1982).

    Parameters
    ----------
    scores : [n]; NaN gives NaN
    labels : [n], 0 or 1, both present
    """
    positives = int(labels.sum())
    negatives = len(labels) - positives
    rank_sum = rankdata(scores)[labels == 1].sum()
    return float((rank_sum - positives * (positives + 1) / 2) / (positives * negatives))
