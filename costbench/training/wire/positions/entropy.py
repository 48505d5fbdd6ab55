"""Positions in hardly more bits than there are choices of them, by asymmetric numeral systems.

A gap is cut into cells of about an eighth of the mean gap: how many whole cells it has is coded with the
probabilities of a geometric distribution, and what is left of it with equal ones. The single entry of a piece
that keeps one is coded with equal probabilities over the piece.

Bits above log2 C(n, k): half of log2(2 pi k (1 - k/n)) for every piece that keeps more than one entry, which
is what a geometric law gives away by not knowing how many there are, and up to 8 for the last byte.
Source: J. Duda, "Asymmetric numeral systems", arXiv 1311.2540; coder: the library constriction (R. Bamler,
"Understanding entropy coding with asymmetric numeral systems", arXiv 2201.01741).
"""

from __future__ import annotations

from functools import cached_property

import constriction
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from costbench.errors import WireError
from costbench.training.counters.own import counted
from costbench.training.wire.positions.position_code import (
    Integers,
    Pieces,
    Places,
    PositionCode,
    Section,
    inside_from,
)

CELLS = 8
"""Cells of the mean gap: within one, equal probabilities cost 0.001 bits an entry more than the true ones."""
SYMBOLS = 128
"""Numbers of cells that have a probability of their own, the last of which announces a larger one."""
LARGEST = 2**24 - 1
"""Most symbols of equal probability that the coder tells apart."""


class Entropy(PositionCode):
    """Bytes of an ANS coder, without the zeros at the end: numbers of cells, larger ones, what is left."""

    name, number, longest = "entropy", 14, LARGEST

    def __init__(self, pieces: Pieces):
        super().__init__(pieces)
        n_T, k_T = pieces.numel_T, np.maximum(pieces.kept_T, 1)
        cell_T = np.where(k_T > 1, np.maximum((n_T + CELLS // 2 * k_T) // (CELLS * k_T), 1), n_T)
        self.cell_K = pieces.each(cell_T)
        self.in_cells = np.flatnonzero(self.cell_K < pieces.numel_of_each)
        self.in_rests = np.flatnonzero(self.cell_K > 1)
        self.rests = self.cell_K[self.in_rests].astype(np.int32)
        self.rest_bits = float(np.log2(self.rests).sum())

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """Of 0, 1, ... cells, and of more: geometric with the mean that independent positions have.

        By additions and products alone, so that they come out the same on every machine.
        """
        cell_K, n_K, k_K = self._of_cells
        left = (cell_K - 1) / 2
        mean = float((((n_K - k_K) / (k_K + 1) - left) / cell_K).sum()) / max(len(cell_K), 1)
        again = max(mean, 2.0**-10) / (1 + max(mean, 2.0**-10))
        powers = np.multiply.accumulate(np.full(SYMBOLS - 1, again)) / again
        return np.append(powers * (1 - again), max(float(powers[-1]) * again, 2.0**-12))

    @property
    def _of_cells(self) -> tuple[Integers, Integers, Integers]:
        """Cell, n and k of the entries whose gaps have cells."""
        pieces, chosen = self.pieces, self.in_cells
        return self.cell_K[chosen], pieces.numel_of_each[chosen], pieces.each(pieces.kept_T)[chosen]

    @cached_property
    def model(self) -> constriction.stream.model.Categorical:
        return constriction.stream.model.Categorical(self.probabilities, perfect=False)

    @cached_property
    def bits_of_cells(self) -> NDArray[np.float64]:
        """Bits that each number of cells takes; of the last, without the larger number that follows."""
        share = self.probabilities / self.probabilities.sum()
        return -np.log2(np.maximum(share, 2.0**-24))

    def least_bytes(self, places: Places) -> int:
        return int(0.999 * _least_bits(places.gaps, self)) // 8

    def write(self, places: Places) -> Section:
        octets = _encode(places.gaps, self)
        return Section(octets, 8 * len(octets))

    def read(self, octets: Tensor) -> Tensor:
        return _decode(octets, self)

    @property
    def most_bytes(self) -> int:
        """More than any section has: 40 bits for every number of cells, and what is left of the gaps."""
        return int(len(self.in_cells) * 40 + self.rest_bits) // 8 + 16


@counted(flop=lambda gaps_K, code: 2 * len(gaps_K))
def _least_bits(gaps_K: Tensor, code: Entropy) -> float:
    """A division and an addition an entry."""
    cells = gaps_K.numpy()[code.in_cells] // code.cell_K[code.in_cells]
    return float(code.bits_of_cells[np.minimum(cells, SYMBOLS - 1)].sum()) + code.rest_bits


@counted(flop=lambda gaps_K, code: 12 * len(gaps_K))
def _encode(gaps_K: Tensor, code: Entropy) -> Tensor:
    """Quotient and remainder, and for each of both a division, two products and two additions."""
    cells_K, rest_K = np.divmod(gaps_K.numpy(), code.cell_K)
    cells = cells_K[code.in_cells].astype(np.int32)
    larger = cells[cells >= SYMBOLS - 1]
    coder, uniform = constriction.stream.stack.AnsCoder(), constriction.stream.model.Uniform
    if len(code.rests):
        coder.encode_reverse(rest_K[code.in_rests].astype(np.int32), uniform(), code.rests)
    if len(larger):
        coder.encode_reverse(larger, uniform(LARGEST))
    if len(cells):
        coder.encode_reverse(np.minimum(cells, SYMBOLS - 1), code.model)
    octets = coder.get_compressed().astype("<u4").tobytes().rstrip(b"\0")
    return (
        torch.frombuffer(bytearray(octets), dtype=torch.uint8)
        if octets
        else torch.empty(0, dtype=torch.uint8)
    )


@counted(flop=lambda octets, code: 12 * code.pieces.elements)
def _decode(octets: Tensor, code: Entropy) -> Tensor:
    """The same backwards."""
    plain = octets.numpy().tobytes()
    if len(plain) > code.most_bytes or plain[-1:] == b"\0":
        raise WireError(f"{len(plain)} bytes are none of the {code.name} code")
    words = np.frombuffer(plain + bytes(-len(plain) % 4), "<u4").astype(np.uint32)
    coder, uniform = constriction.stream.stack.AnsCoder(words), constriction.stream.model.Uniform
    cells_K, rest_K = np.zeros_like(code.cell_K), np.zeros_like(code.cell_K)
    if len(code.in_cells):
        cells = coder.decode(code.model, len(code.in_cells))
        larger = np.flatnonzero(cells == SYMBOLS - 1)
        if len(larger):
            cells[larger] = coder.decode(uniform(LARGEST), len(larger))
        cells_K[code.in_cells] = cells
    if len(code.rests):
        rest_K[code.in_rests] = coder.decode(uniform(), code.rests)
    if not coder.is_empty():
        raise WireError("bytes after the last position")
    return torch.from_numpy(inside_from(cells_K * code.cell_K + rest_K, code.pieces))
