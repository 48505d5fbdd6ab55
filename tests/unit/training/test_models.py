"""Parameter counts of the models, their layout in a row, and a second opinion on their FLOP."""

import pytest
import torch
from fvcore.nn import FlopCountAnalysis

from costbench.spec import LeNet as LeNetSpec
from costbench.spec import ResNet20
from costbench.training import models
from costbench.training.layout import Layout
from costbench.training.models.resnet import ResNet
from costbench.training.nodes import Buffer, Fleet, flatten


@pytest.mark.parametrize(("shortcut", "parameters"), [("A", 269_722), ("B", 272_474)])
def test_resnet20_has_the_published_number_of_parameters(shortcut, parameters):
    assert Layout.of(ResNet(3, 3, 10, shortcut, "batch")).parameters == parameters


def test_entries_that_top_k_keeps_of_resnet20_are_the_published_ones():
    from costbench.training.compressors import TopK

    kept = [sum(TopK(Layout.of(ResNet(3, 3, 10, s, "batch")), 0.001).kept) for s in "AB"]
    assert kept == [300, 307]


def test_lenet5_has_61706_parameters_on_one_channel():
    # 6 x 25 + 6, 16 x 150 + 16, 400 x 120 + 120, 120 x 84 + 84, 84 x 10 + 10
    assert Layout.of(models.build(LeNetSpec(kind="lenet"), 1, 10)).parameters == 61_706


@pytest.mark.parametrize("shortcut", ["A", "B"])
@pytest.mark.parametrize("norm", ["batch", "group"])
@pytest.mark.parametrize("channels", [1, 3])
def test_every_resnet20_maps_images_to_logits(shortcut, norm, channels):
    model = models.build(ResNet20(kind="resnet20", shortcut=shortcut, norm=norm), channels, 10)
    assert model(torch.zeros(2, channels, 32, 32)).shape == (2, 10)


@pytest.mark.parametrize("norm", ["none", "batch", "group"])
def test_every_lenet_maps_images_to_logits(norm):
    assert models.build(LeNetSpec(kind="lenet", norm=norm), 3, 10)(torch.zeros(2, 3, 32, 32)).shape == (2, 10)


def test_fvcore_counts_the_published_multiply_adds():
    """Its convention: forward only, a multiply-add is one, batch norm with fixed statistics is two."""
    analysis = FlopCountAnalysis(ResNet(3, 3, 10, "A", "batch").eval(), torch.zeros(1, 3, 32, 32))
    analysis.unsupported_ops_warnings(False).uncalled_modules_warnings(False)
    by_operator = analysis.by_operator()
    assert by_operator["conv"] == 40_550_400
    assert by_operator["linear"] == 640
    assert analysis.total() == 40_927_872


def test_a_row_holds_convolutions_channels_last():
    model = ResNet(3, 3, 10, "A", "batch")
    layout = Layout.of(model)
    row = flatten(model, layout)
    weight = model.conv.weight.detach()
    assert torch.equal(row[: weight.numel()], weight.permute(0, 2, 3, 1).flatten())
    assert layout.views(row)[0].is_contiguous(memory_format=torch.channels_last)


def test_models_share_their_rows_memory():
    fleet = Fleet(ResNet(3, 1, 10, "A", "group"), 2, {"x": Buffer("parameters", "parameters")}, "x")
    fleet.stacked["x"][1].fill_(0.5)
    first, second = (torch.cat([p.flatten() for p in node.model.parameters()]) for node in fleet.nodes)
    assert bool((second == 0.5).all()) and not bool((first == 0.5).all())
