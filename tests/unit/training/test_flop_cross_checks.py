"""Two other counters, where they are right; and by how much they differ where they are not."""

import pytest
import torch
from counts import calls_of, flop_in, flop_of, forward_backward
from fvcore.nn import FlopCountAnalysis
from torch import nn
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode
from torchvision.models import mobilenet_v2

from costbench import spec
from costbench.training import models
from costbench.training.counters.compute import ComputeCounter
from costbench.training.counters.operators import flop
from costbench.training.counters.operators.call import name_of
from costbench.training.counters.phases import phase

MODELS = {
    "resnet20": spec.ResNet(kind="resnet20"),
    "vgg11": spec.Vgg11(kind="vgg11", norm="batch"),
    "lenet": spec.LeNet(kind="lenet"),
    "mlp": spec.Mlp(kind="mlp"),
}


def build(name):
    return models.build(MODELS[name], (3, 32, 32), 10).eval(), torch.randn(2, 3, 32, 32)


def products(work):
    """FLOP of all matrix products and convolutions, without the additions of a bias."""
    calls = calls_of(work, "aten.convolution", "aten.mm.", "aten.addmm.", "aten.bmm.")
    return sum(flop(call) - additions(call) for call in calls)


def additions(call):
    """Of a bias, forward and backward."""
    name = name_of(call.operator)
    if name == "convolution_backward":
        return call["grad_output"].numel() if call["output_mask"][2] else 0
    biased = name == "addmm" or (name == "convolution" and call["bias"] is not None)
    return call.out.numel() if biased else 0


@pytest.mark.parametrize("name", MODELS)
def test_fvcore_counts_as_many_multiply_adds(name):
    model, x = build(name)
    analysis = FlopCountAnalysis(model, x).unsupported_ops_warnings(False).uncalled_modules_warnings(False)
    by_operator = analysis.by_operator()
    assert products(lambda: model(x)) == 2 * (by_operator["conv"] + by_operator["linear"]) > 0


@pytest.mark.parametrize("name", MODELS)
def test_torchs_counter_agrees_on_products_forward_and_backward(name):
    model, x = build(name)

    def step():
        model(x).sum().backward()

    assert products(step) == torchs_count(step) > 2 * products(lambda: model(x))


def torchs_count(work):
    counter = FlopCounterMode(display=False)
    with counter:
        work()
    return counter.get_total_flops()


def test_torch_multiplies_the_backward_pass_of_a_grouped_convolution_by_its_groups():
    conv = nn.Conv2d(16, 16, 3, padding=1, groups=16, bias=False)
    x = torch.randn(1, 16, 8, 8)
    out = conv(x)
    assert torchs_count(lambda: out.sum().backward()) == 16 * 18_432 == 294_912
    assert forward_backward(conv, x) == (18_432, 18_432)


def test_mobilenet_v2_costs_about_twice_as_much_backward():
    torch.manual_seed(0)
    model, x = mobilenet_v2(weights=None), torch.randn(1, 3, 64, 64)
    model.eval()
    gradient = torch.ones_like(model(x))
    with ComputeCounter(strict=True) as counter:
        with phase("forward"):
            out = model(x)
        with phase("backward"):
            out.backward(gradient)
    assert round(flop_in(counter, "backward") / flop_in(counter, "forward"), 2) == 1.94
    torchs_forward = torchs_count(lambda: model(x))
    torchs_backward = torchs_count(lambda: model(x).sum().backward()) - torchs_forward
    assert round(torchs_backward / torchs_forward, 1) == 18.6


def test_torch_counts_no_attention_on_the_cpu_no_lstm_no_selection_and_no_optimizer():
    q, x, weight = torch.randn(1, 4, 16, 8), torch.randn(5, 2, 3), nn.Parameter(torch.ones(5))
    lstm, many = nn.LSTM(3, 4), torch.randn(1000)
    weight.grad = torch.ones(5)
    for work in (
        lambda: F.scaled_dot_product_attention(q, q, q),
        lambda: lstm(x),
        lambda: many.topk(10),
        lambda: torch.optim.Adam([weight]).step(),
    ):
        assert torchs_count(work) == 0 < flop_of(work)
    assert FlopCountAnalysis(lstm, x).unsupported_ops_warnings(False).total() == 0
