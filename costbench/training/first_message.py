"""The first message of a freshly initialised model: its tensors, what is kept of them, and its bits.

Shapes: D parameters, S side numbers.
"""

from __future__ import annotations

import torch
from torch import nn

from costbench.spec.algorithm import CompressorPart
from costbench.training import compressors
from costbench.training.layout import Layout
from costbench.training.models import build
from costbench.training.models.builder import Settings
from costbench.training.nodes import flatten
from costbench.training.wire import Bits, Wire

SEED = 0


def model_of(
    settings: Settings, input_shape: tuple[int, ...], outputs: int, vocabulary: tuple[int, ...] | None = None
) -> nn.Module:
    """The model, initialised from seed 0; torch's own generator is left as it was (`models.build`)."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        return build(settings, input_shape, outputs, vocabulary)


class FirstMessage:
    """What a node with this model sends if its parameters are compressed, encoded and sent.

    Attributes
    ----------
    numels : entries of every parameter tensor
    """

    def __init__(self, model: nn.Module):
        self._layout = Layout.of(model)
        self._start_D = flatten(model, self._layout)
        self.numels = self._layout.numels

    def kept(self, keep: float) -> list[int]:
        """Entries that top-k keeps of every tensor."""
        return compressors.TopK(self._layout, keep).kept

    def bits(self, settings: CompressorPart, codec: str = "auto", side_numbers: int = 0) -> Bits:
        """The bits of the message as it is encoded.

        Parameters
        ----------
        settings : the compressor
        codec : the spec's `wire.codec`
        side_numbers : numbers S that travel with the vector, 1 for a push-sum weight
        """
        compressor = compressors.build(settings, self._layout)
        wire = Wire(self.numels, compressor, codec)
        side_S = torch.ones(side_numbers) if side_numbers else None
        return wire.encode(compressor(self._start_D, SEED), side_S).bits
