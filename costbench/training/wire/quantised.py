"""A few bits for every entry, and a float32 scale of every tensor among the side numbers."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from costbench.errors import WireError
from costbench.training.vectors import Levels, Signs, Vector
from costbench.training.wire.bitpack import pack_bits, pack_fixed, packed_bytes, unpack_bits, unpack_fixed
from costbench.training.wire.message import Agreement, Body, Codec, floats


class _QuantisedCodec(Codec):
    """The scale of every tensor, then `width` bits for every entry, padded to a whole byte."""

    def __init__(self, agreement: Agreement, width: int):
        super().__init__(agreement)
        self.width, self.lengths_T = width, torch.tensor(agreement.numels)
        self.scale_bytes = 4 * len(agreement.numels)

    def body_bytes(self, body: Tensor) -> int:
        return self.scale_bytes + packed_bytes(self.width * self.agreement.elements)

    def body(self, scale_T: Tensor, packed: Tensor) -> Body:
        n_bits = self.width * self.agreement.elements
        octets = [scale_T.view(torch.uint8), packed]
        return Body(octets, n_bits, side=8 * self.scale_bytes, padding=-n_bits % 8)

    def parts(self, body: Tensor) -> tuple[Tensor, Tensor]:
        """The scales and the packed bits."""
        return floats(body[: self.scale_bytes]), body[self.scale_bytes :]


class SignCodec(_QuantisedCodec):
    """1 bit an entry: 1 where it is negative."""

    number = 4

    def __init__(self, numels: Sequence[int]):
        super().__init__(Agreement(numels, numels), width=1)

    def write(self, vector: Vector) -> Body:
        if not isinstance(vector, Signs):
            raise WireError(f"the sign codec carries no {type(vector).__name__}")
        self.refuse_other_lengths(vector.elements)
        return self.body(vector.scale, pack_bits(vector.negative))

    def read(self, body: Tensor) -> Signs:
        scale_T, packed = self.parts(body)
        negative_D = unpack_bits(packed, self.agreement.elements).to(torch.bool)
        return Signs(scale_T, self.lengths_T, negative_D)


class LevelsCodec(_QuantisedCodec):
    """ceil(log2(2 s + 1)) bits an entry for s levels: its multiple of the scale, plus s."""

    number = 5

    def __init__(self, numels: Sequence[int], levels: int):
        super().__init__(Agreement(numels, numels, levels), width=(2 * levels).bit_length())
        self.levels = levels

    def write(self, vector: Vector) -> Body:
        if not isinstance(vector, Levels):
            raise WireError(f"the levels codec carries no {type(vector).__name__}")
        self.refuse_other_lengths(vector.elements)
        codes_D = vector.multiples.to(torch.int32).add_(self.levels)
        return self.body(vector.scale, pack_fixed(codes_D, self.width))

    def read(self, body: Tensor) -> Levels:
        scale_T, packed = self.parts(body)
        codes_D = unpack_fixed(packed, self.width, self.agreement.elements)
        if bool((codes_D > 2 * self.levels).any()):
            raise WireError(f"a level above {self.levels}")
        return Levels(scale_T, self.lengths_T, (codes_D - self.levels).to(torch.int16))
