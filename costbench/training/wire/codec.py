"""The dense and the packed codec behind one header.

A message is: header (8 bytes), side numbers (float32 each), body.

====== ===========================================================================================
byte   header
====== ===========================================================================================
0      version of this layout, 1
1      codec: 1 dense, 2 packed
2      type of the entries: 1 float32
3      number of side numbers
4-7    CRC-32 of the agreement (little-endian): length of every tensor and entries kept of each
====== ===========================================================================================

Everything is little-endian. The *agreement* is known to both ends before training, as the model is;
so a message carries neither shapes nor counts, and its length follows from the agreement.
*dense*: all D entries. *packed*: K entries, then their K positions inside their tensors, those of a
tensor of n entries in ceil(log2 n) bits each, most significant bit first, padded to a whole byte.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from costbench.errors import WireError
from costbench.training.counters.phases import phase
from costbench.training.vectors import Dense, Sparse, Vector
from costbench.training.wire.bitpack import BitPacker

VERSION, HEADER_BYTES, FLOAT32 = 1, 8, 1
DENSE, PACKED = 1, 2
CODECS = {"dense": DENSE, "packed": PACKED}


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


class Agreement:
    """What both ends know of a sparse vector: the length n of every tensor and the entries k kept of it."""

    def __init__(self, numels: Sequence[int], kept: Sequence[int]):
        self.parameters, self.elements = sum(numels), sum(kept)
        text = ",".join(f"{n}:{k}" for n, k in zip(numels, kept, strict=True))
        self.checksum = zlib.crc32(text.encode())
        repeats, lengths = torch.tensor(kept), torch.tensor(numels)
        self.starts_K = (lengths.cumsum(0) - lengths).repeat_interleave(repeats)
        self.limits_K = lengths.repeat_interleave(repeats)
        widths = torch.tensor([(n - 1).bit_length() for n in numels])
        self.packer = BitPacker(widths.repeat_interleave(repeats))


class Wire:
    """Encodes vectors and decodes bytes.

    Parameters
    ----------
    numels : entries of every parameter tensor
    kept : entries that a sparse vector has of every tensor, or None where nothing is sparse
    codec : "dense", "packed", or "auto" for the shorter of the two for each message
    """

    def __init__(
        self,
        numels: Sequence[int],
        kept: Sequence[int] | None = None,
        codec: Literal["auto", "dense", "packed"] = "auto",
    ):
        self.codec = codec
        self.full = Agreement(numels, numels)
        self.sparse = self.full if kept is None else Agreement(numels, kept)
        self._by_checksum = {a.checksum: a for a in (self.full, self.sparse)}

    @phase("compress", holds="messages")
    def encode(self, vector: Vector, side_S: Tensor | None = None) -> Message:
        """The message that carries `vector` and the side numbers float32 [S]."""
        side = [] if side_S is None else [side_S.to(torch.float32).view(-1).view(torch.uint8)]
        codec = self._codec_for(vector)
        body, agreement, bits = self._dense(vector) if codec == DENSE else self._packed(vector)
        head = _header(codec, len(side[0]) // 4 if side else 0, agreement.checksum)
        payload = torch.cat([head, *side, *body])
        bits = Bits(bits.value, bits.index, 8 * sum(map(len, side)), bits.padding, 8 * HEADER_BYTES)
        if bits.total != 8 * len(payload):
            raise WireError(f"encoded {8 * len(payload)} bits but accounted for {bits.total}")
        return Message(payload, bits, vector.elements)

    @phase("compress", holds="messages")
    def decode(self, payload: Tensor) -> tuple[Vector, Tensor]:
        """The vector and the side numbers [S] that a message carries; WireError if it cannot be one."""
        if len(payload) < HEADER_BYTES:
            raise WireError(f"a message of {len(payload)} bytes is shorter than its header")
        head = bytes(payload[:HEADER_BYTES].tolist())
        version, codec, values, n_side = head[:4]
        agreement = self._by_checksum.get(int.from_bytes(head[4:], "little"))
        known = (version, values) == (VERSION, FLOAT32) and codec in (DENSE, PACKED)
        if not known or agreement is None or (codec == DENSE and agreement.elements < self.full.elements):
            raise WireError(f"header {head.hex()} belongs to no message of this run")
        body_bytes = 4 * agreement.elements + (agreement.packer.n_bytes if codec == PACKED else 0)
        expected = HEADER_BYTES + 4 * n_side + body_bytes
        if len(payload) != expected:
            raise WireError(f"a message of {len(payload)} bytes where its header announces {expected}")
        body = payload[HEADER_BYTES + 4 * n_side :]
        side_S = _floats(payload[HEADER_BYTES : HEADER_BYTES + 4 * n_side])
        return (Dense(_floats(body)) if codec == DENSE else _unpacked(body, agreement)), side_S

    def _codec_for(self, vector: Vector) -> int:
        if self.codec != "auto":
            return CODECS[self.codec]
        agreement = self.full if isinstance(vector, Dense) else self.sparse
        packed = 4 * agreement.elements + agreement.packer.n_bytes
        return PACKED if packed < 4 * self.full.parameters else DENSE

    def _dense(self, vector: Vector) -> tuple[list[Tensor], Agreement, Bits]:
        entries = vector.dense()
        return [entries.view(torch.uint8)], self.full, Bits(32 * len(entries), 0, 0, 0, 0)

    def _packed(self, vector: Vector) -> tuple[list[Tensor], Agreement, Bits]:
        if isinstance(vector, Dense):
            agreement, index_K = self.full, torch.arange(vector.elements)
        else:
            agreement, index_K = self.sparse, vector.index
        if vector.elements != agreement.elements:
            raise WireError(f"{vector.elements} entries where {agreement.elements} were agreed")
        packer = agreement.packer
        packed = packer.pack((index_K - agreement.starts_K).to(torch.int32))
        bits = Bits(32 * vector.elements, packer.n_bits, 0, packer.padding_bits, 0)
        return [vector.entries.view(torch.uint8), packed], agreement, bits


def _header(codec: int, n_side: int, checksum: int) -> Tensor:
    head = bytes([VERSION, codec, FLOAT32, n_side]) + checksum.to_bytes(4, "little")
    return torch.tensor(list(head), dtype=torch.uint8)


def _floats(octets: Tensor) -> Tensor:
    return octets.clone().view(torch.float32)


def _unpacked(body: Tensor, agreement: Agreement) -> Sparse:
    value_bytes = 4 * agreement.elements
    inside_K = agreement.packer.unpack(body[value_bytes:]).to(torch.int64)
    if bool((inside_K >= agreement.limits_K).any()):
        raise WireError("a position outside its tensor")
    return Sparse(inside_K + agreement.starts_K, _floats(body[:value_bytes]), agreement.parameters)
