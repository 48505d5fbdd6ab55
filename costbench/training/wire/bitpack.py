"""Unsigned integers as packed strings of bits, most significant bit first, padded to a whole byte."""

from __future__ import annotations

import torch
from torch import Tensor

_SHIFT_IN_BYTE = torch.arange(7, -1, -1, dtype=torch.uint8)


def packed_bytes(n_bits: int) -> int:
    """Bytes that hold so many bits."""
    return -(-n_bits // 8)


def pack_bits(bits: Tensor) -> Tensor:
    """Zeros and ones [n], bool or integer, to uint8 [ceil(n / 8)]; unused bits at the end are 0."""
    padded = torch.zeros(8 * packed_bytes(len(bits)), dtype=torch.uint8)
    padded[: len(bits)] = bits
    return (padded.view(-1, 8) << _SHIFT_IN_BYTE).sum(dim=1, dtype=torch.uint8)


def unpack_bits(packed: Tensor, n_bits: int) -> Tensor:
    """uint8 [ceil(n / 8)] to its first n bits, uint8 [n]."""
    return ((packed[:, None] >> _SHIFT_IN_BYTE) & 1).view(-1)[:n_bits]


def pack_fixed(integers: Tensor, width: int) -> Tensor:
    """int32 [n], each in `width` bits, to uint8 [ceil(n width / 8)]."""
    shifts = torch.arange(width - 1, -1, -1, dtype=torch.int32)
    return pack_bits(((integers[:, None] >> shifts) & 1).view(-1))


def unpack_fixed(packed: Tensor, width: int, n_integers: int) -> Tensor:
    """uint8 [ceil(n width / 8)] to int32 [n]."""
    shifts = torch.arange(width - 1, -1, -1, dtype=torch.int32)
    bits = unpack_bits(packed, n_integers * width).view(n_integers, width)
    return (bits << shifts).sum(dim=1, dtype=torch.int32)


class BitPacker:
    """Packs K integers of mixed widths, the i-th in `widths[i]` bits, into ceil(sum(widths) / 8) bytes.

    It keeps 12 bytes for every bit of a message.

    Parameters
    ----------
    widths : int64 [K], bits of each integer, 0 allowed for an integer that can only be 0
    """

    def __init__(self, widths: Tensor):
        self.n_integers, n_bits = widths.numel(), int(widths.sum())
        starts = widths.cumsum(0) - widths
        self._integer_of_bit = torch.repeat_interleave(torch.arange(self.n_integers), widths)
        place = torch.arange(n_bits) - starts[self._integer_of_bit]
        self._shift_of_bit = (widths[self._integer_of_bit] - 1 - place).to(torch.int32)

    def pack(self, integers: Tensor) -> Tensor:
        """int32 [K] to uint8 [n_bytes]."""
        return pack_bits((integers[self._integer_of_bit] >> self._shift_of_bit).bitwise_and_(1))

    def unpack(self, packed: Tensor) -> Tensor:
        """uint8 [n_bytes] to int32 [K]."""
        bits = unpack_bits(packed, len(self._shift_of_bit))
        integers = torch.zeros(self.n_integers, dtype=torch.int32)
        return integers.index_add_(0, self._integer_of_bit, bits.to(torch.int32) << self._shift_of_bit)
