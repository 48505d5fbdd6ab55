"""Elias-Fano: at most two bits an entry above log2(n / k), and its length known beforehand."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from costbench.errors import WireError
from costbench.training.counters.own import counted
from costbench.training.wire.positions import split
from costbench.training.wire.positions.position_code import FixedLength, Integers, Pieces


class EliasFano(FixedLength):
    """The low l = floor(log2(n / k)) bits of every position; its high bits as a place among zeros.

    The i-th entry of a piece with high bits h is the one at place h + i of k ones and (n - 1) >> l zeros.
    Source: P. Elias, "Efficient storage and retrieval by content and address of static files", J. ACM 21
    (1974); R. M. Fano, "On the number of bits required to implement an associative memory", MIT, 1971.
    """

    name, number = "elias-fano", 12

    def __init__(self, pieces: Pieces):
        super().__init__(pieces)
        ratio_T = pieces.numel_T // np.maximum(pieces.kept_T, 1)
        low_T = np.array([max(0, int(ratio).bit_length() - 1) for ratio in ratio_T])
        zeros_T = np.maximum(pieces.numel_T - 1, 0) >> low_T
        self.low_K, self.zeros_K = pieces.each(low_T), pieces.each(zeros_T)
        self.offset_K = pieces.each(np.cumsum(zeros_T) - zeros_T) + np.arange(pieces.elements)
        self.n_high = int(zeros_T.sum()) + pieces.elements
        self.n_bits = int(self.low_K.sum()) + self.n_high

    def octets(self, inside_K: Tensor) -> Tensor:
        return _write(inside_K, self.low_K, self.offset_K, self.n_high)

    def positions(self, octets: Tensor) -> Tensor:
        return _read(octets, self)


@counted(flop=lambda inside_K, low_K, offset_K, n_high: 7 * len(inside_K))
def _write(inside_K: Tensor, low_K: Integers, offset_K: Integers, n_high: int) -> Tensor:
    """High and low bits, where both go, two shifts and a union an entry."""
    inside = inside_K.numpy()
    low = inside & ((1 << low_K) - 1)
    return torch.from_numpy(split.write(low, low_K, (inside >> low_K) + offset_K, n_high))


@counted(flop=lambda octets, code: 7 * len(code.low_K))
def _read(octets: Tensor, code: EliasFano) -> Tensor:
    low, ones_K = split.read(octets.numpy(), code.low_K, code.n_high)
    high_K = ones_K - code.offset_K
    if bool(((high_K < 0) | (high_K > code.zeros_K)).any()):
        raise WireError("a position outside its tensor")
    return torch.from_numpy(high_K << code.low_K | low)
