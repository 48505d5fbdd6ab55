"""Entries and nothing else: those of the whole vector, or of one block of it."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from torch import Tensor

from costbench.errors import WireError
from costbench.training.values import Values
from costbench.training.vectors import Block, Dense, Vector
from costbench.training.wire.message import (
    Body,
    Codec,
    agreement,
    octets_of,
    refuse_other_elements,
    refuse_other_length,
)


class DenseCodec(Codec):
    """All D entries of any vector; a scale, where the type has one, for every tensor."""

    name, number = "dense", 1

    def __init__(self, numels: Sequence[int], values: Values):
        super().__init__(agreement(numels, numels))
        self.numels, self.values, self.parameters = numels, values, sum(numels)
        self.n_bytes = values.n_bytes(numels)

    def write(self, vector: Vector) -> Body:
        entries = vector.dense()
        refuse_other_elements(len(entries), self.parameters)
        octets = self.values.write(entries, self.numels)
        side = 8 * self.values.scale_bytes * len(self.numels)
        return Body(octets, value=self.values.bits * len(entries), side=side)

    def read(self, body: Tensor) -> Dense:
        refuse_other_length(body, self.n_bytes)
        return Dense(self.values.read(body, self.numels))


class BlockCodec(Codec):
    """Start and length, uint32 each, then the entries; the length is the sender's choice."""

    name, number = "block", 6
    PLACE_BYTES = 8

    def __init__(self, numels: Sequence[int], values: Values):
        super().__init__(agreement(numels, numels))
        self.values, self.parameters = values, sum(numels)

    def write(self, vector: Vector) -> Body:
        if not isinstance(vector, Block) or vector.numel != self.parameters:
            raise WireError(f"no block of the {self.parameters} entries that were agreed")
        start, length = vector.start, vector.elements
        self._refuse_outside(start, length)
        octets = [octets_of(struct.pack("<II", start, length)), *self.values.write(vector.entries, [length])]
        index, side = 8 * self.PLACE_BYTES, 8 * self.values.scale_bytes
        return Body(octets, self.values.bits * length, index=index, side=side)

    def read(self, body: Tensor) -> Block:
        if len(body) < self.PLACE_BYTES:
            raise WireError(f"a block of {len(body)} bytes does not say where it lies")
        start, length = struct.unpack("<II", bytes(body[: self.PLACE_BYTES].tolist()))
        self._refuse_outside(start, length)
        refuse_other_length(body, self.PLACE_BYTES + self.values.n_bytes([length]))
        entries = self.values.read(body[self.PLACE_BYTES :], [length])
        return Block(start, entries, self.parameters)

    def _refuse_outside(self, start: int, length: int) -> None:
        if not 0 <= start <= start + length <= self.parameters:
            raise WireError(f"a block of {length} entries from {start} on is not inside the vector")
