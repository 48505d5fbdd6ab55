"""K entries, and where they lie: positions in one of the position codes, or the seed that they follow from.

Shapes: K kept entries.
"""

from __future__ import annotations

import torch
from torch import Tensor

from costbench.errors import WireError
from costbench.training.compressors import RandomK
from costbench.training.values import Values
from costbench.training.vectors import Seeded, Sparse, Vector
from costbench.training.wire.floats import DenseCodec
from costbench.training.wire.message import (
    Body,
    Codec,
    agreement,
    octets_of,
    refuse_other_elements,
    refuse_other_length,
)
from costbench.training.wire.positions import Pieces, Places, PositionCode


class SparseCodec(Codec):
    """The entries in the order of their positions, then the positions in the code."""

    def __init__(self, code: PositionCode, values: Values):
        self.code, self.pieces, self.values = code, code.pieces, values
        self.name, self.number = code.name, code.number
        self.counts = self.pieces.kept_T.tolist()
        super().__init__(agreement(self.pieces.numel_T.tolist(), self.counts))
        self.value_bytes = values.n_bytes(self.counts)

    def write(self, vector: Vector) -> Body:
        return self.body(vector, places_of(vector, self.pieces))

    def body(self, vector: Vector, places: Places) -> Body:
        """The octets of a sparse vector whose places are known."""
        assert isinstance(vector, Sparse)
        section, n_scales = self.code.write(places), self.values.scale_bytes * len(self.counts)
        return Body(
            [*self.values.write(vector.entries, self.counts), section.octets],
            value=self.values.bits * vector.elements,
            index=section.index,
            side=8 * n_scales + section.side,
            padding=section.padding,
        )

    def read(self, body: Tensor) -> Sparse:
        if len(body) < self.value_bytes:
            raise WireError(f"a body of {len(body)} bytes where its entries alone take {self.value_bytes}")
        inside_K = self.code.read(body[self.value_bytes :])
        entries_K = self.values.read(body[: self.value_bytes], self.counts)
        index_K = inside_K.add_(torch.from_numpy(self.pieces.begin_of_each))
        return Sparse(index_K, entries_K, self.pieces.parameters)


def places_of(vector: Vector, pieces: Pieces) -> Places:
    """Where the entries lie inside their pieces; WireError unless they ascend as was agreed."""
    if not isinstance(vector, Sparse):
        raise WireError(f"a sparse message carries no {type(vector).__name__}")
    refuse_other_elements(vector.elements, pieces.elements)
    inside_K = vector.index - torch.from_numpy(pieces.begin_of_each)
    pieces.check(inside_K.numpy())
    return Places(inside_K, pieces)


class Shortest:
    """The codec that sends a sparse vector in the fewest bytes, the dense one among them."""

    def __init__(self, dense: DenseCodec, sparse: list[SparseCodec]):
        self.dense, self.sparse = dense, {codec.name: codec for codec in sparse}
        self.pieces = sparse[0].pieces

    def written(self, vector: Vector, name: str | None = None) -> tuple[Codec, Body]:
        """The codec and the body that it writes: the shortest, or that of the given name."""
        places = places_of(vector, self.pieces)
        least = {
            name: codec.value_bytes + codec.code.least_bytes(places) for name, codec in self.sparse.items()
        }
        if name is not None:
            return self._by_name(name, vector, places)
        best: tuple[Codec, Body | None] = (self.dense, None)
        length = self.dense.n_bytes
        for candidate in sorted(least, key=least.__getitem__):
            if least[candidate] >= length:
                break
            codec, body = self._by_name(candidate, vector, places)
            if (n_bytes := sum(map(len, body.octets))) < length:
                best, length = (codec, body), n_bytes
        codec, written = best
        return codec, written or codec.write(vector)

    def _by_name(self, name: str, vector: Vector, places: Places) -> tuple[Codec, Body]:
        if name == self.dense.name:
            return self.dense, self.dense.write(vector)
        return self.sparse[name], self.sparse[name].body(vector, places)


class SeededCodec(Codec):
    """The seed, a uint32 among the side numbers, then the entries: the receiver redraws their positions."""

    name, number = "seeded", 3
    SEED_BYTES = 4

    def __init__(self, compressor: RandomK, values: Values):
        super().__init__(agreement(compressor.numels, compressor.kept))
        self.compressor, self.values, self.parameters = compressor, values, sum(compressor.numels)
        self.n_bytes = self.SEED_BYTES + values.n_bytes(compressor.kept)

    def write(self, vector: Vector) -> Body:
        if not isinstance(vector, Seeded):
            raise WireError(f"the seeded codec carries no {type(vector).__name__}")
        refuse_other_elements(vector.elements, sum(self.compressor.kept))
        seed = octets_of(vector.seed.to_bytes(self.SEED_BYTES, "little"))
        octets = [seed, *self.values.write(vector.entries, self.compressor.kept)]
        side = 8 * (self.SEED_BYTES + self.values.scale_bytes * len(self.compressor.kept))
        return Body(octets, self.values.bits * vector.elements, side=side)

    def read(self, body: Tensor) -> Seeded:
        refuse_other_length(body, self.n_bytes)
        seed = int.from_bytes(bytes(body[: self.SEED_BYTES].tolist()), "little")
        entries_K = self.values.read(body[self.SEED_BYTES :], self.compressor.kept)
        return Seeded(self.compressor.positions(seed), entries_K, self.parameters, seed)
