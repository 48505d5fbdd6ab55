"""Attention: fused, composed, trainable and frozen layers count by one rule."""

import pytest
import torch
from counts import flop_of, forward_backward, of_operator
from torch import nn
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel


def query(*shape, device="cpu"):
    return torch.randn(*shape, device=device)


def test_scaled_dot_product_attention_is_its_two_matrix_products():
    # Q K^T: 2 x 1 x 4 x 16 x 16 x 8 = 16,384; P V the same
    q = query(1, 4, 16, 8)
    assert flop_of(lambda: F.scaled_dot_product_attention(q, q, q)) == 32_768


def test_the_matrix_products_of_attention_on_cpu_and_meta_alike():
    # on meta torch has no fused kernel for the function, but one for the operator
    q = query(1, 4, 16, 8, device="meta")
    assert of_operator(lambda: F.scaled_dot_product_attention(q, q, q), "bmm") == [16_384, 16_384]
    fused = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
    assert flop_of(lambda: fused(q, q, q)) == 32_768


def test_attention_with_other_keys_and_values():
    # 2 x 2 x 3 heads x 5 queries x 7 keys = 420; over 8 for Q K^T and 8 for P V: 420 x 16 = 6,720
    q, k = query(2, 3, 5, 8), query(2, 3, 7, 8)
    assert flop_of(lambda: F.scaled_dot_product_attention(q, k, k)) == 6_720


def test_the_backward_pass_of_attention_is_five_matrix_products():
    # Q K^T again, dP, dV, dQ, dK, each 16,384
    q, k, v = (query(1, 4, 16, 8).requires_grad_() for _ in range(3))
    forward, backward = forward_backward(F.scaled_dot_product_attention, q, k, v)
    assert (forward, backward) == (32_768, 5 * 16_384)


@pytest.mark.parametrize("options", [{"is_causal": True}, {"attn_mask": torch.zeros(16, 16)}])
def test_masked_pairs_count(options):
    q = query(1, 4, 16, 8)
    assert flop_of(lambda: F.scaled_dot_product_attention(q, q, q, **options)) == 32_768


def test_attention_of_composed_operators_also_scales_and_normalises():
    # products 32,768; q and k times a root of the scale: 2 x 512; softmax 5 x 4 x 16 x 16
    q = query(1, 4, 16, 8)
    with sdpa_kernel(SDPBackend.MATH):
        composed = flop_of(lambda: F.scaled_dot_product_attention(q, q, q))
    assert composed == 32_768 + 2 * 512 + 5 * 1024 == 38_912


def layer_and_input():
    torch.manual_seed(0)
    return nn.MultiheadAttention(32, 4, batch_first=True), query(2, 16, 32)


def forward_flop(layer, *inputs, **options):
    return flop_of(lambda: layer(*inputs, **options))


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("training", [True, False])
def test_a_frozen_layer_counts_like_a_trainable_one(training, need_weights):
    layer, x = layer_and_input()
    layer.train(training)
    trainable = forward_flop(layer, x, x, x, need_weights=need_weights)
    layer.requires_grad_(False)
    assert forward_flop(layer, x, x, x, need_weights=need_weights) == trainable


def test_the_fused_layer_is_what_a_frozen_one_in_evaluation_runs():
    layer, x = layer_and_input()
    layer.eval().requires_grad_(False)
    (fused,) = of_operator(lambda: layer(x, x, x, need_weights=False), "_native_multi_head_attention")
    # 32 positions: projections 4 x (2 x 32 x 32 + 32) each = 266,240; attention 2 x 2 x 2 x 4 x 256 x 8
    assert fused == 266_240 + 65_536
    (weighted,) = of_operator(lambda: layer(x, x, x), "_native_multi_head_attention")
    # scale 1,024, softmax 5 and mean 1 of 2 x 4 x 16 x 16 = 2,048 weights
    assert weighted == fused + 1_024 + 6 * 2_048


@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_the_fused_encoder_layer_counts_like_its_parts(activation):
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, activation=activation).eval()
    x = query(2, 16, 32)
    parts = forward_flop(layer, x)
    layer.requires_grad_(False)
    (fused,) = of_operator(lambda: layer(x), "_transformer_encoder_layer_fwd")
    assert fused == parts > 0


def test_a_transformer_layer_trains_without_an_unknown_operator():
    forward, backward = forward_backward(
        nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), query(2, 16, 32)
    )
    assert backward > 1.5 * forward > 0
