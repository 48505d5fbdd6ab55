"""What a position code is, and the positions that it writes.

A sparse message takes k of the n entries of every piece (a tensor, or all of the vector), and both ends know
n and k. What is left to say is where they lie. Every code but the plainest writes them in ascending order.

Shapes: K kept entries in T pieces, piece after piece.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from costbench.errors import WireError
from costbench.training.counters.own import counted
from costbench.training.wire.bitpack import packed_bytes

Integers = NDArray[np.int64]


class Pieces:
    """The length n of every piece and the entries k that are sent of it.

    Attributes
    ----------
    numel_T, kept_T : n and k, int64 [T]
    begins_T : where a piece begins in the vector, int64 [T]
    first_T : which of the K entries is the piece's first, int64 [T]
    """

    def __init__(self, numels: Sequence[int], kept: Sequence[int]):
        self.numel_T, self.kept_T = np.asarray(numels, np.int64), np.asarray(kept, np.int64)
        self.begins_T = np.cumsum(self.numel_T) - self.numel_T
        self.first_T = np.cumsum(self.kept_T) - self.kept_T
        self.parameters, self.elements = int(self.numel_T.sum()), int(self.kept_T.sum())

    def each(self, of_piece_T: Integers) -> Integers:
        """A number of every piece [T], for every entry [K]."""
        return of_piece_T.repeat(self.kept_T)

    @cached_property
    def begin_of_each(self) -> Integers:
        return self.each(self.begins_T)

    @cached_property
    def numel_of_each(self) -> Integers:
        return self.each(self.numel_T)

    @cached_property
    def starts(self) -> Integers:
        """Which entries are the first of their piece, for pieces that have any."""
        return self.first_T[self.kept_T > 0]

    @cached_property
    def _may_fall(self) -> NDArray[np.bool_]:
        """Whether an entry is the first of its piece, from the second entry on: bool [K - 1]."""
        firsts = np.zeros(self.elements, np.bool_)
        firsts[self.starts] = True
        return firsts[1:]

    def check(self, inside_K: Integers) -> None:
        """WireError unless the positions are in their pieces, each after the one before."""
        if (inside_K.view(np.uint64) >= self._limits).any():
            raise WireError("a position outside its tensor")
        if not ((inside_K[1:] > inside_K[:-1]) | self._may_fall).all():
            raise WireError("positions of a tensor that do not ascend")

    @cached_property
    def _limits(self) -> NDArray[np.uint64]:
        return self.numel_of_each.astype(np.uint64)


class Places:
    """Positions inside their pieces, int64 [K], ascending in each; and what lies between them."""

    def __init__(self, inside_K: Tensor, pieces: Pieces):
        self.inside, self.pieces = inside_K, pieces

    @cached_property
    def gaps(self) -> Tensor:
        """Entries between a position and the one before it, or the piece's beginning: int64 [K]."""
        return _gaps(self.inside, self.pieces)


@counted(flop=lambda inside_K, pieces: 2 * len(inside_K))
def _gaps(inside_K: Tensor, pieces: Pieces) -> Tensor:
    positions = inside_K.numpy()
    gaps_K = np.empty_like(positions)
    np.subtract(positions[1:], positions[:-1], out=gaps_K[1:])
    gaps_K[1:] -= 1
    gaps_K[pieces.starts] = positions[pieces.starts]
    return torch.from_numpy(gaps_K)


def inside_from(gaps_K: Integers, pieces: Pieces) -> Integers:
    """Positions inside their pieces from gaps, which are the positions' own; WireError if they leave it."""
    if bool((gaps_K >= pieces.numel_of_each).any()):
        raise WireError("a gap longer than its tensor")
    ends_K = np.cumsum(gaps_K + 1)
    before_T = np.concatenate(([0], ends_K))[pieces.first_T]
    inside_K = ends_K - pieces.each(before_T) - 1
    pieces.check(inside_K)
    return inside_K


@dataclass(frozen=True)
class Section:
    """The octets of positions, uint8, and how many of their bits say where, and how the code is set."""

    octets: Tensor
    index: int
    side: int = 0

    @property
    def padding(self) -> int:
        return 8 * len(self.octets) - self.index - self.side


class PositionCode(ABC):
    """One way of writing positions."""

    name: ClassVar[str]
    number: ClassVar[int]
    """Its number in the header, that of the messages' codec."""

    longest: ClassVar[int] = 2**40
    """Most entries of a tensor that it can tell apart."""

    def __init__(self, pieces: Pieces):
        if (numel := int(pieces.numel_T.max(initial=0))) > self.longest:
            raise WireError(f"{self.name} reaches tensors of {self.longest:,} entries, not of {numel:,}")
        self.pieces = pieces

    @abstractmethod
    def least_bytes(self, places: Places) -> int:
        """No fewer bytes than `write` takes; the same where the length follows from a formula."""

    @abstractmethod
    def write(self, places: Places) -> Section:
        """The octets of the positions."""

    @abstractmethod
    def read(self, octets: Tensor) -> Tensor:
        """Positions inside their pieces, int64 [K]; WireError if the octets are none of this code's."""


class FixedLength(PositionCode):
    """A code whose sections all have the same length."""

    n_bits: int

    @property
    def n_bytes(self) -> int:
        return packed_bytes(self.n_bits)

    def least_bytes(self, places: Places) -> int:
        return self.n_bytes

    def write(self, places: Places) -> Section:
        return Section(self.octets(places.inside), self.n_bits)

    def read(self, octets: Tensor) -> Tensor:
        if len(octets) != self.n_bytes:
            raise WireError(f"{len(octets)} bytes of positions where {self.name} has {self.n_bytes}")
        inside_K = self.positions(octets)
        self.pieces.check(inside_K.numpy())
        return inside_K

    @abstractmethod
    def octets(self, inside_K: Tensor) -> Tensor:
        """Positions inside their pieces as octets of this length."""

    @abstractmethod
    def positions(self, octets: Tensor) -> Tensor:
        """The positions, int64 [K], still to be checked; WireError if the octets cannot hold them."""
