"""Parameter counts of the models, their equations, their layout in a row, and a second opinion on FLOP."""

import copy
from itertools import combinations

import numpy as np
import pytest
import torch
from fvcore.nn import FlopCountAnalysis
from torch import nn

from costbench import spec
from costbench.errors import InputError
from costbench.training import models
from costbench.training.layout import Layout
from costbench.training.models.dropout import Dropout, seed_dropout
from costbench.training.models.norms import EvoNormS0
from costbench.training.models.resnet import ResNet
from costbench.training.nodes import Buffer, Fleet, flatten

RGB = (3, 32, 32)


def resnet(depth, **settings):
    return spec.ResNet(kind=f"resnet{depth}", **settings)


def parameters(settings, shape=RGB, outputs=10, vocabulary=None):
    return Layout.of(models.build(settings, shape, outputs, vocabulary)).parameters


@pytest.mark.parametrize(
    ("settings", "classes", "published"),
    [
        (resnet(20), 10, 269_722),
        (resnet(20, shortcut="B"), 10, 272_474),
        (resnet(110), 100, 1_733_812),
        (resnet(110, shortcut="B"), 100, 1_736_564),
        (spec.Vgg11(kind="vgg11"), 10, 9_488_266),
        (spec.Vgg11(kind="vgg11", norm="batch"), 10, 9_493_770),
    ],
)
def test_the_papers_models_have_the_published_number_of_parameters(settings, classes, published):
    assert parameters(settings, outputs=classes) == published


@pytest.mark.parametrize(("depth", "blocks"), [(8, 1), (20, 3), (32, 5), (56, 9)])
def test_parameters_of_every_resnet_by_its_depth(depth, blocks):
    # stem 3 x 9 x 16 + 32; a block: two 3x3 convolutions and two norms; head 64 x 10 + 10
    first = 2 * blocks * (9 * 16 * 16 + 2 * 16)
    second = 9 * 16 * 32 + (2 * blocks - 1) * 9 * 32 * 32 + 2 * blocks * 2 * 32
    third = 9 * 32 * 64 + (2 * blocks - 1) * 9 * 64 * 64 + 2 * blocks * 2 * 64
    assert parameters(resnet(depth)) == 464 + first + second + third + 650


@pytest.mark.parametrize("norm", ["group", "evonorm-s0"])
def test_parameters_of_the_other_norms(norm):
    # resnet8 has 7 norms, together 16 x 3 + 32 x 2 + 64 x 2 = 240 channels: 2 numbers each, EvoNorm-S0 3
    extra = {"group": 0, "evonorm-s0": 240}
    assert parameters(resnet(8, norm=norm)) == parameters(resnet(8)) + extra[norm]


def test_entries_that_top_k_keeps_of_the_papers_models_are_the_published_ones():
    def kept(settings, classes):
        numels = Layout.of(models.build(settings, RGB, classes)).numels
        return sum(max(1, int(numel * 0.001)) for numel in numels)

    assert [kept(resnet(20, shortcut=s), 10) for s in "AB"] == [300, 307]
    assert [kept(resnet(110, shortcut=s), 100) for s in "AB"] == [1895, 1902]
    assert [kept(spec.Vgg11(kind="vgg11", norm=n), 10) for n in ("none", "batch")] == [9490, 9506]


def test_lenet5_has_61706_parameters_on_one_channel():
    # 6 x 25 + 6, 16 x 150 + 16, 400 x 120 + 120, 120 x 84 + 84, 84 x 10 + 10
    assert parameters(spec.LeNet(kind="lenet"), (1, 32, 32)) == 61_706


def test_parameters_of_a_perceptron_and_of_deepfm():
    # 784 x 128 + 128 + 128 x 64 + 64 + 64 x 10 + 10
    assert parameters(spec.Mlp(kind="mlp"), (1, 28, 28)) == 109_386
    # 12 entries x (1 + 4), the bias, 3 fields x 4 -> 5 -> 1
    settings = spec.DeepFm(kind="deepfm", embedding=4, hidden=[5])
    assert parameters(settings, (3,), 1, (3, 4, 5)) == 12 * 5 + 1 + (12 * 5 + 5) + (5 + 1)


@pytest.mark.parametrize(
    "settings",
    [
        *(resnet(8, shortcut=s, norm=n) for s in "AB" for n in ("batch", "group", "evonorm-s0")),
        *(spec.LeNet(kind="lenet", norm=n) for n in ("none", "batch", "group", "evonorm-s0")),
        *(spec.Vgg11(kind="vgg11", norm=n) for n in ("none", "batch", "group", "evonorm-s0")),
        spec.Mlp(kind="mlp", hidden=[7]),
        spec.Mlp(kind="mlp", hidden=[]),
    ],
    ids=str,
)
@pytest.mark.parametrize("channels", [1, 3])
def test_every_image_model_maps_images_to_logits_and_trains_all_parameters(settings, channels):
    model = models.build(settings, (channels, 32, 32), 7)
    assert model.training
    logits = model(torch.randn(2, channels, 32, 32))
    assert logits.shape == (2, 7)
    logits.square().sum().backward()
    assert all(parameter.grad is not None for parameter in model.parameters())


def test_a_model_is_the_same_for_the_same_seed_of_torch():
    def seeded(seed):
        torch.manual_seed(seed)
        model = models.build(resnet(8), RGB, 10)
        return flatten(model, Layout.of(model))

    assert torch.equal(seeded(1), seeded(1)) and not torch.equal(seeded(1), seeded(2))


def test_evonorm_is_the_papers_formula():
    generator = np.random.default_rng(0)
    x = generator.normal(size=(2, 6, 3, 5)).astype(np.float32)
    layer = EvoNormS0(groups=2, channels=6)
    for parameter in layer.parameters():
        parameter.data = torch.from_numpy(generator.normal(size=6).astype(np.float32))
    gamma, beta, v = (p.detach().numpy() for p in (layer.weight, layer.bias, layer.v))
    expected = np.empty_like(x)
    for b in range(2):
        for c in range(6):
            group = x[b, :3] if c < 3 else x[b, 3:]
            swish = x[b, c] / (1 + np.exp(-v[c] * x[b, c]))
            expected[b, c] = swish / np.sqrt(group.var() + 1e-5) * gamma[c] + beta[c]
    with torch.no_grad():
        np.testing.assert_allclose(layer(torch.from_numpy(x)).numpy(), expected, rtol=2e-5, atol=1e-6)


def test_evonorm_does_not_depend_on_the_layout_in_memory():
    x, layer = torch.randn(2, 8, 4, 4), EvoNormS0(2, 8)
    torch.testing.assert_close(layer(x.contiguous(memory_format=torch.channels_last)), layer(x))


def test_a_network_with_evonorm_has_no_relu():
    for settings in (resnet(8, norm="evonorm-s0"), spec.LeNet(kind="lenet", norm="evonorm-s0")):
        assert not [m for m in models.build(settings, RGB, 10).modules() if isinstance(m, nn.ReLU)]
    head_only = models.build(spec.Vgg11(kind="vgg11", norm="evonorm-s0"), RGB, 10)
    assert len([m for m in head_only.modules() if isinstance(m, nn.ReLU)]) == 1


def test_deepfm_is_the_papers_formula():
    torch.manual_seed(0)
    settings = spec.DeepFm(kind="deepfm", embedding=3, hidden=[4])
    model = models.build(settings, (3,), 1, (2, 5, 4))
    nn.init.normal_(model.first_order.weight)
    nn.init.normal_(model.embedding.weight)
    nn.init.normal_(model.bias)
    w, v = model.first_order.weight.detach().numpy(), model.embedding.weight.detach().numpy()
    first, _, last = (layer for layer in model.deep)
    ids = torch.tensor([[0, 0, 0], [1, 4, 3], [0, 2, 3]])
    logits = model(ids).detach().numpy()
    for row, logit in zip(ids.tolist(), logits, strict=True):
        rows = [row[0], 2 + row[1], 2 + 5 + row[2]]
        machine = model.bias.item() + sum(w[r, 0] for r in rows)
        machine += sum(float(v[a] @ v[b]) for a, b in combinations(rows, 2))
        hidden = np.maximum(first.weight.detach().numpy() @ np.concatenate([v[r] for r in rows]), -np.inf)
        hidden = np.maximum(hidden + first.bias.detach().numpy(), 0)
        deep = float(last.weight.detach().numpy()[0] @ hidden) + last.bias.item()
        assert logit == pytest.approx(machine + deep, rel=1e-5)


def test_dropout_scales_what_it_keeps_and_does_nothing_in_evaluation():
    layer, x = Dropout(0.25), torch.ones(40_000)
    dropped = layer(x)
    assert dropped.unique().tolist() == [0.0, pytest.approx(4 / 3)]
    # the share kept has deviation sqrt(0.25 x 0.75 / 40,000) = 0.0022
    assert float((dropped == 0).float().mean()) == pytest.approx(0.25, abs=0.011)
    assert torch.equal(layer.eval()(x), x)


def test_dropout_masks_are_a_function_of_the_seed_and_of_nothing_else():
    model = nn.Sequential(Dropout(0.5), Dropout(0.5))
    other, x = copy.deepcopy(model), torch.ones(100)

    def masked(of, seed):
        seed_dropout(of, np.random.default_rng(seed))
        return of(x)

    first = masked(model, 1)
    torch.rand(5)
    masked(other, 3)
    assert torch.equal(masked(other, 1), first) and not torch.equal(masked(model, 2), first)


IDS = (3,), 1, (2, 5, 4)


@pytest.mark.parametrize(
    ("settings", "data", "sentence"),
    [
        (spec.DeepFm(kind="deepfm"), (RGB, 10), "found 'deepfm'; allowed: a model for images, such as lenet"),
        (resnet(20), IDS, "found 'resnet20'; allowed: deepfm or module:callable: the data set holds tables"),
        (spec.Mlp(kind="mlp"), IDS, "found 'mlp'; allowed: deepfm or module:callable"),
        (resnet(20), ((3, 64, 64), 10), "the images are 64x64, larger than 32x32"),
        (spec.LeNet(kind="lenet"), ((1, 28, 28), 10), r"a model that takes inputs \(2, 1, 28, 28\)"),
    ],
)
def test_a_model_that_does_not_go_with_the_data_is_refused(settings, data, sentence):
    with pytest.raises(InputError, match=r"run\.yaml: task\.model\.kind: .*" + sentence):
        models.build(settings, *data, file="run.yaml")


def test_smaller_images_are_padded_for_convolutions_alone():
    assert models.image_shape(resnet(20), (1, 28, 28)) == (1, 32, 32)
    assert models.image_shape(spec.Mlp(kind="mlp"), (1, 28, 28)) == (1, 28, 28)
    with pytest.raises(InputError, match=r"task\.model\.kind: .* 33x20, larger than 32x32"):
        models.image_shape(spec.Vgg11(kind="vgg11"), (1, 33, 20))


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
    buffers = {"x": Buffer("parameters", "parameters")}
    fleet = Fleet(ResNet(3, 1, 10, "A", "group"), 2, buffers, "x", nn.functional.cross_entropy)
    fleet.stacked["x"][1].fill_(0.5)
    first, second = (torch.cat([p.flatten() for p in node.model.parameters()]) for node in fleet.nodes)
    assert bool((second == 0.5).all()) and not bool((first == 0.5).all())
