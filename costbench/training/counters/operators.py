"""FLOP of an operator, from the shapes that it ran on.

Convention: a multiply-add is 2 FLOP; every other arithmetic, comparison, integer or transcendental
operation on an element is 1; moving, copying, gathering and filling is 0. Operators whose cost is
not in the tables below are unknown: they are reported by name, never counted as zero in silence.

=========================== ============================================================================
operator                    FLOP
=========================== ============================================================================
matrix products             2 m n k, plus m n where a bias or addend is added
convolution                 2 x outputs x (inputs / groups) x kernel; bias: 1 an output
convolution backward        the same for each of input and weight gradient asked for; bias: 1 an output
batch and group norm        forward 8 an element (mean 1, variance 3, normalise 2, affine 2), with fixed
                            statistics 4; backward 11 (bias 1, weight 3, input 7): the equations of
                            Ioffe and Szegedy 2015, section 3
log-softmax                 forward 5 an element (max, subtract, exp, sum, subtract), backward 4
negative log-likelihood     1 a sample
log-loss on logits          8 an element (max, multiply, subtract, absolute, exp, log, add, sum)
variance                    4 an input element (mean, subtract, square, sum)
embedding                   forward 0 (moves rows); backward 1 an element added to the gradient
average pooling             1 an input element; backward 1 an element of the input's gradient
max pooling                 1 a window element (comparison); backward 1 an output (addition)
sum, mean, min, max, any    1 an input element
cumulative sum              1 an input element
top-k of n                  n comparisons, the least that a selection can do
index and scatter add       1 a source element
vector norm                 2 an input element (square, add)
random numbers              1 a draw; a random permutation of n: n
dropout                     forward 3 an element (draw, mask, scale), backward 2
element-wise operators      1 an output element (2 where the operator multiplies and adds)
=========================== ============================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

CONVENTION = "FLOP: 2 a multiply-add, 1 any other operation on an element, 0 moving data"

aten = torch.ops.aten
Cost = Callable[[tuple[Any, ...], Any], int]


def tensors(nested: Any) -> Iterable[Tensor]:
    """All tensors in nested tuples, lists and dictionaries."""
    if isinstance(nested, Tensor):
        yield nested
    elif isinstance(nested, list | tuple):
        for item in nested:
            yield from tensors(item)
    elif isinstance(nested, dict):
        yield from tensors(list(nested.values()))


def _outputs(factor: int) -> Cost:
    return lambda arguments, out: factor * next(iter(tensors(out))).numel()


def _inputs(factor: int, position: int = 0) -> Cost:
    return lambda arguments, out: factor * arguments[position].numel()


def _matmul(arguments: tuple[Any, ...], out: Any) -> int:
    return 2 * out.numel() * arguments[0].shape[-1]


def _add_matmul(arguments: tuple[Any, ...], out: Any) -> int:
    return 2 * out.numel() * arguments[1].shape[-1] + out.numel()


def _convolution_macs(output: Tensor, weight: Tensor, transposed: bool, source: Tensor) -> int:
    """Multiply-adds: every weight meets every position of the side that is not strided over."""
    positions = (source if transposed else output).shape
    return positions[0] * prod(positions[2:]) * weight.numel()


def _convolution(arguments: tuple[Any, ...], out: Any) -> int:
    source, weight, bias, *_, transposed, _, _ = arguments
    bias_flop = out.numel() if bias is not None else 0
    return 2 * _convolution_macs(out, weight, transposed, source) + bias_flop


def _convolution_backward(arguments: tuple[Any, ...], out: Any) -> int:
    gradient, source, weight, *_, mask = arguments
    transposed = arguments[7]
    macs = _convolution_macs(gradient, weight, transposed, source)
    return 2 * macs * (mask[0] + mask[1]) + (gradient.numel() if mask[2] else 0)


def _norm_forward(arguments: tuple[Any, ...], out: Any) -> int:
    training = arguments[5]
    return (8 if training else 4) * arguments[0].numel()


def _max_pool(arguments: tuple[Any, ...], out: Any) -> int:
    kernel = arguments[1]
    window = prod(kernel) if len(kernel) > 1 else kernel[0] ** 2
    return window * out[0].numel()


COSTS: dict[Any, Cost] = {
    aten.mm: _matmul,
    aten.bmm: _matmul,
    aten.addmm: _add_matmul,
    aten.convolution: _convolution,
    aten.convolution_backward: _convolution_backward,
    aten.native_batch_norm: _norm_forward,
    aten.cudnn_batch_norm: _norm_forward,
    aten.native_batch_norm_backward: _inputs(11),
    aten.cudnn_batch_norm_backward: _inputs(11),
    aten.native_group_norm: _inputs(8),
    aten.native_group_norm_backward: _inputs(11),
    aten._log_softmax: _inputs(5),
    aten._log_softmax_backward_data: _inputs(4),
    aten.nll_loss_forward: lambda arguments, out: arguments[1].numel(),
    aten.nll_loss_backward: lambda arguments, out: arguments[2].numel(),
    aten.binary_cross_entropy_with_logits: _inputs(8),
    aten.var: _inputs(4),
    aten.var_mean: _inputs(4),
    aten.embedding_dense_backward: _inputs(1),
    aten._adaptive_avg_pool2d: _inputs(1),
    aten._adaptive_avg_pool2d_backward: _outputs(1),
    aten.avg_pool2d: _inputs(1),
    aten.avg_pool2d_backward: _outputs(1),
    aten.native_dropout: _outputs(3),
    aten.native_dropout_backward: _outputs(2),
    aten.bernoulli: _outputs(1),
    aten.bernoulli_: _outputs(1),
    aten.max_pool2d_with_indices: _max_pool,
    aten.max_pool2d_with_indices_backward: _inputs(1),
    aten.sum: _inputs(1),
    aten.mean: _inputs(1),
    aten.any: _inputs(1),
    aten.max: _inputs(1),
    aten.cumsum: _inputs(1),
    aten.topk: _inputs(1),
    aten.argmax: _inputs(1),
    aten.index_add_: _inputs(1, position=3),
    aten.index_add: _inputs(1, position=3),
    aten.threshold_backward: _outputs(1),
    aten.linalg_vector_norm: _inputs(2),
    aten.rand: _outputs(1),
    aten.randperm: _outputs(1),
    aten.copysign_: _outputs(1),
    aten.addcmul_: _outputs(2),
    aten.addcdiv_: _outputs(2),
    aten.lerp_: _outputs(2),
}

WITH_FACTOR = {aten.add, aten.add_, aten.sub, aten.sub_}
"""Additions that multiply by `alpha` first where it is not 1."""

MOVES = {
    aten.clone, aten.copy_, aten._to_copy, aten.cat, aten.stack, aten.constant_pad_nd, aten.fill_,
    aten.fill, aten.zero_, aten.zeros, aten.zeros_like, aten.ones, aten.ones_like, aten.full,
    aten.full_like, aten.arange, aten.index, aten.index_put_, aten.index_select, aten.gather,
    aten.scatter_, aten.scatter, aten.repeat, aten.slice_backward, aten.select_backward, aten.flip,
    aten.roll, aten._local_scalar_dense, aten.scalar_tensor, aten.lift_fresh_copy,
    aten.resize_, aten.new_zeros, aten.embedding, aten._reshape_copy, aten.repeat_interleave, aten.nonzero,
}  # fmt: skip
"""Operators that only move or fill."""

FREE = {
    aten.empty, aten.empty_like, aten.empty_strided, aten.new_empty, aten.new_empty_strided,
    aten.lift_fresh, aten.detach, aten.detach_, aten.alias, aten._unsafe_view, aten.is_pinned,
    aten.set_, aten.is_same_size,
}  # fmt: skip
"""Operators that run nothing on the device: allocation, metadata."""


def runs_nothing(operator: OpOverload) -> bool:
    """Views and allocations launch nothing and move no byte."""
    return operator.is_view or operator.overloadpacket in FREE


def flop(operator: OpOverload, arguments: tuple[Any, ...], named: dict[str, Any], out: Any) -> int | None:
    """FLOP of one call, or None where the operator is unknown."""
    packet = operator.overloadpacket
    if runs_nothing(operator) or packet in MOVES:
        return 0
    if packet in COSTS:
        return COSTS[packet](arguments, out) + _alpha(packet, arguments, named)
    if torch.Tag.pointwise in operator.tags or packet in WITH_FACTOR:
        factor = 2 if packet in WITH_FACTOR and named.get("alpha", 1) != 1 else 1
        return factor * next(iter(tensors(out))).numel()
    return None


def _alpha(packet: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> int:
    if packet in (aten.index_add_, aten.index_add) and named.get("alpha", 1) != 1:
        return arguments[3].numel()
    return 0
