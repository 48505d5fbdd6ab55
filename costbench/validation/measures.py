"""Errors of predictions, in percent of what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np


class Prediction(NamedTuple):
    """One quantity of an entry: what was predicted and measured, and by how much they differ [%].

    `bound_pct` is the error that it may have whatever the entry says [%]; None: what the entry says.
    """

    quantity: str
    predicted: list[float]
    measured: list[float]
    error_pct: float
    bound_pct: float | None = None


def mean_error(quantity: str, predicted: Sequence[float], measured: Sequence[float]) -> Prediction:
    """Mean of |predicted - measured| / measured over the points [%]."""
    return Prediction(quantity, list(predicted), list(measured), float(_relative(predicted, measured).mean()))


def largest_error(quantity: str, predicted: Sequence[float], measured: Sequence[float]) -> Prediction:
    """Largest of |predicted - measured| / measured over the points [%]."""
    return Prediction(quantity, list(predicted), list(measured), float(_relative(predicted, measured).max()))


def ordering_error(quantity: str, predicted: Sequence[float], measured: Sequence[float]) -> Prediction:
    """Share of the pairs that prediction and measurement order differently [%]; none may be."""
    pairs = list(combinations(range(len(measured)), 2))
    wrong = sum((predicted[i] - predicted[j]) * (measured[i] - measured[j]) < 0 for i, j in pairs)
    return Prediction(quantity, [], [], 100.0 * wrong / len(pairs) if pairs else 0.0, bound_pct=0.0)


def _relative(predicted: Sequence[float], measured: Sequence[float]) -> np.ndarray:
    found, truth = np.asarray(predicted, dtype=float), np.asarray(measured, dtype=float)
    return np.asarray(100.0 * np.abs(found - truth) / np.abs(truth))
