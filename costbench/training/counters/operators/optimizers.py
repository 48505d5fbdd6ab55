"""FLOP of torch's fused optimizer steps: the operations of its unfused ones, an element of the parameters."""

from __future__ import annotations

from collections.abc import Callable

from costbench.training.counters.operators.call import Call, Formula

KINGMA = "Kingma, Ba 2015, algorithm 1, as torch.optim writes it"


def _an_element(of: Callable[[Call], int]) -> Callable[[Call], int]:
    """The optimizer's operations, 1 more to maximise, and 1 more to undo the scale of the gradients."""
    return lambda call: (of(call) + call["maximize"] + (call["grad_scale"] is not None)) * call.numel("self")


def _sgd(call: Call) -> int:
    momentum = 0
    if call["momentum"] and not call["is_first_step"]:
        momentum = 2 + (call["dampening"] != 0)
    return 2 * (call["weight_decay"] != 0) + momentum + 2 * call["nesterov"] + 2


def _adam(decay: int) -> Callable[[Call], int]:
    return lambda call: 13 + decay * (call["weight_decay"] != 0) + call["amsgrad"]


FORMULAS = (
    Formula(
        "_fused_sgd",
        "2 an element; momentum 2 (0 in the first step), dampening 1, Nesterov 2, weight decay 2",
        "torch.optim.SGD, its equations",
        _an_element(_sgd),
    ),
    Formula(
        "_fused_adam",
        "13 an element: m 3, v 4, root 1, correction 1, epsilon 1, step 3; weight decay 2, AMSGrad 1",
        KINGMA,
        _an_element(_adam(2)),
    ),
    Formula(
        "_fused_adamw",
        "13 an element, as Adam; weight decay 1, AMSGrad 1",
        "Loshchilov, Hutter 2019, algorithm 2, as torch.optim writes it",
        _an_element(_adam(1)),
    ),
    Formula(
        "_fused_adagrad",
        "7 an element: sum of squares 2, root 1, epsilon 1, step 3; weight decay 2",
        "Duchi et al. 2011, as torch.optim writes it",
        _an_element(lambda call: 7 + 2 * (call["weight_decay"] != 0)),
    ),
)
