"""Gaps between positions, each in about as many bits as it needs."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from costbench.errors import WireError
from costbench.training.counters.own import counted
from costbench.training.wire.bitpack import only_zeros_from, pack_mixed, packed_bytes, unpack_mixed
from costbench.training.wire.positions import split
from costbench.training.wire.positions.position_code import (
    Integers,
    Pieces,
    Places,
    PositionCode,
    Section,
    inside_from,
)


class GolombRice(PositionCode):
    """A gap's low b bits as they are, and what is above them as so many zeros and a one.

    A byte comes first: a change of b, plus 1, that the sender chooses for the shortest message. Before it, b
    of a piece is floor(log2(0.69 n / k)), about the best for gaps of independent positions. All low bits
    come first, then all zeros and ones.
    Source: S. W. Golomb, "Run-length encodings", IEEE Trans. Inf. Theory 12 (1966); R. F. Rice, "Some
    practical universal noiseless coding techniques", JPL Publication 79-22, 1979.
    """

    name, number = "golomb-rice", 11
    CHANGES = range(-1, 2)

    def __init__(self, pieces: Pieces):
        super().__init__(pieces)
        mean_T = 69 * pieces.numel_T // (100 * np.maximum(pieces.kept_T, 1))
        self._width_T = np.array([max(0, int(mean).bit_length() - 1) for mean in mean_T])
        self._widths = {change: self._widths_at(change) for change in self.CHANGES}

    def _widths_at(self, change: int) -> Integers:
        return self.pieces.each(np.maximum(self._width_T + change, 0))

    def least_bytes(self, places: Places) -> int:
        return 1 + packed_bytes(min(_rice_bits(places.gaps, self._widths).values()))

    def write(self, places: Places) -> Section:
        n_bits = _rice_bits(places.gaps, self._widths)
        change = min(n_bits, key=n_bits.__getitem__)
        octets = _rice(places.gaps, self._widths[change], change - self.CHANGES.start)
        return Section(octets, n_bits[change], side=8)

    def read(self, octets: Tensor) -> Tensor:
        change = int(octets[0]) + self.CHANGES.start if len(octets) else self.CHANGES.stop
        if change not in self.CHANGES:
            raise WireError(f"no {self.name} code is set so: {octets[:1].tolist()}")
        return _from_rice(octets, self._widths[change], self.pieces)


@counted(flop=lambda gaps_K, widths: 2 * len(widths) * len(gaps_K))
def _rice_bits(gaps_K: Tensor, widths: dict[int, Integers]) -> dict[int, int]:
    """Bits of the gaps for every change of b: a shift and an addition an entry and change."""
    gaps = gaps_K.numpy()
    return {change: int((gaps >> w_K).sum() + w_K.sum()) + len(gaps) for change, w_K in widths.items()}


@counted(flop=lambda gaps_K, widths_K, setting: 8 * len(gaps_K))
def _rice(gaps_K: Tensor, widths_K: Integers, setting: int) -> Tensor:
    """Quotient and remainder, where both go (2 additions each), two shifts and a union an entry."""
    gaps = gaps_K.numpy()
    quotient_K = gaps >> widths_K
    ones_K = np.cumsum(quotient_K + 1) - 1
    low_K = gaps & ((1 << widths_K) - 1)
    body = split.write(low_K, widths_K, ones_K, int(ones_K[-1]) + 1 if len(ones_K) else 0)
    return torch.from_numpy(np.concatenate((np.array([setting], np.uint8), body)))


@counted(flop=lambda octets, widths_K, pieces: 9 * len(widths_K))
def _from_rice(octets: Tensor, widths_K: Integers, pieces: Pieces) -> Tensor:
    """The same backwards, and the sum of the gaps."""
    body = octets.numpy()[1:]
    longest = int(widths_K.sum()) + pieces.elements + int((pieces.numel_of_each >> widths_K).sum())
    if 8 * (len(body) - 1) > longest:
        raise WireError(f"{len(body)} bytes of gaps where no more than {longest} bits can be")
    low_K, ones_K = split.read(body, widths_K)
    quotient_K = np.diff(ones_K, prepend=-1) - 1
    return torch.from_numpy(inside_from(quotient_K << widths_K | low_K, pieces))


class EliasGamma(PositionCode):
    """A gap plus 1, in binary, behind as many zeros as it has bits after the first: short for neighbours.

    All zeros and first ones come first, then all bits after the first.
    Source: P. Elias, "Universal codeword sets and representations of the integers", IEEE Trans. Inf. Theory
    21 (1975).
    """

    name, number = "elias-gamma", 13

    def least_bytes(self, places: Places) -> int:
        return packed_bytes(_gamma_bits(places.gaps))

    def write(self, places: Places) -> Section:
        n_bits = _gamma_bits(places.gaps)
        return Section(_gamma(places.gaps, n_bits), n_bits)

    def read(self, octets: Tensor) -> Tensor:
        return _from_gamma(octets, self.pieces)


def _bits_after_first(gaps_K: Integers) -> Integers:
    """floor(log2(gap + 1)), exact below 2^53."""
    return (np.frexp((gaps_K + 1).astype(np.float64))[1] - 1).astype(np.int64)


@counted(flop=lambda gaps_K: 3 * len(gaps_K))
def _gamma_bits(gaps_K: Tensor) -> int:
    """An addition, a logarithm and a sum an entry."""
    return int(2 * _bits_after_first(gaps_K.numpy()).sum()) + len(gaps_K)


@counted(flop=lambda gaps_K, n_bits: 9 * len(gaps_K))
def _gamma(gaps_K: Tensor, n_bits: int) -> Tensor:
    """An addition and a logarithm, the bits after the first, where both go, two shifts and a union."""
    gaps = gaps_K.numpy()
    length_K = _bits_after_first(gaps)
    n_first = int(length_K.sum()) + len(gaps)
    bits = np.zeros(8 * packed_bytes(n_first), np.uint8)
    bits[np.cumsum(length_K + 1) - 1] = 1
    octets = np.zeros(packed_bytes(n_bits), np.uint8)
    first = np.packbits(bits)
    octets[: len(first)] = first
    lead = np.array([n_first % 8])
    rest = pack_mixed(np.concatenate(([0], gaps + 1 - (1 << length_K))), np.concatenate((lead, length_K)))
    octets[n_first // 8 :] |= rest
    return torch.from_numpy(octets)


@counted(flop=lambda octets, pieces: 9 * pieces.elements)
def _from_gamma(octets: Tensor, pieces: Pieces) -> Tensor:
    packed = octets.numpy()
    longest = 2 * sum(
        int(k) * int(n).bit_length() for n, k in zip(pieces.numel_T, pieces.kept_T, strict=True)
    )
    if 8 * (len(packed) - 1) > longest + pieces.elements:
        raise WireError(f"{len(packed)} bytes of gaps where no more than {longest} bits can be")
    ones_K = np.flatnonzero(np.unpackbits(packed))[: pieces.elements]
    if len(ones_K) < pieces.elements:
        raise WireError(f"{len(ones_K)} positions where {pieces.elements} were agreed")
    length_K = np.diff(ones_K, prepend=-1) - 1
    n_first = int(ones_K[-1]) + 1 if len(ones_K) else 0
    if length_K.max(initial=0) > 52 or not only_zeros_from(packed, n_first + int(length_K.sum())):
        raise WireError("gaps of other lengths than their zeros announce")
    widths = np.concatenate((np.array([n_first % 8]), length_K))
    rest_K = unpack_mixed(packed[n_first // 8 :], widths)[1:]
    return torch.from_numpy(inside_from((1 << length_K) + rest_K - 1, pieces))
