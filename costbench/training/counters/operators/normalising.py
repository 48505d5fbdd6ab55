"""FLOP of normalisation layers and softmax."""

from __future__ import annotations

from costbench.training.counters.operators.call import Call, Formula

STATISTICS = 4
NORMALISE = 2
AFFINE = 2
LAYER_NORM = STATISTICS + NORMALISE + AFFINE
SOFTMAX = 5
IOFFE = "Ioffe, Szegedy 2015, section 3"


def _forward(call: Call) -> int:
    """Mean 1, variance 3 (where they are computed), normalise 2, scale and shift 2 (where there are any)."""
    computed = call.given.get("training", True)
    affine = call["weight"] is not None
    return (STATISTICS * computed + NORMALISE + AFFINE * affine) * call.first.numel()


def _backward(call: Call) -> int:
    """Input 7 (2 with fixed statistics), weight 3, bias 1, of those asked for."""
    of_input, of_weight, of_bias = call["output_mask"]
    through_statistics = call.given.get("train", True)
    an_element = (7 if through_statistics else 2) * of_input + 3 * of_weight + of_bias
    return an_element * call["grad_out"].numel()


def _weight_norm(call: Call) -> int:
    """Norm 2, scale 1 an element; a division a norm."""
    return 3 * call.numel("v") + call.numel("g")


def _weight_norm_backward(call: Call) -> int:
    """sum(dw v) 2, dw times g / norm 1, v times a factor and the difference 2 an element; 4 a norm."""
    return 5 * call.numel("grad_w") + 4 * call.numel("saved_g")


FORMULAS = (
    Formula(
        "native_batch_norm cudnn_batch_norm _native_batch_norm_legit _batch_norm_with_update",
        "8 an element: mean 1, variance 3, normalise 2, scale and shift 2; 4 less with fixed statistics, "
        "2 less without weights",
        IOFFE,
        _forward,
    ),
    Formula(
        "native_group_norm native_layer_norm",
        "as batch norm",
        "Wu, He 2018; Ba et al. 2016; both by equation 1 of Wu, He",
        _forward,
    ),
    Formula(
        "native_batch_norm_backward native_group_norm_backward native_layer_norm_backward",
        "11 an element: input 7 (2 with fixed statistics), weight 3, bias 1, of those asked for",
        IOFFE,
        _backward,
    ),
    Formula(
        "cudnn_batch_norm_backward", "11 an element", IOFFE, lambda call: 11 * call["grad_output"].numel()
    ),
    Formula(
        "_softmax _safe_softmax",
        "5 an element: maximum, subtract, exp, sum, divide",
        "the definition",
        lambda call: SOFTMAX * call.numel("self"),
    ),
    Formula(
        "_softmax_backward_data",
        "4 an element: g y, sum, subtract, multiply",
        "the definition, derived",
        lambda call: 4 * call.numel("grad_output"),
    ),
    Formula(
        "_log_softmax",
        "5 an element: maximum, subtract, exp, sum, subtract the logarithm",
        "the definition",
        lambda call: 5 * call.numel("self"),
    ),
    Formula(
        "_log_softmax_backward_data",
        "4 an element: exp, sum, multiply, subtract",
        "the definition, derived",
        lambda call: 4 * call.numel("grad_output"),
    ),
    Formula(
        "_weight_norm_interface",
        "3 an element, 1 a norm",
        "Salimans, Kingma 2016, equation 2",
        _weight_norm,
    ),
    Formula(
        "_weight_norm_interface_backward",
        "5 an element, 4 a norm",
        "Salimans, Kingma 2016, equation 3",
        _weight_norm_backward,
    ),
    Formula(
        "embedding_renorm",
        "3 an element of the rows looked up (norm 2, scale 1)",
        "our definition",
        lambda call: 3 * call.numel("indices") * call["self"].shape[-1],
    ),
    Formula(
        "renorm", "3 an element (norm 2, scale 1)", "our definition", lambda call: 3 * call.numel("self")
    ),
)
