"""Vectors to messages and back: which codec carries which kind of vector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor

from costbench.errors import WireError
from costbench.training.compressors import Compressor, Qsgd, RandomK, Sign, TopK
from costbench.training.counters.phases import phase
from costbench.training.vectors import Block, Dense, Levels, Seeded, Signs, Sparse, Vector
from costbench.training.wire.floats import BlockCodec, DenseCodec
from costbench.training.wire.message import (
    FLOAT32,
    HEADER_BYTES,
    VERSION,
    Agreement,
    Bits,
    Codec,
    Message,
    floats,
    header,
)
from costbench.training.wire.quantised import LevelsCodec, SignCodec
from costbench.training.wire.sparse import PackedCodec, SeededCodec, packed_length

Kind = type[Vector]
CodecName = Literal["auto", "dense", "packed"]


class Wire:
    """Encodes vectors and decodes bytes.

    Parameters
    ----------
    numels : entries of every parameter tensor
    compressor : what makes the vectors that are not dense; None where all are dense or blocks of one
    codec : "dense" sends all entries of every vector, but of a block its own; "packed" sends dense and
        sparse vectors as entries and positions, and nothing else; "auto" sends each kind by the codec made
        for it, except sparse vectors that are shorter as dense ones
    """

    def __init__(
        self, numels: Sequence[int], compressor: Compressor | None = None, codec: CodecName = "auto"
    ):
        self.codec = codec
        self._codec_of = _codecs(Agreement(numels, numels), compressor, codec)
        self._by_header = {(c.number, c.checksum): c for c in self._codec_of.values()}

    @phase("compress", holds="messages")
    def encode(self, vector: Vector, side_S: Tensor | None = None) -> Message:
        """The message that carries `vector` and the side numbers float32 [S]; WireError if none can."""
        side = [] if side_S is None else [side_S.to(torch.float32).view(-1).view(torch.uint8)]
        side_bytes = sum(map(len, side))
        codec = self._codec_of.get(type(vector))
        if codec is None:
            raise WireError(f"no {self.codec} message of this run carries {type(vector).__name__}")
        body = codec.write(vector)
        payload = torch.cat([header(codec, side_bytes // 4), *side, *body.octets])
        bits = Bits(body.value, body.index, body.side + 8 * side_bytes, body.padding, 8 * HEADER_BYTES)
        if bits.total != 8 * len(payload):
            raise WireError(f"encoded {8 * len(payload)} bits but accounted for {bits.total}")
        return Message(payload, bits, vector.elements)

    @phase("compress", holds="messages")
    def decode(self, payload: Tensor) -> tuple[Vector, Tensor]:
        """The vector and the side numbers [S] that a message carries; WireError if it cannot be one."""
        if len(payload) < HEADER_BYTES:
            raise WireError(f"a message of {len(payload)} bytes is shorter than its header")
        head = bytes(payload[:HEADER_BYTES].tolist())
        version, number, values, n_side = head[:4]
        codec = self._by_header.get((number, int.from_bytes(head[4:], "little")))
        if codec is None or (version, values) != (VERSION, FLOAT32):
            raise WireError(f"header {head.hex()} belongs to no message of this run")
        start = HEADER_BYTES + 4 * n_side
        body = payload[start:]
        expected = start + codec.body_bytes(body)
        if len(payload) != expected:
            raise WireError(f"a message of {len(payload)} bytes where its header announces {expected}")
        return codec.read(body), floats(payload[HEADER_BYTES:start])


def _codecs(full: Agreement, compressor: Compressor | None, codec: CodecName) -> dict[Kind, Codec]:
    """The codec of every kind of vector that can be sent."""
    dense, block = DenseCodec(full), BlockCodec(full)
    if codec == "dense":
        return {**dict.fromkeys((Dense, Sparse, Seeded, Signs, Levels), dense), Block: block}
    if codec == "auto":
        return {Dense: dense, Block: block, **_native(full, dense, compressor)}
    packed: dict[Kind, Codec] = {Dense: PackedCodec(full)}
    if isinstance(compressor, TopK):
        packed[Sparse] = PackedCodec(_agreement(compressor))
    return packed


def _native(full: Agreement, dense: DenseCodec, compressor: Compressor | None) -> dict[Kind, Codec]:
    """The codec made for what the compressor makes."""
    match compressor:
        case TopK():
            agreement = _agreement(compressor)
            return {Sparse: PackedCodec(agreement) if packed_length(agreement) < dense.n_bytes else dense}
        case RandomK():
            return {Seeded: SeededCodec(compressor)}
        case Sign():
            return {Signs: SignCodec(full.numels)}
        case Qsgd():
            return {Levels: LevelsCodec(full.numels, compressor.levels)}
    return {}


def _agreement(compressor: TopK) -> Agreement:
    return Agreement(compressor.numels, compressor.kept)
