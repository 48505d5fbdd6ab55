"""FLOP of fused losses; those that torch composes of other operators need no formula."""

from __future__ import annotations

from collections.abc import Callable

from costbench.training.counters.operators.call import Call, Formula

NO_REDUCTION = 0
DEFINITION = "the definition"


def _loss(an_element: int) -> Callable[[Call], int]:
    """So many an element, and 1 more where the losses are added up."""
    return lambda call: (an_element + (call["reduction"] != NO_REDUCTION)) * call.numel("self")


def _gradient(an_element: int) -> Callable[[Call], int]:
    return lambda call: an_element * call.outputs


FORMULAS = (
    Formula(
        "nll_loss_forward nll_loss_backward nll_loss2d_forward nll_loss2d_backward",
        "1 a sample",
        DEFINITION,
        lambda call: call.numel("target"),
    ),
    Formula(
        "binary_cross_entropy_with_logits",
        "7 an element: maximum, multiply, subtract, absolute, exp, log, add; 1 more for the sum",
        "torch.nn.BCEWithLogitsLoss, stable form",
        _loss(7),
    ),
    Formula(
        "binary_cross_entropy",
        "8 an element: two of subtract, logarithm and multiply, add, negate; 1 more for the sum",
        DEFINITION,
        _loss(8),
    ),
    Formula(
        "binary_cross_entropy_backward",
        "5 an element: g (x - y) / (x (1 - x))",
        "the definition, derived",
        _gradient(5),
    ),
    Formula("mse_loss", "2 an element: subtract, square; 1 more for the sum", DEFINITION, _loss(2)),
    Formula("mse_loss_backward", "2 an element: subtract, multiply", "the definition, derived", _gradient(2)),
    Formula(
        "smooth_l1_loss huber_loss",
        "5 an element: subtract, absolute, compare, square, scale; 1 more for the sum",
        "Girshick 2015, equation 3; Huber 1964",
        _loss(5),
    ),
    Formula(
        "smooth_l1_loss_backward huber_loss_backward",
        "4 an element: subtract, compare, scale, multiply",
        "the definition, derived",
        _gradient(4),
    ),
)
