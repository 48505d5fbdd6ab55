"""K entries as float32, and where they lie: positions written out, or the seed that they follow from.

Shapes: K kept entries.
"""

from __future__ import annotations

import torch
from torch import Tensor

from costbench.errors import WireError
from costbench.training.compressors import RandomK
from costbench.training.vectors import Dense, Seeded, Sparse, Vector
from costbench.training.wire.bitpack import BitPacker, packed_bytes
from costbench.training.wire.message import Agreement, Body, Codec, floats, octets_of


def packed_length(agreement: Agreement) -> int:
    """Bytes of a packed body."""
    return 4 * agreement.elements + packed_bytes(position_bits(agreement))


def position_bits(agreement: Agreement) -> int:
    """Bits of all positions: ceil(log2 n) for each entry that is sent of a tensor of n."""
    return sum(_width(n) * k for n, k in zip(agreement.numels, agreement.kept, strict=True))


def _width(n: int) -> int:
    return (n - 1).bit_length()


class PackedCodec(Codec):
    """The entries, then their positions inside their tensors, those of a tensor of n in ceil(log2 n) bits.

    Positions are written most significant bit first, and all of them together padded to a whole byte.
    """

    number = 2

    def __init__(self, agreement: Agreement):
        super().__init__(agreement)
        self.n_bytes, self.n_bits = packed_length(agreement), position_bits(agreement)
        self.value_bytes = 4 * agreement.elements
        repeats, lengths = torch.tensor(agreement.kept), torch.tensor(agreement.numels)
        self.starts_K = (lengths.cumsum(0) - lengths).repeat_interleave(repeats)
        self.limits_K = lengths.repeat_interleave(repeats)
        widths = torch.tensor([_width(n) for n in agreement.numels])
        self.packer = BitPacker(widths.repeat_interleave(repeats))

    def body_bytes(self, body: Tensor) -> int:
        return self.n_bytes

    def write(self, vector: Vector) -> Body:
        self.refuse_other_lengths(vector.elements)
        if isinstance(vector, Dense):
            index_K = torch.arange(vector.elements)
        elif isinstance(vector, Sparse):
            index_K = vector.index
        else:
            raise WireError(f"the packed codec carries no {type(vector).__name__}")
        packed = self.packer.pack((index_K - self.starts_K).to(torch.int32))
        octets = [vector.entries.view(torch.uint8), packed]
        return Body(octets, 8 * self.value_bytes, index=self.n_bits, padding=-self.n_bits % 8)

    def read(self, body: Tensor) -> Sparse:
        inside_K = self.packer.unpack(body[self.value_bytes :]).to(torch.int64)
        if bool((inside_K >= self.limits_K).any()):
            raise WireError("a position outside its tensor")
        entries = floats(body[: self.value_bytes])
        return Sparse(inside_K + self.starts_K, entries, self.agreement.parameters)


class SeededCodec(Codec):
    """The seed, a uint32 among the side numbers, then the entries: the receiver redraws their positions."""

    number = 3
    SEED_BYTES = 4

    def __init__(self, compressor: RandomK):
        super().__init__(Agreement(compressor.numels, compressor.kept))
        self.positions = compressor.positions

    def body_bytes(self, body: Tensor) -> int:
        return self.SEED_BYTES + 4 * self.agreement.elements

    def write(self, vector: Vector) -> Body:
        if not isinstance(vector, Seeded):
            raise WireError(f"the seeded codec carries no {type(vector).__name__}")
        self.refuse_other_lengths(vector.elements)
        seed = octets_of(vector.seed.to_bytes(self.SEED_BYTES, "little"))
        value = 32 * vector.elements
        return Body([seed, vector.entries.view(torch.uint8)], value, side=8 * self.SEED_BYTES)

    def read(self, body: Tensor) -> Seeded:
        seed = int.from_bytes(bytes(body[: self.SEED_BYTES].tolist()), "little")
        entries = floats(body[self.SEED_BYTES :])
        return Seeded(self.positions(seed), entries, self.agreement.parameters, seed)
