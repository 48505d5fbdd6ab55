"""Entries as float32 and nothing else: the whole vector, or one block of it."""

from __future__ import annotations

import struct

import torch
from torch import Tensor

from costbench.errors import WireError
from costbench.training.vectors import Block, Dense, Vector
from costbench.training.wire.message import Body, Codec, floats, octets_of


class DenseCodec(Codec):
    """All D entries of any vector."""

    number = 1

    @property
    def n_bytes(self) -> int:
        return 4 * self.agreement.elements

    def body_bytes(self, body: Tensor) -> int:
        return self.n_bytes

    def write(self, vector: Vector) -> Body:
        entries = vector.dense()
        self.refuse_other_lengths(len(entries))
        return Body([entries.view(torch.uint8)], value=32 * len(entries))

    def read(self, body: Tensor) -> Dense:
        return Dense(floats(body))


class BlockCodec(Codec):
    """Start and length, uint32 each, then the entries; the length is the sender's choice."""

    number = 6
    PLACE_BYTES = 8

    def body_bytes(self, body: Tensor) -> int:
        return self.PLACE_BYTES + 4 * self._place(body)[1]

    def write(self, vector: Vector) -> Body:
        if not isinstance(vector, Block) or vector.numel != self.agreement.parameters:
            raise WireError(f"no block of the {self.agreement.parameters} entries that were agreed")
        start, length = vector.start, vector.elements
        self._refuse_outside(start, length)
        place = octets_of(struct.pack("<II", start, length))
        return Body([place, vector.entries.view(torch.uint8)], 32 * length, index=8 * self.PLACE_BYTES)

    def read(self, body: Tensor) -> Block:
        start, _ = self._place(body)
        return Block(start, floats(body[self.PLACE_BYTES :]), self.agreement.parameters)

    def _place(self, body: Tensor) -> tuple[int, int]:
        if len(body) < self.PLACE_BYTES:
            raise WireError(f"a block of {len(body)} bytes does not say where it lies")
        start, length = struct.unpack("<II", bytes(body[: self.PLACE_BYTES].tolist()))
        self._refuse_outside(start, length)
        return start, length

    def _refuse_outside(self, start: int, length: int) -> None:
        if not 0 <= start <= start + length <= self.agreement.parameters:
            raise WireError(f"a block of {length} entries from {start} on is not inside the vector")
