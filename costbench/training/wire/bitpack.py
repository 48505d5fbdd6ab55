"""Unsigned integers of mixed widths as a packed string of bits, most significant bit first."""

from __future__ import annotations

import torch
from torch import Tensor


class BitPacker:
    """Packs K integers, the i-th in `widths[i]` bits, into ceil(sum(widths) / 8) bytes.

    Parameters
    ----------
    widths : int64 [K], bits of each integer, 0 allowed for an integer that can only be 0
    """

    def __init__(self, widths: Tensor):
        self.n_integers = widths.numel()
        self.n_bits = int(widths.sum())
        self.n_bytes = -(-self.n_bits // 8)
        starts = widths.cumsum(0) - widths
        self._integer_of_bit = torch.repeat_interleave(torch.arange(self.n_integers), widths)
        place = torch.arange(self.n_bits) - starts[self._integer_of_bit]
        self._shift_of_bit = (widths[self._integer_of_bit] - 1 - place).to(torch.int32)
        self._shift_in_byte = torch.arange(7, -1, -1, dtype=torch.uint8)

    @property
    def padding_bits(self) -> int:
        return 8 * self.n_bytes - self.n_bits

    def pack(self, integers: Tensor) -> Tensor:
        """int32 [K] to uint8 [n_bytes]; unused bits at the end are 0."""
        bits = (integers[self._integer_of_bit] >> self._shift_of_bit).bitwise_and_(1)
        padded = torch.zeros(8 * self.n_bytes, dtype=torch.uint8)
        padded[: self.n_bits] = bits
        return (padded.view(-1, 8) << self._shift_in_byte).sum(dim=1, dtype=torch.uint8)

    def unpack(self, packed: Tensor) -> Tensor:
        """uint8 [n_bytes] to int32 [K]."""
        bits = ((packed[:, None] >> self._shift_in_byte) & 1).view(-1)[: self.n_bits]
        integers = torch.zeros(self.n_integers, dtype=torch.int32)
        return integers.index_add_(0, self._integer_of_bit, bits.to(torch.int32) << self._shift_of_bit)
