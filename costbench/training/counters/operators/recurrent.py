"""FLOP of fused recurrent layers.

Legend: T steps, B batch, I input features, H hidden features.
"""

from __future__ import annotations

from costbench.training.counters.operators.call import Call, Formula

LSTM_MODE = 2
GATES = 4
ELEMENTWISE = 13
"""An element of the hidden state, forward: 4 sums of two products, 3 sigmoids, 2 tanh, 3 products, 1 sum.

Backward: 6 products, derivatives of 3 sigmoids and 2 tanh, 2 sums of gradients (of cell and hidden state).
"""


def _gate_products(call: Call, input_weight: str, hidden_weight: str) -> int:
    """W_ih x_t and W_hh h_t for every step and sample."""
    samples = call["input"].numel() // call["input"].shape[-1]
    return 2 * samples * (call[input_weight].numel() + call[hidden_weight].numel())


def _elements(call: Call) -> int:
    """13 an element of the state, and the additions of two biases to every gate."""
    states = call["input"].numel() // call["input"].shape[-1] * call["hidden_size"]
    return (ELEMENTWISE + 2 * GATES * call["has_biases"]) * states


def _forward(call: Call) -> int | None:
    if call["mode"] != LSTM_MODE:
        return None
    return _gate_products(call, "weight0", "weight1") + _elements(call)


def _backward(call: Call) -> int | None:
    if call["mode"] != LSTM_MODE:
        return None
    return 2 * _gate_products(call, "weight1", "weight2") + _elements(call)


SOURCE = "torch.nn.LSTM, its equations; Gers et al. 2000"

FORMULAS = (
    Formula(
        "mkldnn_rnn_layer",
        "one LSTM layer and direction: T B (8 H (I + H) + 13 H), biases: + 8 H",
        SOURCE,
        _forward,
    ),
    Formula(
        "mkldnn_rnn_layer_backward",
        "T B (16 H (I + H) + 13 H), biases: + 8 H; all gradients are computed",
        SOURCE,
        _backward,
    ),
    Formula(
        "_thnn_fused_lstm_cell",
        "13 an element of the state, biases: + 8",
        SOURCE,
        lambda call: (ELEMENTWISE + 2 * GATES * (call["input_bias"] is not None)) * call.numel("cx"),
    ),
)
