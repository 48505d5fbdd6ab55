"""What every message has: a header, side numbers, a body, and an account of its bits.

A message is: header (8 bytes), side numbers (float32 each), body.

====== ===========================================================================================
byte   header
====== ===========================================================================================
0      version of this layout, 2
1      codec of the body: 1 dense, 2 packed, 3 seeded, 4 sign, 5 qsgd, 6 block, 7 coo16, 8 coo32,
       9 coo64, 10 bitmap, 11 golomb-rice, 12 elias-fano, 13 elias-gamma, 14 entropy
2      type of the entries: 1 float32, 2 float16, 3 bfloat16, 4 int8
3      number of side numbers
4-7    CRC-32C of the agreement, bytes 0 to 3, and everything after the header (little-endian)
====== ===========================================================================================

Everything is little-endian but strings of bits, which begin with the most significant one. The *agreement* is
known to both ends before training, as the model is: the length n of every piece (a tensor, or the whole
vector) and the entries k of it that a body carries, written "n:k,n:k", and where entries are quantised the
number of levels, "n:n,n:n;levels". So no message carries shapes.

The checksum finds every change of bits that lie within 32 bits of each other, a single one among them; of
other damage it misses one in 2^32. A body that passes it is still checked against the agreement.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import google_crc32c
import numpy as np
import torch
from torch import Tensor

from costbench.errors import WireError
from costbench.training.counters.own import counted
from costbench.training.values import TYPES, Values
from costbench.training.vectors import Vector

VERSION, HEADER_BYTES, CHECKSUM_AT = 2, 8, 4
FLOAT32 = TYPES["float32"]


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
    """Encoded bytes, uint8 [length], what they are for, and the name of the codec that made them."""

    payload: Tensor
    bits: Bits
    elements: int
    codec: str


@dataclass(frozen=True)
class Body:
    """The octets of a vector, uint8 tensors to be sent one after the other, and what their bits are for."""

    octets: list[Tensor]
    value: int
    index: int = 0
    side: int = 0
    padding: int = 0


def agreement(numels: Sequence[int], kept: Sequence[int], levels: int | None = None) -> bytes:
    """What both ends know of a body, in writing."""
    text = ",".join(f"{n}:{k}" for n, k in zip(numels, kept, strict=True))
    return (text if levels is None else f"{text};{levels}").encode()


class Codec(ABC):
    """How one kind of vector becomes octets under an agreement, and octets such a vector."""

    name: str
    """What the ledger calls it."""
    number: int
    """Its number in the header."""
    values: Values = FLOAT32
    """The type of the entries."""

    def __init__(self, agreed: bytes):
        self.seed = google_crc32c.value(agreed)

    def written(self, vector: Vector, name: str | None = None) -> tuple[Codec, Body]:
        """The codec, which is this one, and the body that it writes; WireError if another is asked for."""
        if name not in (None, self.name):
            raise WireError(f"no {name} message where {self.name} was agreed")
        return self, self.write(vector)

    @abstractmethod
    def write(self, vector: Vector) -> Body:
        """The octets of a vector; WireError if it is not one that was agreed."""

    @abstractmethod
    def read(self, body: Tensor) -> Vector:
        """The vector in a body; WireError if no vector has these octets."""


def sealed(codec: Codec, side: list[Tensor], body: list[Tensor]) -> Tensor:
    """Header, side numbers float32 and the octets of a body, as one payload."""
    n_side = sum(map(len, side))
    head = octets_of(bytes([VERSION, codec.number, codec.values.number, n_side, 0, 0, 0, 0]))
    payload = torch.cat([head, *(numbers.view(torch.uint8) for numbers in side), *body])
    payload.numpy()[CHECKSUM_AT:HEADER_BYTES] = np.frombuffer(checksum(payload, codec.seed), np.uint8)
    return payload


@counted(flop=lambda payload, seed: len(payload))
def _crc(payload: Tensor, seed: int) -> int:
    octets = payload.numpy()
    head = google_crc32c.extend(seed, octets[:CHECKSUM_AT].tobytes())
    return int(google_crc32c.extend(head, octets[HEADER_BYTES:]))


def checksum(payload: Tensor, seed: int) -> bytes:
    """The four bytes that belong into the header, one operation a byte."""
    return _crc(payload, seed).to_bytes(4, "little")


def octets_of(plain: bytes) -> Tensor:
    return torch.from_numpy(np.frombuffer(plain, np.uint8).copy())


def refuse_other_length(body: Tensor, n_bytes: int) -> None:
    if len(body) != n_bytes:
        raise WireError(f"a body of {len(body)} bytes where {n_bytes} were agreed")


def refuse_other_elements(elements: int, agreed: int) -> None:
    if elements != agreed:
        raise WireError(f"{elements} entries where {agreed} were agreed")
