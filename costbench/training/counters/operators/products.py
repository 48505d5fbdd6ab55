"""FLOP of matrix products and convolutions: 2 a multiply-add."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import torch
from torch import Tensor

from costbench.training.counters.operators.call import Call, Formula

BLAS = "BLAS, Dongarra et al. 1990"
CONVOLUTION = "Dumoulin, Visin 2016, sections 2 and 4; groups: Krizhevsky et al. 2012"


def product(left: Tensor, right: Tensor) -> int | None:
    """FLOP of [.., m, k] times [.., k, n] or of [.., m, k] times [k]; of a sparse matrix its entries."""
    n = right.shape[-1] if right.dim() > 1 else 1
    if left.layout is torch.strided and right.layout is torch.strided:
        return 2 * left.numel() * n
    if right.layout is torch.strided:
        return 2 * left._nnz() * n
    return 2 * right._nnz() * left.shape[-2] if left.layout is torch.strided else None


def _product(left: str, right: str) -> Callable[[Call], int | None]:
    return lambda call: product(call[left], call[right])


def _added(left: str, right: str) -> Callable[[Call], int | None]:
    """alpha A B + beta C: 1 an output for the sum, and 1 for every factor other than 0 and 1."""

    def flop(call: Call) -> int | None:
        products = product(call[left], call[right])
        factors = (call.given.get("alpha", 1) != 1) + (call.given.get("beta", 1) not in (0, 1))
        return None if products is None else products + (1 + factors) * call.outputs

    return flop


def convolution_products(output: Tensor, source: Tensor, weight: Tensor, transposed: bool) -> int:
    """FLOP: every weight meets every position of the output, or of the input where that is spread out."""
    positions = (source if transposed else output).shape
    return 2 * positions[0] * prod(positions[2:]) * weight.numel()


def _convolution(call: Call) -> int:
    products = convolution_products(call.out, call["input"], call["weight"], call["transposed"])
    return products + (call.outputs if call["bias"] is not None else 0)


def _convolution_backward(call: Call) -> int:
    gradient, mask = call["grad_output"], call["output_mask"]
    products = convolution_products(gradient, call["input"], call["weight"], call["transposed"])
    return products * (mask[0] + mask[1]) + gradient.numel() * mask[2]


def _trilinear(call: Call) -> int:
    """sum over the dimensions in `sumdim` of three tensors, expanded to one shape, multiplied."""
    operands = [call["i1"], call["i2"], call["i3"]]
    for k, expand in enumerate((call["expand1"], call["expand2"], call["expand3"])):
        for dimension in expand:
            operands[k] = operands[k].unsqueeze(dimension)
    return 3 * prod(torch.broadcast_shapes(*(operand.shape for operand in operands)))


FORMULAS = (
    Formula("mm _int_mm", "2 m n k; 2 n for each entry of a sparse matrix", BLAS, _product("self", "mat2")),
    Formula("bmm", "2 m n k a matrix", BLAS, _product("self", "mat2")),
    Formula("mv", "2 m k", BLAS, _product("self", "vec")),
    Formula("dot vdot", "2 an element", BLAS, lambda call: 2 * call.numel("self")),
    Formula(
        "addmm _addmm_activation _sparse_addmm",
        "2 m n k + m n; m n more for each of alpha and beta that is not 1 (beta 0: none)",
        BLAS,
        _added("mat1", "mat2"),
    ),
    Formula("addmv", "2 m k + m; as addmm", BLAS, _added("mat", "vec")),
    Formula("baddbmm addbmm", "2 m n k + m n a matrix; as addmm", BLAS, _added("batch1", "batch2")),
    Formula(
        "addr",
        "2 m n; m n more for each of alpha and beta that is not 1 (beta 0: none)",
        BLAS,
        lambda call: (2 + (call["alpha"] != 1) + (call["beta"] not in (0, 1))) * call.outputs,
    ),
    Formula(
        "_trilinear", "3 a product of three (2 multiplications, 1 addition)", "torch.nn.Bilinear", _trilinear
    ),
    Formula(
        "convolution",
        "2 x outputs x (inputs / groups) x kernel, transposed: 2 x positions of the input x weights; "
        "padding counts like the image; bias: 1 an output",
        CONVOLUTION,
        _convolution,
    ),
    Formula(
        "convolution_backward",
        "as forward for each of the input's and the weight's gradient that is asked for; bias: 1 an output",
        CONVOLUTION,
        _convolution_backward,
    ),
)
