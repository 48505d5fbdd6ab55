"""FLOP of element-wise operators, on one tensor or on lists of them (foreach)."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

from costbench.training.counters.operators.call import Call, Formula, is_pointwise, name_of

FOREACH = "_foreach_"
FACTORS = {"addcmul": 2, "addcdiv": 2, "lerp": 3}
"""Operators that do more than one operation an element."""
SCALED = {"add": "alpha", "sub": "alpha", "rsub": "alpha", "addcmul": "value", "addcdiv": "value"}
"""Additions of a multiple, and the argument that multiplies; foreach operators name it `scalars`, too."""
UNTAGGED = {
    "rsub", "hardswish", "hardswish_backward", "hardsigmoid_backward", "hardtanh_backward", "elu_backward",
    "leaky_relu_backward", "mish_backward", "softplus_backward", "hardshrink_backward",
    "softshrink_backward", "threshold_backward", "log_sigmoid_forward", "log_sigmoid_backward",
    "_prelu_kernel", "_prelu_kernel_backward", "rrelu_with_noise", "rrelu_with_noise_backward",
    "glu", "glu_backward", "xlogy",
}  # fmt: skip
"""Element-wise operators that torch does not tag as such."""


def elementwise(call: Call) -> int | None:
    """FLOP of an element-wise operator of torch's; None for every other."""
    name = name_of(call.operator)
    base = name.removeprefix(FOREACH)
    if name.startswith(FOREACH):
        known = getattr(torch.ops.aten, base, None)
        pointwise = known is not None and torch.Tag.pointwise in _any_tags(known)
        elements = call.numel("self")
    else:
        pointwise = "::" not in name and is_pointwise(call.operator)
        elements = call.outputs
    if not pointwise and base not in UNTAGGED:
        return None
    return (FACTORS.get(base, 1) + _scaled(call, base)) * elements


def _any_tags(packet: Any) -> set[torch.Tag]:
    return {tag for overload in packet.overloads() for tag in getattr(packet, overload).tags}


def _scaled(call: Call, base: str) -> bool:
    """Whether it multiplies by a factor other than 1 before it adds."""
    if base not in SCALED:
        return False
    factors = pytree.tree_leaves([call.given.get(SCALED[base], 1), call.given.get("scalars", 1)])
    return any(isinstance(factor, Tensor) or factor != 1 for factor in factors)


FORMULAS = (
    Formula(
        "_foreach_norm",
        "2 an element: square, add",
        "the definition",
        lambda call: 2 * call.numel("self"),
    ),
)
