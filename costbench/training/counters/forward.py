"""What every kind of layer costs in a forward pass: the FLOP of its operators and its output elements."""

from __future__ import annotations

from collections import defaultdict
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from costbench.training.counters.compute import ComputeCounter
from costbench.training.counters.phases import phase


@dataclass
class LayerCount:
    """Counts of all layers of one kind: FLOP, output elements, and those outputs that a bias is added to."""

    flop: int = 0
    outputs: int = 0
    biased_outputs: int = 0

    @property
    def multiply_adds(self) -> int:
        """Multiply-adds of convolutions and linear layers: (FLOP - additions of a bias) / 2."""
        return (self.flop - self.biased_outputs) // 2


def count_layers(model: nn.Module, input_shape: tuple[int, ...]) -> dict[str, LayerCount]:
    """Run a copy of the model once on one sample of zeros, and count its layers by their class.

    Operators between the layers, such as the addition at a residual block's end, are left out.

    Parameters
    ----------
    model : the model; BatchNorm uses its running statistics
    input_shape : of one sample, such as (C, H, W)
    """
    copied = deepcopy(model).eval()
    counts: dict[str, LayerCount] = defaultdict(LayerCount)
    layers = [layer for layer in copied.modules() if not any(layer.children())]
    with ExitStack() as stack, torch.no_grad():
        counter = stack.enter_context(ComputeCounter())
        for layer in layers:
            _follow(layer, counts)
        copied(torch.zeros(1, *input_shape))
    for (kind, _), counted in counter.by_phase.items():
        if kind in counts:
            counts[kind].flop += counted.flop
    return dict(counts)


def _follow(layer: nn.Module, counts: dict[str, LayerCount]) -> None:
    """Make the layer's operators a phase named by its class, and count its outputs."""
    kind, running = type(layer).__name__, ExitStack()

    def before(layer: nn.Module, inputs: Any) -> None:
        running.enter_context(phase(kind, holds="activations"))

    def after(layer: nn.Module, inputs: Any, output: Tensor) -> None:
        running.close()
        counts[kind].outputs += output.numel()
        if getattr(layer, "bias", None) is not None:
            counts[kind].biased_outputs += output.numel()

    layer.register_forward_pre_hook(before)
    layer.register_forward_hook(after)
