"""Layers of users' models: products, convolutions, recurrent layers, embedding bags, norms, pooling."""

import pytest
import torch
from counts import flop_of, forward_backward, of_operator
from torch import nn
from torch.nn import functional as F


def randn(*shape):
    return torch.randn(*shape, requires_grad=True)


def test_matrix_products_by_hand():
    a, b, v = torch.randn(4, 5), torch.randn(5, 6), torch.randn(5)
    batch = torch.randn(2, 4, 5), torch.randn(2, 5, 6)
    assert flop_of(lambda: a @ b) == 2 * 4 * 5 * 6
    assert flop_of(lambda: a @ v) == 2 * 4 * 5
    assert flop_of(lambda: v @ v) == 2 * 5
    assert flop_of(lambda: torch.einsum("bij,bjk->bik", *batch)) == 2 * 2 * 4 * 5 * 6
    assert flop_of(lambda: F.linear(batch[0], b.t())) == 2 * 8 * 5 * 6


def test_products_with_an_addend_and_factors_by_hand():
    a, b, v, w = torch.randn(4, 5), torch.randn(5, 6), torch.randn(5), torch.randn(4)
    c, batch = torch.randn(4, 6), (torch.randn(2, 4, 6), torch.randn(2, 4, 5), torch.randn(2, 5, 6))
    # 2 x 4 x 5 x 6 = 240 and 24 sums; alpha and beta 24 each; beta 0 leaves nothing to multiply
    assert flop_of(lambda: torch.addmm(c, a, b)) == 240 + 24
    assert flop_of(lambda: torch.addmm(c, a, b, alpha=2, beta=0.5)) == 240 + 3 * 24
    assert flop_of(lambda: torch.addmm(c, a, b, beta=0)) == 240 + 24
    assert flop_of(lambda: torch.baddbmm(*batch, alpha=2)) == 2 * 240 + 2 * 48
    assert flop_of(lambda: torch.addmv(w, a, v)) == 40 + 4
    assert flop_of(lambda: torch.addr(a, w, v)) == 2 * 20


def test_a_sparse_product_counts_the_entries_that_there_are():
    # 4 entries on the diagonal meet 5 columns
    eye, dense = torch.eye(4), torch.randn(4, 5)
    for sparse in (eye.to_sparse(), eye.to_sparse_csr()):
        assert flop_of(lambda sparse=sparse: sparse @ dense) == 2 * 4 * 5


def test_convolutions_of_one_and_three_dimensions():
    # out 2 x 4 x 7, 3 x 3 taps; out 1 x 3 x 3 x 3 x 3, 2 x 8 taps
    x, w = torch.randn(2, 3, 9), torch.randn(4, 3, 3)
    assert flop_of(lambda: F.conv1d(x, w)) == 2 * 56 * 9
    x, w = torch.randn(1, 2, 4, 4, 4), torch.randn(3, 2, 2, 2, 2)
    assert flop_of(lambda: F.conv3d(x, w)) == 2 * 81 * 16


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_a_grouped_convolution_backward_costs_twice_its_forward(groups):
    # out 8 x 6 x 6, taps 9 x 8 / groups: 8 x 36 x 72 / groups multiply-adds
    macs = 8 * 36 * 72 // groups
    conv, x = nn.Conv2d(8, 8, 3, groups=groups, bias=False), randn(1, 8, 8, 8)
    assert forward_backward(conv, x) == (2 * macs, 4 * macs)


def test_a_transposed_convolution_backward():
    # 16 positions of the input meet 3 x 5 x 4 weights; both gradients, and the bias over 5 x 8 x 8
    conv, x = nn.ConvTranspose2d(3, 5, 2, stride=2), randn(1, 3, 4, 4)
    assert forward_backward(conv, x) == (2 * 960 + 320, 4 * 960 + 320)


LSTM = {"input_size": 3, "hidden_size": 4}
# a step and sample: products 2 x 16 x (3 + 4) = 224; 13 x 4 = 52; two biases 2 x 16 = 32
STEP = 224 + 52


@pytest.mark.parametrize("bias", [False, True])
def test_an_lstm_by_hand(bias):
    lstm, x = nn.LSTM(**LSTM, bias=bias), randn(5, 2, 3)
    forward = of_operator(lambda: lstm(x), "mkldnn_rnn_layer")
    assert forward == [10 * (STEP + 32 * bias)]
    out = lstm(x)[0]
    backward = of_operator(lambda: out.sum().backward(), "mkldnn_rnn_layer_backward")
    assert backward == [10 * (2 * 224 + 52 + 32 * bias)]


def test_the_fused_lstm_counts_like_the_composed_one():
    lstm, x = nn.LSTM(**LSTM), torch.randn(5, 2, 3)
    fused = flop_of(lambda: lstm(x))
    with torch.backends.mkldnn.flags(enabled=False):
        assert not of_operator(lambda: lstm(x), "mkldnn_rnn_layer")
        assert flop_of(lambda: lstm(x)) == fused == 10 * (STEP + 32)


def test_both_directions_and_all_layers_of_an_lstm():
    # layer 1: 3 features in; layer 2: 8, from both directions: 2 x 16 x (8 + 4) = 384
    lstm, x = nn.LSTM(**LSTM, num_layers=2, bidirectional=True), torch.randn(5, 2, 3)
    assert flop_of(lambda: lstm(x)) == 10 * 2 * (STEP + 32) + 10 * 2 * (384 + 52 + 32)


@pytest.mark.parametrize("kind", ["GRU", "RNN"])
def test_other_recurrent_layers_are_counted_by_their_parts(kind):
    # the products alone: 3 gates or 1 of 4, each (3 + 4) wide
    layer, x = getattr(nn, kind)(3, 4), torch.randn(5, 2, 3)
    gates = {"GRU": 3, "RNN": 1}[kind]
    forward, backward = forward_backward(layer, x)
    products = 10 * 2 * 4 * gates * (3 + 4)
    assert products < forward < 2 * products
    assert products < backward < 3 * products


def test_embedding_bags_by_hand():
    # 4 bags of 3 ids, rows of 5: 60 additions; a mean divides 4 x 5; weights multiply 60
    ids, weights = torch.randint(10, (4, 3)), randn(4, 3)
    bag = {mode: nn.EmbeddingBag(10, 5, mode=mode) for mode in ("sum", "mean", "max")}
    assert forward_backward(bag["sum"], ids) == (60, 60)
    assert forward_backward(bag["mean"], ids) == (60 + 20, 2 * 60)
    assert forward_backward(bag["max"], ids) == (60, 20)
    # backward: multiply and add 60 rows' elements, and a product of two vectors an id
    fresh = nn.EmbeddingBag(10, 5, mode="sum")
    weighted = forward_backward(lambda i: fresh(i, per_sample_weights=weights), ids)
    assert weighted == (2 * 60, 2 * 60 + 2 * 60)


def test_norms_by_hand():
    # 96 elements; forward 8, backward 7 + 3 + 1; without weights 6 and 7
    x = randn(2, 3, 4, 4)
    for affine, (forward, backward) in {True: (8, 11), False: (6, 7)}.items():
        layers = nn.LayerNorm(4, elementwise_affine=affine), nn.GroupNorm(3, 3, affine=affine)
        for layer in layers:
            assert forward_backward(layer, x) == (forward * 96, backward * 96)


def test_batch_norm_with_fixed_statistics():
    # normalise 2, scale and shift 2; backward input 2, weight 3, bias 1
    layer, x = nn.BatchNorm2d(3).eval(), randn(2, 3, 4, 4)
    assert forward_backward(layer, x) == (4 * 96, 6 * 96)


def test_softmax_by_hand():
    assert forward_backward(nn.Softmax(-1), randn(8, 10)) == (5 * 80, 4 * 80)


@pytest.mark.parametrize(
    "kind",
    [
        *("ReLU6", "LeakyReLU", "ELU", "SELU", "CELU", "GELU", "SiLU", "Mish", "Sigmoid", "Tanh", "Softplus"),
        *("Hardswish", "Hardsigmoid", "Hardtanh", "LogSigmoid", "Hardshrink", "Softshrink", "RReLU"),
    ],
)
def test_an_activation_is_one_an_element_forward_and_backward(kind):
    assert forward_backward(getattr(nn, kind)(), randn(8, 10)) == (80, 80)


def test_pooling_and_resampling_by_hand():
    x = randn(1, 2, 4, 4)
    assert forward_backward(nn.MaxPool2d(2), x) == (4 * 8, 8)
    assert forward_backward(nn.AvgPool2d(2), x) == (32, 32)
    assert forward_backward(nn.AdaptiveMaxPool2d(2), x) == (32, 8)
    # 2 x 64 outputs of 4 taps: 4 products and 3 sums; backward 2 a tap
    assert forward_backward(nn.Upsample(scale_factor=2, mode="bilinear"), x) == (7 * 128, 8 * 128)
    assert forward_backward(nn.Upsample(scale_factor=2), x) == (0, 128)


def test_losses_by_hand():
    x, y, labels = randn(4, 5), torch.rand(4, 5), torch.tensor([0, 1, 2, 3])
    assert forward_backward(F.mse_loss, x, y) == (3 * 20, 2 * 20)
    assert forward_backward(F.huber_loss, x, y) == (6 * 20, 4 * 20)
    assert flop_of(lambda: F.binary_cross_entropy(y, y)) == 9 * 20
    assert forward_backward(F.cross_entropy, x, labels) == (5 * 20 + 4, 4 + 4 * 20)


def test_selections_and_sorts_by_hand():
    x = torch.randn(3, 1000)
    assert flop_of(lambda: x.topk(10)) == flop_of(lambda: x.kthvalue(10)) == 3000
    # rows of 1,000: 10 levels of merging
    assert flop_of(lambda: x.sort()) == 10 * 3000
    assert flop_of(lambda: x.sort(dim=0)) == 2 * 3000
    # 8 values: 3 levels and a pass
    assert flop_of(lambda: torch.unique(torch.tensor([1, 2, 1, 3, 5, 2, 1, 0]))) == 3 * 8 + 8
    assert flop_of(lambda: x.cumsum(1)) == 3000


def test_additions_in_places_are_counted_and_moves_are_not():
    x, places, ones = torch.zeros(10), torch.tensor([1, 1, 3]), torch.ones(3)
    assert flop_of(lambda: x.index_put_((places,), ones)) == 0
    assert flop_of(lambda: x.index_put_((places,), ones, accumulate=True)) == 3
    assert flop_of(lambda: x.scatter_(0, places, ones)) == 0
    assert flop_of(lambda: x.scatter_(0, places, ones, reduce="add")) == 3
    assert flop_of(lambda: x.scatter_add_(0, places, ones)) == 3
    assert flop_of(lambda: x.index_add_(0, places, ones)) == 3


def test_element_wise_operators_that_do_more_than_one_operation():
    x, y = torch.rand(10), torch.rand(10)
    for add in (torch.add, torch.sub, torch.rsub):
        assert flop_of(lambda add=add: add(x, y)) == 10
        assert flop_of(lambda add=add: add(x, y, alpha=2)) == 20
    for fused in (torch.addcmul, torch.addcdiv):
        assert flop_of(lambda fused=fused: fused(x, x, y)) == 20
        assert flop_of(lambda fused=fused: fused(x, x, y, value=2)) == 30
    # y - x, times the weight, plus x
    assert flop_of(lambda: torch.lerp(x, y, 0.5)) == flop_of(lambda: x.lerp_(y, 0.5)) == 30
    assert flop_of(lambda: x.addcmul_(x, y)) == 20
    assert flop_of(lambda: x.addcdiv_(x, y, value=-1)) == 30


@pytest.mark.parametrize(
    "work",
    [
        lambda x, w: x.flatten(1) @ w,
        lambda x, w: F.conv2d(x, w.reshape(4, 3, 4, 4)),
        lambda x, w: F.layer_norm(x, (4,)).softmax(-1).sum(),
        lambda x, w: x.sort().values.cumsum(0).topk(2).values,
        lambda x, w: F.gelu(F.max_pool2d(x, 2)),
    ],
)
def test_meta_tensors_count_like_real_ones(work):
    counted = {}
    for device in ("cpu", "meta"):
        x, w = torch.ones(2, 3, 4, 4, device=device), torch.ones(48, 4, device=device)
        counted[device] = flop_of(lambda x=x, w=w: work(x, w))
    assert counted["cpu"] == counted["meta"] > 0
