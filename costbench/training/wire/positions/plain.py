"""Positions written out, each in a number of bits that its tensor fixes; and as a map of all entries."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from costbench.errors import WireError
from costbench.training.counters.own import counted
from costbench.training.wire.bitpack import only_zeros_from, pack_mixed, unpack_mixed
from costbench.training.wire.positions.position_code import FixedLength, Integers, Pieces


class _Coo(FixedLength):
    """Every position inside its tensor as an unsigned integer of 2, 4 or 8 bytes, little-endian."""

    dtype: str

    def __init__(self, pieces: Pieces):
        super().__init__(pieces)
        self.n_bits = 8 * np.dtype(self.dtype).itemsize * pieces.elements

    def octets(self, inside_K: Tensor) -> Tensor:
        return _as_integers(inside_K, self.dtype)

    def positions(self, octets: Tensor) -> Tensor:
        return _from_integers(octets, self.dtype)


class Coo16(_Coo):
    """16 bits a position: of tensors of at most 65,536 entries."""

    name, number, dtype, longest = "coo16", 7, "<u2", 2**16


class Coo32(_Coo):
    """32 bits a position: of tensors of at most 2^32 entries."""

    name, number, dtype, longest = "coo32", 8, "<u4", 2**32


class Coo64(_Coo):
    """64 bits a position."""

    name, number, dtype = "coo64", 9, "<u8"


@counted(flop=lambda inside_K, dtype: 0)
def _as_integers(inside_K: Tensor, dtype: str) -> Tensor:
    return torch.from_numpy(inside_K.numpy().astype(dtype).view(np.uint8))


@counted(flop=lambda octets, dtype: 0)
def _from_integers(octets: Tensor, dtype: str) -> Tensor:
    plain = np.frombuffer(octets.numpy().tobytes(), dtype)
    if len(plain) and plain.max() > np.iinfo(np.int64).max:
        raise WireError("a position outside its tensor")
    return torch.from_numpy(plain.astype(np.int64))


class Packed(FixedLength):
    """Positions of a tensor of n entries in ceil(log2 n) bits each, and all together padded to a byte."""

    name, number = "packed", 2

    def __init__(self, pieces: Pieces):
        super().__init__(pieces)
        widths_T = np.array([(int(n) - 1).bit_length() for n in pieces.numel_T])
        self.widths_K = pieces.each(widths_T)
        self.n_bits = int(self.widths_K.sum())

    def octets(self, inside_K: Tensor) -> Tensor:
        return _pack(inside_K, self.widths_K)

    def positions(self, octets: Tensor) -> Tensor:
        return _unpack(octets, self.widths_K)


@counted(flop=lambda inside_K, widths_K: 4 * len(inside_K))
def _pack(inside_K: Tensor, widths_K: Integers) -> Tensor:
    """An addition for where a position's bits begin, two shifts and a union."""
    return torch.from_numpy(pack_mixed(inside_K.numpy(), widths_K))


@counted(flop=lambda octets, widths_K: 5 * len(widths_K))
def _unpack(octets: Tensor, widths_K: Integers) -> Tensor:
    """The same, and the shift that brings the bits to the right."""
    packed = octets.numpy()
    if not only_zeros_from(packed, int(widths_K.sum())):
        raise WireError("bits after the last position")
    return torch.from_numpy(unpack_mixed(packed, widths_K))


class Bitmap(FixedLength):
    """One bit for every entry of the vector: 1 where it is sent."""

    name, number = "bitmap", 10

    def __init__(self, pieces: Pieces):
        super().__init__(pieces)
        self.n_bits = pieces.parameters

    def octets(self, inside_K: Tensor) -> Tensor:
        return _map(inside_K, self.pieces)

    def positions(self, octets: Tensor) -> Tensor:
        return _from_map(octets, self.pieces)


@counted(flop=lambda inside_K, pieces: len(inside_K))
def _map(inside_K: Tensor, pieces: Pieces) -> Tensor:
    """A bit set for every entry that is sent."""
    bits_D = np.zeros(pieces.parameters, np.uint8)
    bits_D[inside_K.numpy() + pieces.begin_of_each] = 1
    return torch.from_numpy(np.packbits(bits_D))


@counted(flop=lambda octets, pieces: pieces.parameters)
def _from_map(octets: Tensor, pieces: Pieces) -> Tensor:
    """A bit tested for every entry of the vector."""
    packed = octets.numpy()
    index_K = np.flatnonzero(np.unpackbits(packed))
    if len(index_K) != pieces.elements or not only_zeros_from(packed, pieces.parameters):
        raise WireError(f"a map of {len(index_K)} entries where {pieces.elements} were agreed")
    return torch.from_numpy(index_K - pieces.begin_of_each)
