"""FLOP of embeddings and embedding bags. Legend: E numbers a row of the table."""

from __future__ import annotations

from costbench.training.counters.operators.call import Call, Formula

SUM, MEAN, MAX = range(3)
DEFINITION = "torch.nn.EmbeddingBag, its definition"


def _bag(call: Call) -> int:
    """Add or compare every row looked up; weights multiply it first; a mean divides every bag."""
    of_rows = call.numel("indices") * call["weight"].shape[-1]
    weighted = call["per_sample_weights"] is not None
    return of_rows * (1 + weighted) + (call.outputs if call["mode"] == MEAN else 0)


def _bag_backward(call: Call) -> int:
    """Of every row: add it to the table's gradient; divide by the bag's length; multiply by its weight."""
    gradient_BE = call["grad"]
    if call["mode"] == MAX:
        return gradient_BE.numel()
    factors = (call["mode"] == MEAN) + (call["per_sample_weights"] is not None) + call["scale_grad_by_freq"]
    return call.numel("indices") * gradient_BE.shape[-1] * (factors + (not call["sparse"]))


FORMULAS = (
    Formula(
        "embedding_dense_backward",
        "1 an element added to the table's gradient",
        "torch.nn.Embedding, its definition",
        lambda call: call.numel("grad_output"),
    ),
    Formula(
        "_embedding_bag _embedding_bag_forward_only",
        "1 an element of every row looked up (sum or comparison), weights: + 1; mean: + 1 an output",
        DEFINITION,
        _bag,
    ),
    Formula(
        "_embedding_bag_backward",
        "1 an element of every row added (sparse: 0), mean, weights, scaling by frequency: + 1 each; "
        "max: 1 an element of the gradient",
        DEFINITION,
        _bag_backward,
    ),
    Formula(
        "_embedding_bag_per_sample_weights_backward",
        "2 an element of every row looked up (a product of two vectors)",
        DEFINITION,
        lambda call: 2 * call.numel("indices") * call["weight"].shape[-1],
    ),
)
