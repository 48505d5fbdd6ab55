"""Vectors to messages and back: which codec carries which kind of vector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor

from costbench.errors import WireError
from costbench.training.compressors import Compressor, Qsgd, RandomK, Sign, TopK
from costbench.training.counters.phases import phase
from costbench.training.values import TYPES, Values
from costbench.training.vectors import Block, Dense, Levels, Seeded, Signs, Sparse, Vector
from costbench.training.wire.floats import BlockCodec, DenseCodec
from costbench.training.wire.message import (
    CHECKSUM_AT,
    FLOAT32,
    HEADER_BYTES,
    VERSION,
    Bits,
    Body,
    Codec,
    Message,
    checksum,
    sealed,
)
from costbench.training.wire.positions import CODES, Pieces
from costbench.training.wire.quantised import LevelsCodec, SignCodec
from costbench.training.wire.sparse import SeededCodec, Shortest, SparseCodec

Kind = type[Vector]
TRIED = ("packed", "bitmap", "golomb-rice", "elias-fano", "elias-gamma", "entropy")
"""Position codes that "auto" chooses from; the plain integers are never shorter than packed ones."""


class Writer(Protocol):
    """What writes one kind of vector: a codec, or several to choose from."""

    def written(self, vector: Vector, name: str | None = None) -> tuple[Codec, Body]: ...


class Wire:
    """Encodes vectors and decodes bytes.

    Parameters
    ----------
    numels : entries of every parameter tensor
    compressor : what makes the vectors that are not dense; None where all are dense or blocks of one
    codec : "auto" sends every vector by the codec of those made for it, or the dense one, that takes the
        fewest bytes; "dense" sends all entries of every vector, but of a block its own; the name of a
        position code sends sparse vectors in it; "seeded", "sign" and "qsgd" send what they are made for.
        Dense vectors and blocks have codecs of their own whatever is chosen
    values : the type of the entries, one of `costbench.training.values.TYPES`
    """

    def __init__(
        self,
        numels: Sequence[int],
        compressor: Compressor | None = None,
        codec: str = "auto",
        values: str = "float32",
    ):
        self.codec = codec
        self._writer_of = _writers(numels, compressor, codec, TYPES[values])
        self._by_number = {c.number: c for writer in self._writer_of.values() for c in _codecs_of(writer)}

    @phase("compress", holds="messages")
    def encode(self, vector: Vector, side_S: Tensor | None = None, as_codec: str | None = None) -> Message:
        """The message that carries `vector` and the side numbers float32 [S]; WireError if none can.

        `as_codec` names the codec that is to be used in the end where "auto" could choose another one.
        """
        side = [] if side_S is None else [side_S.to(torch.float32).view(-1)]
        writer = self._writer_of.get(type(vector))
        if writer is None:
            raise WireError(f"no {self.codec} message of this run carries {type(vector).__name__}")
        codec, body = writer.written(vector, as_codec)
        payload = sealed(codec, side, body.octets)
        side_bits = body.side + 32 * sum(map(len, side))
        bits = Bits(body.value, body.index, side_bits, body.padding, 8 * HEADER_BYTES)
        if bits.total != 8 * len(payload):
            raise WireError(f"encoded {8 * len(payload)} bits but accounted for {bits.total}")
        return Message(payload, bits, vector.elements, codec.name)

    @phase("compress", holds="messages")
    def decode(self, payload: Tensor) -> tuple[Vector, Tensor]:
        """The vector and the side numbers [S] that a message carries; WireError if it cannot be one."""
        if len(payload) < HEADER_BYTES:
            raise WireError(f"a message of {len(payload)} bytes is shorter than its header")
        head = payload[:HEADER_BYTES].numpy().tobytes()
        version, number, values, n_side = head[:CHECKSUM_AT]
        codec = self._by_number.get(number)
        if codec is None or (version, values) != (VERSION, codec.values.number):
            raise WireError(f"header {head.hex()} belongs to no message of this run")
        if checksum(payload, codec.seed) != head[CHECKSUM_AT:]:
            raise WireError(f"a message of {len(payload)} bytes whose checksum is not the one in its header")
        start = HEADER_BYTES + 4 * n_side
        if len(payload) < start:
            raise WireError(f"a message of {len(payload)} bytes has no room for {n_side} side numbers")
        return codec.read(payload[start:]), FLOAT32.read(payload[HEADER_BYTES:start], [n_side])


def _codecs_of(writer: Writer) -> list[Codec]:
    if isinstance(writer, Shortest):
        return [writer.dense, *writer.sparse.values()]
    assert isinstance(writer, Codec)
    return [writer]


def _writers(
    numels: Sequence[int], compressor: Compressor | None, codec: str, values: Values
) -> dict[Kind, Writer]:
    """What writes every kind of vector that can be sent."""
    dense, block = DenseCodec(numels, values), BlockCodec(numels, values)
    always: dict[Kind, Writer] = {Dense: dense, Block: block}
    if codec == "dense":
        return {**always, **dict.fromkeys((Sparse, Seeded, Signs, Levels), dense)}
    return always | _native(numels, compressor, codec, values, dense)


def _native(
    numels: Sequence[int], compressor: Compressor | None, codec: str, values: Values, dense: DenseCodec
) -> dict[Kind, Writer]:
    """What writes what the compressor makes, if `codec` can."""
    auto = codec == "auto"
    match compressor:
        case TopK() | RandomK() if codec in CODES:
            chosen = SparseCodec(CODES[codec](Pieces(compressor.numels, compressor.kept)), values)
            return {Sparse: chosen, Seeded: chosen}
        case TopK() if auto:
            pieces = Pieces(compressor.numels, compressor.kept)
            able = [CODES[name] for name in TRIED if CODES[name].longest >= max(compressor.numels)]
            return {Sparse: Shortest(dense, [SparseCodec(code(pieces), values) for code in able])}
        case RandomK() if auto or codec == "seeded":
            return {Seeded: _shorter(SeededCodec(compressor, values), dense, auto)}
        case Sign() if auto or codec == "sign":
            return {Signs: _shorter(SignCodec(numels), dense, auto)}
        case Qsgd() if auto or codec == "qsgd":
            return {Levels: _shorter(LevelsCodec(numels, compressor.levels), dense, auto)}
    return {}


def _shorter(native: SeededCodec | SignCodec | LevelsCodec, dense: DenseCodec, auto: bool) -> Codec:
    return dense if auto and dense.n_bytes < native.n_bytes else native
