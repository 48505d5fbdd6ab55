"""What every message has: a header, side numbers, a body, and an account of its bits.

A message is: header (8 bytes), side numbers (float32 each), body.

====== ===========================================================================================
byte   header
====== ===========================================================================================
0      version of this layout, 1
1      codec of the body: 1 dense, 2 packed, 3 seeded, 4 sign, 5 levels, 6 block
2      type of the entries: 1 float32
3      number of side numbers
4-7    CRC-32 of the agreement (little-endian)
====== ===========================================================================================

Everything is little-endian. The *agreement* is known to both ends before training, as the model is: the
length n of every tensor and the entries k of it that a body carries, written "n:k,n:k", and where entries
are quantised the number of levels, "n:n,n:n;levels". So no message carries shapes.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from costbench.errors import WireError
from costbench.training.vectors import Vector

VERSION, HEADER_BYTES, FLOAT32 = 1, 8, 1


@dataclass(frozen=True)
class Bits:
    """What the bits of a message are for; they add up to 8 times its length in bytes."""

    value: int
    index: int
    side: int
    padding: int
    header: int

    @property
    def total(self) -> int:
        return self.value + self.index + self.side + self.padding + self.header


@dataclass(frozen=True)
class Message:
    """Encoded bytes, uint8 [length], and what they are for."""

    payload: Tensor
    bits: Bits
    elements: int


@dataclass(frozen=True)
class Body:
    """The octets of a vector, uint8 tensors to be sent one after the other, and what their bits are for."""

    octets: list[Tensor]
    value: int
    index: int = 0
    side: int = 0
    padding: int = 0


@dataclass(frozen=True)
class Agreement:
    """What both ends know of a body: the length n of every tensor and the entries k that are sent of it."""

    numels: Sequence[int]
    kept: Sequence[int]
    levels: int | None = None

    @property
    def parameters(self) -> int:
        return sum(self.numels)

    @property
    def elements(self) -> int:
        return sum(self.kept)

    @property
    def checksum(self) -> int:
        text = ",".join(f"{n}:{k}" for n, k in zip(self.numels, self.kept, strict=True))
        return zlib.crc32((text if self.levels is None else f"{text};{self.levels}").encode())


class Codec(ABC):
    """How one kind of vector becomes octets under an agreement, and octets such a vector."""

    number: ClassVar[int]
    """The codec's number in the header."""

    def __init__(self, agreement: Agreement):
        self.agreement, self.checksum = agreement, agreement.checksum

    @abstractmethod
    def body_bytes(self, body: Tensor) -> int:
        """The length that the body must have: that of every body, or the one that it announces."""

    @abstractmethod
    def write(self, vector: Vector) -> Body:
        """The octets of a vector; WireError if it is not one that was agreed."""

    @abstractmethod
    def read(self, body: Tensor) -> Vector:
        """The vector in a body of the right length; WireError if no vector has these octets."""

    def refuse_other_lengths(self, elements: int) -> None:
        if elements != self.agreement.elements:
            raise WireError(f"{elements} entries where {self.agreement.elements} were agreed")


def header(codec: Codec, n_side: int) -> Tensor:
    """The 8 bytes before side numbers and body."""
    head = bytes([VERSION, codec.number, FLOAT32, n_side])
    return octets_of(head + codec.checksum.to_bytes(4, "little"))


def octets_of(plain: bytes) -> Tensor:
    return torch.tensor(list(plain), dtype=torch.uint8)


def floats(octets: Tensor) -> Tensor:
    """float32 numbers from a copy of their octets."""
    return octets.clone().view(torch.float32)
