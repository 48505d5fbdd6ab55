"""The types that a message's entries travel in: float32, float16, bfloat16, or int8 with a scale a tensor.

What is sent in another type than float32 is rounded first, so that sender and receivers go on with the same
numbers: `rounded` is exactly what the receiver reads.

Shapes: K entries in T pieces (the tensors that a message takes entries from), piece after piece.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from costbench.training.counters.own import counted


class Values(ABC):
    """How K entries become octets. `counts` are the entries of each piece, T numbers that add up to K."""

    name: str
    number: int
    """The type's number in the header."""
    bits: int
    """Bits of an entry."""
    scale_bytes: ClassVar[int] = 0
    """Bytes of the scale of a piece."""

    @abstractmethod
    def write(self, entries_K: Tensor, counts: Sequence[int]) -> list[Tensor]:
        """Octets uint8 of entries float32 [K], to be sent one after the other: scales, then entries."""

    @abstractmethod
    def read(self, octets: Tensor, counts: Sequence[int]) -> Tensor:
        """Entries float32 [K] from so many octets; they share no memory."""

    def n_bytes(self, counts: Sequence[int]) -> int:
        """Bytes of the scales and the entries."""
        return self.scale_bytes * len(counts) + self.bits // 8 * sum(counts)

    def rounded(self, entries_K: Tensor, counts: Sequence[int]) -> Tensor:
        """Entries float32 [K] as a receiver reads them; rounding them again changes nothing."""
        return self.read(torch.cat(self.write(entries_K, counts)), counts)


class Float(Values):
    """Floating point, rounded to the nearest; float16 ends at 65,504, and what lies beyond is infinite."""

    def __init__(self, number: int, dtype: torch.dtype):
        self.number, self.dtype = number, dtype
        self.name, self.bits = str(dtype).removeprefix("torch."), 8 * dtype.itemsize

    def write(self, entries_K: Tensor, counts: Sequence[int]) -> list[Tensor]:
        return [entries_K.to(self.dtype).view(torch.uint8)]

    def read(self, octets: Tensor, counts: Sequence[int]) -> Tensor:
        return octets.clone().view(self.dtype).to(torch.float32)

    def rounded(self, entries_K: Tensor, counts: Sequence[int]) -> Tensor:
        return entries_K.to(self.dtype).to(torch.float32)


LEAST_SCALE = 2.0**-126
"""The least normal float32."""
LARGEST_SCALE = (2**17 // 127) * 2.0**111
"""127 of it are the largest multiple that is a float32 still."""


class Int8(Values):
    """Whole multiples, from -127 to 127, of a float32 scale of every piece.

    The scale is the piece's largest magnitude over 127, rounded up to 17 significant bits: then every
    multiple is a float32 number, and entries that were rounded once have the same scale and multiples again.
    The error is at most half a scale. A piece with an entry that is not finite is read as not a number.
    """

    name, number, bits, scale_bytes = "int8", 4, 8, 4

    def write(self, entries_K: Tensor, counts: Sequence[int]) -> list[Tensor]:
        return _quantised(entries_K, counts)

    def read(self, octets: Tensor, counts: Sequence[int]) -> Tensor:
        return _multiplied(octets, counts)


@counted(flop=lambda entries_K, counts: 4 * len(entries_K) + 2 * len(counts))
def _quantised(entries_K: Tensor, counts: Sequence[int]) -> list[Tensor]:
    """Scales and multiples: a magnitude, a comparison, a division and a rounding an entry."""
    x_K = entries_K.numpy()
    scale_T = _scales(x_K, counts)
    with np.errstate(invalid="ignore"):
        multiples_K = np.rint(x_K / np.where(scale_T > 0, scale_T, 1).repeat(counts))
        whole_K = np.nan_to_num(multiples_K, nan=0.0).clip(-127, 127).astype(np.int8)
    return [torch.from_numpy(scale_T.view(np.uint8)), torch.from_numpy(whole_K.view(np.uint8))]


@counted(flop=lambda octets, counts: sum(counts))
def _multiplied(octets: Tensor, counts: Sequence[int]) -> Tensor:
    n_scales, plain = 4 * len(counts), octets.numpy()
    scale_T = np.frombuffer(plain[:n_scales].tobytes(), "<f4")
    with np.errstate(invalid="ignore", over="ignore"):
        return torch.from_numpy(plain[n_scales:].view(np.int8) * scale_T.repeat(counts))


def _scales(x_K: np.ndarray, counts: Sequence[int]) -> np.ndarray:
    """float32 [T] of 17 bits, so that 127 times one is a float32 again."""
    peak_T = np.zeros(len(counts))
    filled = np.flatnonzero(counts)
    if len(filled):
        starts = np.cumsum([0, *counts])[filled]
        peak_T[filled] = np.maximum.reduceat(np.abs(x_K), starts)
    mantissa_T, exponent_T = np.frexp(peak_T / 127)
    scale_T = np.ldexp(np.ceil(np.ldexp(mantissa_T, 17)), exponent_T - 17)
    kept_T = np.where(np.isfinite(peak_T), scale_T.clip(LEAST_SCALE, LARGEST_SCALE), peak_T)
    return np.where(peak_T > 0, kept_T, peak_T).astype("<f4")


TYPES: dict[str, Values] = {
    "float32": Float(1, torch.float32),
    "float16": Float(2, torch.float16),
    "bfloat16": Float(3, torch.bfloat16),
    "int8": Int8(),
}
