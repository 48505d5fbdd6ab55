"""Which entries are the largest: the exact selection of top-k, of many pieces at once.

Shapes: D parameters, K kept entries.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from costbench.training.counters.own import counted

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]

STRIDE = 16
"""Of a long piece, every so many-th entry is looked at first, for a bound that few entries reach."""
SHORT = 256
"""Pieces up to this length are selected from at once, those of equal length and k together."""


class Largest:
    """The k largest of n magnitudes in every piece, positions ascending.

    Among equal ones the first are chosen; what is not a number counts as larger than all.

    Parameters
    ----------
    bounds : (start, stop) of every piece
    kept : k of every piece
    """

    def __init__(self, bounds: Sequence[tuple[int, int]], kept: Sequence[int]):
        self.parameters, self.elements = bounds[-1][1], sum(kept)
        ends = np.cumsum(kept)
        self._long: list[tuple[slice, int, slice]] = []
        together: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        for (start, stop), k, end in zip(bounds, kept, ends.tolist(), strict=True):
            if stop - start > SHORT:
                self._long.append((slice(start, stop), k, slice(end - k, end)))
            else:
                together[stop - start, k].append((start, end - k))
        self._short = [
            (k, _ranges([start for start, _ in group], n), _ranges([place for _, place in group], k))
            for (n, k), group in together.items()
        ]

    def positions(self, magnitude_D: Tensor) -> Tensor:
        """Positions int64 [K] in the vector, of magnitudes float32 [D]; one comparison an entry at least."""
        return _positions(magnitude_D, self)


@counted(flop=lambda magnitude_D, largest: len(magnitude_D))
def _positions(magnitude_D: Tensor, largest: Largest) -> Tensor:
    plain_D, index_K = magnitude_D.numpy(), np.empty(largest.elements, np.int64)
    for k, entries, places in largest._short:
        last = entries.shape[1] - 1
        backwards = plain_D[entries][:, ::-1]
        chosen = last - np.argsort(backwards, axis=1, kind="stable")[:, last + 1 - k :]
        index_K[places] = np.take_along_axis(entries, np.sort(chosen, axis=1), axis=1)
    for piece, k, place in largest._long:
        index_K[place] = _of_long(plain_D[piece], k) + piece.start
    return torch.from_numpy(index_K)


def _of_long(magnitude_n: Floats, k: int) -> Integers:
    """Ascending positions of the k largest: among those that reach a bound, if at least k of them do."""
    if STRIDE * k > 4 * len(magnitude_n):
        return _largest(magnitude_n, k)
    reach = np.flatnonzero(~(magnitude_n < _bound(magnitude_n, k)))
    return reach[_largest(magnitude_n[reach], k)] if len(reach) >= k else _largest(magnitude_n, k)


def _bound(magnitude_n: Floats, k: int) -> np.float32:
    """A magnitude that somewhat more than k entries have, as far as a sample tells."""
    sample = magnitude_n[::STRIDE]
    expected = k / STRIDE
    rank = min(len(sample), int(expected + 3 * expected**0.5) + 2)
    return np.partition(sample, len(sample) - rank)[len(sample) - rank]


def _largest(magnitude_n: Floats, k: int) -> Integers:
    """Ascending positions of the k largest; among equal ones, the first."""
    least = np.partition(magnitude_n, len(magnitude_n) - k)[len(magnitude_n) - k]
    if np.isnan(least):
        return np.flatnonzero(np.isnan(magnitude_n))[:k]
    chosen = ~(magnitude_n <= least)
    equal = np.flatnonzero(magnitude_n == least)
    chosen[equal[: k - np.count_nonzero(chosen)]] = True
    return np.flatnonzero(chosen)


def _ranges(starts: list[int], length: int) -> Integers:
    """Positions [pieces, length], every row from a start on."""
    return np.array(starts)[:, None] + np.arange(length)
