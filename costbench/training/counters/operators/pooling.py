"""FLOP of pooling and of resampling images."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from costbench.training.counters.operators.call import Call, Formula, name_of

OURS = "our definition"
TAPS = {"nearest": 0, "linear": 2, "bilinear": 4, "trilinear": 8, "bicubic": 16}


def _window(call: Call) -> int:
    """Elements of a pooling window; one length stands for all sides."""
    kernel, sides = call["kernel_size"], 3 if "3d" in name_of(call.operator) else 2
    return prod(kernel) if len(kernel) > 1 else kernel[0] ** sides


def _max_pool(call: Call) -> int:
    return _window(call) * call.outputs


def _taps(call: Call) -> int:
    return TAPS[name_of(call.operator).removeprefix("upsample_").removesuffix("_backward")[:-2]]


def _upsample(call: Call) -> int:
    """A weighted sum: 2 a tap, less the first addition."""
    return max(2 * _taps(call) - 1, 0) * call.outputs


def _upsample_backward(call: Call) -> int:
    """Every gradient goes to its taps: multiply and add; to the nearest: add."""
    return (2 * _taps(call) or 1) * call.numel("grad_output")


def _grid(of: Callable[[Call], int], factor: int) -> Callable[[Call], int | None]:
    """2 x 2 (or 2 x 2 x 2) taps of bilinear interpolation; other modes are unknown."""

    def flop(call: Call) -> int | None:
        if call["interpolation_mode"] != 0:
            return None
        return factor * 2 ** call["grid"].shape[-1] * of(call)

    return flop


UPSAMPLE = [
    "upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "upsample_linear1d",
    "upsample_bilinear2d", "upsample_trilinear3d", "upsample_bicubic2d",
]  # fmt: skip
PADS = [f"{kind}_pad{n}d" for kind in ("reflection", "replication") for n in (1, 2, 3)]

FORMULAS = (
    Formula(
        "_adaptive_avg_pool2d _adaptive_avg_pool3d avg_pool2d avg_pool3d",
        "1 an input element",
        OURS,
        lambda call: call.numel("self"),
    ),
    Formula(
        "_adaptive_avg_pool2d_backward _adaptive_avg_pool3d_backward avg_pool2d_backward avg_pool3d_backward",
        "1 an element of the input's gradient",
        OURS,
        lambda call: call.outputs,
    ),
    Formula(
        "max_pool2d_with_indices max_pool3d_with_indices fractional_max_pool2d fractional_max_pool3d",
        "1 a window element (comparison)",
        OURS,
        _max_pool,
    ),
    Formula(
        "adaptive_max_pool2d adaptive_max_pool3d",
        "1 an input element (comparison)",
        OURS,
        lambda call: call.numel("self"),
    ),
    Formula(
        "max_pool2d_with_indices_backward max_pool3d_with_indices_backward adaptive_max_pool2d_backward "
        "adaptive_max_pool3d_backward fractional_max_pool2d_backward fractional_max_pool3d_backward",
        "1 an output (addition)",
        OURS,
        lambda call: call.numel("grad_output"),
    ),
    Formula(
        " ".join(UPSAMPLE),
        "a weighted sum of 2, 4, 8 or 16 taps, 2 a tap less 1, an output; nearest: 0",
        OURS,
        _upsample,
    ),
    Formula(
        " ".join(f"{name}_backward" for name in UPSAMPLE),
        "2 a tap and output gradient; nearest: 1",
        OURS,
        _upsample_backward,
    ),
    Formula(
        "grid_sampler_2d grid_sampler_3d",
        "bilinear: 2 a tap (4 or 8) and output",
        OURS,
        _grid(lambda call: call.outputs, 2),
    ),
    Formula(
        "grid_sampler_2d_backward grid_sampler_3d_backward",
        "bilinear: 4 a tap (4 or 8) and output gradient, of the image and of the grid",
        OURS,
        _grid(lambda call: call.numel("grad_output"), 4),
    ),
    Formula(
        " ".join(f"{name}_backward" for name in PADS),
        "1 an element of the output's gradient (addition)",
        OURS,
        lambda call: call.numel("grad_output"),
    ),
    Formula("col2im", "1 an input element (addition)", OURS, lambda call: call.numel("self")),
    Formula("unfold_backward", "1 an element (addition)", OURS, lambda call: call.numel("grad_in")),
    Formula(
        "affine_grid_generator",
        "2 x coordinates x (coordinates + 1) a place (one matrix product)",
        "Jaderberg et al. 2015, equation 1",
        lambda call: 2 * call.outputs * call["theta"].shape[-1],
    ),
)
