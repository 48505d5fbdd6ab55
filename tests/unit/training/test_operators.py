"""FLOP formulas against arithmetic by hand, and an independent counter where that one is right."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from costbench import spec
from costbench.training import models
from costbench.training.counters.compute import ComputeCounter
from costbench.training.counters.phases import phase
from costbench.training.models.norms import EvoNormS0
from costbench.training.models.resnet import ResNet


def total(counter, name):
    return sum(counts.flop for (phase_name, _), counts in counter.by_phase.items() if phase_name == name)


def forward_backward(module, x):
    """FLOP of the forward pass, and of the backward pass of the sum of the outputs."""
    out = module(x)
    gradient = torch.ones_like(out)
    with ComputeCounter() as counter:
        with phase("forward"):
            out = module(x)
        with phase("backward"):
            out.backward(gradient)
    assert not counter.uncounted
    return total(counter, "forward"), total(counter, "backward")


def test_linear_counts_two_flop_a_multiply_add():
    # 8 x 64 x 32 multiply-adds = 16,384; the input needs no gradient, so backward is the weight's alone
    forward, backward = forward_backward(nn.Linear(64, 32, bias=False), torch.randn(8, 64))
    assert forward == 32_768 == 2 * 16_384
    assert backward == 32_768


def test_linear_without_batch():
    # 10 x 5 multiply-adds = 50 MAC = 100 FLOP
    assert forward_backward(nn.Linear(10, 5, bias=False), torch.randn(1, 10))[0] == 100


def test_bias_adds_one_an_output():
    # 2 x 8 x 64 x 32 + 8 x 32 = 33,024; backward: weight 32,768, bias sum over 8 x 32 inputs = 256
    forward, backward = forward_backward(nn.Linear(64, 32), torch.randn(8, 64))
    assert (forward, backward) == (33_024, 33_024)


def test_depthwise_convolution_backward_is_not_multiplied_by_groups():
    # 16 channels x 8 x 8 positions x 9 taps = 9,216 multiply-adds = 18,432 FLOP
    conv = nn.Conv2d(16, 16, 3, padding=1, groups=16, bias=False)
    forward, backward = forward_backward(conv, torch.randn(1, 16, 8, 8))
    assert (forward, backward) == (18_432, 18_432)


def test_convolution_with_input_gradient_costs_twice_the_forward():
    # out 2 x 8 x 4 x 4 = 256; each 3 x 9 = 27 multiply-adds: 6,912 MAC = 13,824 FLOP; with bias + 256
    conv = nn.Conv2d(3, 8, 3, stride=2, padding=1)
    forward, backward = forward_backward(conv, torch.randn(2, 3, 8, 8, requires_grad=True))
    assert forward == 13_824 + 256
    assert backward == 2 * 13_824 + 256


def test_transposed_convolution():
    # every input position meets every weight: 4 x 4 x (3 x 5 x 2 x 2) = 960 MAC
    conv = nn.ConvTranspose2d(3, 5, 2, stride=2, bias=False)
    assert forward_backward(conv, torch.randn(1, 3, 4, 4))[0] == 2 * 960


def test_matmul_on_a_parameter_equals_a_linear_layer():
    x, weight = torch.randn(8, 64), nn.Parameter(torch.randn(64, 32))
    with ComputeCounter() as counter, phase("forward"):
        x @ weight
    linear = forward_backward(nn.Linear(64, 32, bias=False), x)[0]
    assert total(counter, "forward") == linear == 32_768
    assert not counter.uncounted


def test_resnet20_forward_matches_the_published_multiply_adds():
    # fvcore's count for a 3x32x32 image: conv 40,550,400 + FC 640 multiply-adds
    from torch.utils.flop_counter import FlopCounterMode

    model, x = ResNet(3, 3, 10, "A", "batch"), torch.randn(1, 3, 32, 32)
    with ComputeCounter() as counter, phase("forward"):
        model(x)
    torchs = FlopCounterMode(display=False)
    with torchs:
        model(x)
    assert torchs.get_total_flops() == 2 * (40_550_400 + 640)
    ours = total(counter, "forward")
    # on top of that: batch norm 8 an element, ReLU and residual additions 1 an element, head
    elements = 16 * 32 * 32 * 7 + 32 * 16 * 16 * 6 + 64 * 8 * 8 * 6
    residual = 16 * 32 * 32 * 3 + 32 * 16 * 16 * 3 + 64 * 8 * 8 * 3
    extra = 8 * elements + elements + residual + 64 * 8 * 8 + 10
    buffers = 19  # num_batches_tracked += 1 of every batch norm
    assert ours == 2 * (40_550_400 + 640) + extra + buffers


def test_top_k_costs_at_least_one_operation_an_element():
    with ComputeCounter() as counter, phase("compress"):
        torch.randn(1000).topk(10)
    assert counter.by_phase["compress", "float32"].flop >= 1000


def test_an_unknown_operator_is_named_and_not_zero_in_silence():
    with ComputeCounter() as counter:
        torch.linalg.svd(torch.randn(4, 4))
    assert any("svd" in name for name in counter.uncounted)


def test_bytes_and_launches_of_an_addition():
    # two inputs of 400 bytes read, one output of 400 written, one launch
    a, b = torch.randn(100), torch.randn(100)
    with ComputeCounter() as counter, phase("mix"):
        a + b
    counts = counter.by_phase["mix", "float32"]
    assert (counts.flop, counts.bytes_read, counts.bytes_written, counts.launches) == (100, 800, 400, 1)


def test_an_addition_with_a_factor_multiplies_too():
    a, b = torch.randn(100), torch.randn(100)
    with ComputeCounter() as counter, phase("mix"):
        a.add_(b, alpha=0.5)
        a.index_add_(0, torch.tensor([3, 5]), torch.ones(2), alpha=0.5)
    assert counter.by_phase["mix", "float32"].flop == 2 * 100 + 2 * 2


def test_views_and_allocations_cost_nothing():
    a = torch.randn(10, 10)
    with ComputeCounter() as counter:
        a.t()[2:].view(-1) if a.t()[2:].is_contiguous() else a.t()[2:]
        torch.empty(5)
        a.transpose_(0, 1).unsqueeze_(0)
    assert not counter.by_phase


def test_cross_entropy_is_counted():
    # log-softmax 5 x 8 x 10, nll 8
    logits, labels = torch.randn(8, 10), torch.zeros(8, dtype=torch.int64)
    with ComputeCounter() as counter, phase("forward"):
        F.cross_entropy(logits, labels)
    assert counter.by_phase["forward", "float32"].flop == 5 * 80 + 8


def test_embeddings_move_rows_and_add_gradients():
    # 4 x 3 ids; the gradient of each adds 5 numbers to the table's
    table, ids = nn.Embedding(10, 5), torch.randint(10, (4, 3))
    assert forward_backward(table, ids) == (0, 4 * 3 * 5)


def test_log_loss_on_logits():
    logits, labels = torch.randn(6), torch.ones(6)
    with ComputeCounter() as counter, phase("forward"):
        F.binary_cross_entropy_with_logits(logits, labels)
    assert not counter.uncounted and total(counter, "forward") == 8 * 6


def test_variance_and_average_pooling():
    x = torch.randn(2, 3, 4, 4)
    with ComputeCounter() as counter:
        with phase("forward"):
            x.var(dim=(2, 3), correction=0)
        with phase("backward"):
            F.adaptive_avg_pool2d(x, 2)
            F.avg_pool2d(x, 2)
    assert not counter.uncounted
    assert (total(counter, "forward"), total(counter, "backward")) == (4 * 96, 2 * 96)


def test_evonorm_by_hand():
    # an element: v x, sigmoid, times x, / deviation, gamma, beta: 6, variance 4; a group: + eps, sqrt
    layer, x = EvoNormS0(2, 4), torch.randn(3, 4, 5, 5)
    with ComputeCounter() as counter, phase("forward"):
        layer(x)
    assert not counter.uncounted
    assert total(counter, "forward") == (6 + 4) * 300 + 2 * 3 * 2


def test_torchs_dropout_in_a_users_model_is_counted():
    x = torch.ones(7, requires_grad=True)
    with ComputeCounter() as counter, phase("forward"):
        F.dropout(x, 0.5).sum().backward()
    assert not counter.uncounted and total(counter, "forward") > 2 * 7


NORMS = ("batch", "group", "evonorm-s0")
IMAGE_MODELS = [
    *(spec.ResNet(kind="resnet8", shortcut=shortcut, norm=norm) for shortcut in "AB" for norm in NORMS),
    *(spec.ResNet(kind=f"resnet{depth}") for depth in (20, 32, 56, 110)),
    *(spec.LeNet(kind="lenet", norm=norm) for norm in ("none", *NORMS)),
    *(spec.Vgg11(kind="vgg11", norm=norm) for norm in ("none", *NORMS)),
    spec.Mlp(kind="mlp"),
]


def one_step(model, inputs, loss_of):
    """The counter of a forward and backward pass and of an evaluation."""
    model.to(memory_format=torch.channels_last)
    with ComputeCounter() as counter:
        with phase("forward"):
            loss = loss_of(model(inputs))
        with phase("backward"):
            loss.backward()
        with phase("evaluate"), torch.no_grad():
            model.eval()(inputs)
    return counter


@pytest.mark.parametrize("settings", IMAGE_MODELS, ids=lambda s: " ".join(map(str, s.model_dump().values())))
def test_every_operator_of_every_image_model_is_counted(settings):
    from torch.utils.flop_counter import FlopCounterMode

    labels, images = torch.tensor([0, 1]), torch.randn(2, 3, 32, 32)
    model = models.build(settings, (3, 32, 32), 10)
    torchs = FlopCounterMode(display=False)
    with torchs:
        F.cross_entropy(model(images), labels).backward()
    counter = one_step(model, images, lambda logits: F.cross_entropy(logits, labels))
    assert not counter.uncounted
    # torch counts the matrix products and convolutions, and there are no groups, where it is wrong
    ours = total(counter, "forward") + total(counter, "backward")
    assert ours > torchs.get_total_flops() > 0


@pytest.mark.parametrize("dropout", [0.0, 0.2])
def test_every_operator_of_deepfm_is_counted(dropout):
    labels = torch.tensor([0.0, 1.0])
    model = models.build(spec.DeepFm(kind="deepfm", dropout=dropout), (3,), 1, (4, 5, 6))
    ids = torch.tensor([[0, 0, 0], [3, 4, 5]])
    counter = one_step(model, ids, lambda out: F.binary_cross_entropy_with_logits(out, labels))
    assert not counter.uncounted
    # the perceptron alone, forward: 2 x 2 x (48 x 64 + 64 x 64 + 64)
    assert total(counter, "forward") > 4 * (48 * 64 + 64 * 64 + 64)
