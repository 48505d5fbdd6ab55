"""FLOP of fused attention: its matrix products alone, so that every fused kernel has one count.

Legend: B batch, H heads, L queries, S keys, E length of a query and a key, V of a value, D model width.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from costbench.training.counters.operators.call import Call, Formula
from costbench.training.counters.operators.normalising import LAYER_NORM, SOFTMAX

VASWANI = "Vaswani et al. 2017, equation 1"


def attention(query_BHLE: Sequence[int], keys: int, value_length: int) -> int:
    """2 B H L S E for Q K^T and 2 B H L S V for its product with the values; masked pairs count."""
    *batch_and_heads, queries, length = query_BHLE
    pairs = queries * keys
    for count in batch_and_heads:
        pairs *= count
    return 2 * pairs * (length + value_length)


def _forward(call: Call) -> int:
    return attention(call["query"].shape, call["key"].shape[-2], call["value"].shape[-1])


def _backward(call: Call) -> int:
    """Q K^T again; dV = P^T dO and dP = dO V^T over V; dQ = dS K and dK = dS^T Q over E."""
    query, value_length = call["query"].shape, call["value"].shape[-1]
    products_of_e, products_of_v = 3, 2
    pairs_E = attention(query, call["key"].shape[-2], 0)
    pairs_V = attention((*query[:-1], 0), call["key"].shape[-2], value_length)
    return products_of_e * pairs_E + products_of_v * pairs_V


def _multi_head(call: Call) -> int:
    """As nn.MultiheadAttention computes without the fused operator, with and without its weights."""
    query_BLD, key_BSD = call["query"], call["key"]
    heads, keys = call["num_head"], key_BSD.shape[1]
    flop = _projections(query_BLD, key_BSD) + _heads(query_BLD, keys, heads)
    scores = query_BLD.shape[0] * heads * query_BLD.shape[1] * keys
    if not call["need_weights"]:
        return flop
    averaging = scores if call["average_attn_weights"] else 0
    return flop + query_BLD.numel() + SOFTMAX * scores + averaging


def _projections(query_BLD: Tensor, key_BSD: Tensor) -> int:
    """Queries, keys, values and output: 2 D^2 + D each position."""
    width = query_BLD.shape[-1]
    return 2 * (query_BLD.numel() + key_BSD.numel()) * (2 * width + 1)


def _heads(query_BLD: Tensor, keys: int, heads: int) -> int:
    batch, queries, width = query_BLD.shape
    return attention((batch, heads, queries, width // heads), keys, width // heads)


def _encoder_layer(call: Call) -> int:
    """Self-attention, two sums with the input, two layer norms, and the feed-forward part."""
    source_BLD, hidden = call["src"], call["ffn_weight_1"].shape[0]
    n, width = source_BLD.numel(), source_BLD.shape[-1]
    self_attention = _projections(source_BLD, source_BLD) + _heads(
        source_BLD, source_BLD.shape[1], call["num_heads"]
    )
    hidden_elements = n // width * hidden
    feed_forward = 2 * 2 * n * hidden + hidden_elements + n
    activation = hidden_elements
    return self_attention + feed_forward + activation + 2 * n + 2 * LAYER_NORM * n


FLASH = "_scaled_dot_product_flash_attention"
EFFICIENT = "_scaled_dot_product_efficient_attention"
OTHERS = "_scaled_dot_product_cudnn_attention _scaled_dot_product_fused_attention_overrideable"

FORMULAS = (
    Formula(
        f"{FLASH} {FLASH}_for_cpu {EFFICIENT} {OTHERS}",
        "2 B H L S (E + V): Q K^T and P V; scale, mask and softmax inside the kernel are not counted",
        VASWANI,
        _forward,
    ),
    Formula(
        " ".join(f"{name}_backward" for name in (FLASH, f"{FLASH}_for_cpu", EFFICIENT, *OTHERS.split())),
        "2 B H L S (3 E + 2 V): Q K^T once more, and the gradients of P, V, Q and K",
        "Dao et al. 2022, algorithm 4",
        _backward,
    ),
    Formula(
        "_native_multi_head_attention",
        "as the same layer without it: projections 2 D^2 + D a position, 2 B H L S (E + V); "
        "with weights also scale, softmax and mean over the heads",
        VASWANI,
        _multi_head,
    ),
    Formula(
        "_transformer_encoder_layer_fwd",
        "the layer's attention without weights, 2 sums, 2 layer norms, 2 linear layers, activation",
        "Vaswani et al. 2017, section 3",
        _encoder_layer,
    ),
)
