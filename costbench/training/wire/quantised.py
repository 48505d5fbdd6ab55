"""A few bits for every entry, and a float32 scale of every tensor among the side numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from costbench.errors import WireError
from costbench.training.counters.own import counted
from costbench.training.values import TYPES
from costbench.training.vectors import Levels, Signs, Vector
from costbench.training.wire.bitpack import only_zeros_from, pack_fixed, packed_bytes, unpack_fixed
from costbench.training.wire.message import (
    Body,
    Codec,
    agreement,
    refuse_other_elements,
    refuse_other_length,
)


class _QuantisedCodec(Codec):
    """The scale of every tensor, then `width` bits for every entry, padded to a whole byte."""

    def __init__(self, numels: Sequence[int], width: int, levels: int | None = None):
        super().__init__(agreement(numels, numels, levels))
        self.width, self.lengths_T, self.parameters = width, torch.tensor(numels), sum(numels)
        self.scale_bytes, self.n_bits = 4 * len(numels), width * sum(numels)
        self.n_bytes = self.scale_bytes + packed_bytes(self.n_bits)

    def body(self, scale_T: Tensor, packed: Tensor) -> Body:
        octets = [scale_T.view(torch.uint8), packed]
        return Body(octets, self.n_bits, side=8 * self.scale_bytes, padding=-self.n_bits % 8)

    def parts(self, body: Tensor) -> tuple[Tensor, Tensor]:
        """The scales and the packed bits."""
        refuse_other_length(body, self.n_bytes)
        packed = body[self.scale_bytes :]
        if not only_zeros_from(packed.numpy(), self.n_bits):
            raise WireError("bits after the last entry")
        return TYPES["float32"].read(body[: self.scale_bytes], self.lengths_T.tolist()), packed


class SignCodec(_QuantisedCodec):
    """1 bit an entry: 1 where it is negative."""

    name, number = "sign", 4

    def __init__(self, numels: Sequence[int]):
        super().__init__(numels, width=1)

    def write(self, vector: Vector) -> Body:
        if not isinstance(vector, Signs):
            raise WireError(f"the sign codec carries no {type(vector).__name__}")
        refuse_other_elements(vector.elements, self.parameters)
        return self.body(vector.scale, _pack_signs(vector.negative))

    def read(self, body: Tensor) -> Signs:
        scale_T, packed = self.parts(body)
        return Signs(scale_T, self.lengths_T, _unpack_signs(packed, self.parameters))


class LevelsCodec(_QuantisedCodec):
    """ceil(log2(2 s + 1)) bits an entry for s levels: its multiple of the scale, plus s."""

    name, number = "qsgd", 5

    def __init__(self, numels: Sequence[int], levels: int):
        super().__init__(numels, width=(2 * levels).bit_length(), levels=levels)
        self.levels = levels

    def write(self, vector: Vector) -> Body:
        if not isinstance(vector, Levels):
            raise WireError(f"the qsgd codec carries no {type(vector).__name__}")
        refuse_other_elements(vector.elements, self.parameters)
        return self.body(vector.scale, _pack_levels(vector.multiples, self.levels, self.width))

    def read(self, body: Tensor) -> Levels:
        scale_T, packed = self.parts(body)
        multiples_D = _unpack_levels(packed, self.levels, self.width, self.parameters)
        return Levels(scale_T, self.lengths_T, multiples_D)


@counted(flop=lambda negative_D: len(negative_D))
def _pack_signs(negative_D: Tensor) -> Tensor:
    """A bit set an entry."""
    return torch.from_numpy(np.packbits(negative_D.numpy()))


@counted(flop=lambda packed, elements: elements)
def _unpack_signs(packed: Tensor, elements: int) -> Tensor:
    """A bit tested an entry."""
    return torch.from_numpy(np.unpackbits(packed.numpy(), count=elements).view(np.bool_))


@counted(flop=lambda multiples_D, levels, width: 3 * len(multiples_D))
def _pack_levels(multiples_D: Tensor, levels: int, width: int) -> Tensor:
    """An addition, a shift and a union an entry."""
    return torch.from_numpy(pack_fixed(multiples_D.numpy().astype(np.int64) + levels, width))


@counted(flop=lambda packed, levels, width, elements: 4 * elements)
def _unpack_levels(packed: Tensor, levels: int, width: int, elements: int) -> Tensor:
    """A shift, a mask, a comparison and a subtraction an entry."""
    codes_D = unpack_fixed(packed.numpy(), width, elements)
    if bool((codes_D > 2 * levels).any()):
        raise WireError(f"a level above {levels}")
    return torch.from_numpy((codes_D - levels).astype(np.int16))
