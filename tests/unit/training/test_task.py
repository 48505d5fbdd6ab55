"""Tasks: batches, tests and losses of images and tables, the area under the curve, and what is refused."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from costbench.errors import InputError
from costbench.spec import RunSpec
from costbench.training import task
from costbench.training.task.metrics import area_under_curve, of_classes, of_two_classes

RUN = {
    "name": "small",
    "nodes": 3,
    "rounds": 1,
    "optimizer": {"lr": 0.1},
    "topology": {"kind": "ring"},
    "algorithm": {"kind": "d-psgd"},
}


def built(dataset, model, **settings):
    settings = {"dataset": dataset, "model": model, "batch": 4, **settings}
    return task.build(RunSpec.model_validate({**RUN, "task": settings}), "run.yaml")


@pytest.fixture(scope="module")
def digits():
    return built("digits", {"kind": "lenet"})


@pytest.fixture(scope="module")
def adult():
    return built(
        "adult", {"kind": "deepfm", "embedding": 2}, partition={"kind": "field", "name": "education"}
    )


def test_small_images_stand_in_the_middle_of_zeros(digits):
    images = digits.batch(0, 0).inputs
    assert images.shape == (4, 1, 32, 32) and images.dtype == torch.float32
    frame = images.clone()
    frame[:, :, 12:20, 12:20] = 0
    assert not frame.any() and images[:, :, 12:20, 12:20].std() > 0.5


def test_all_training_pixels_together_have_mean_0_and_deviation_1(digits):
    pixels = digits._prepared(digits.images.train_images)[:, :, 12:20, 12:20]
    assert float(pixels.mean()) == pytest.approx(0, abs=1e-5)
    assert float(pixels.std()) == pytest.approx(1, abs=1e-4)


def test_an_odd_margin_goes_right_and_below():
    from costbench.training.task.images import _margins

    assert _margins((27, 32), (32, 32)) == [0, 0, 2, 3]
    assert F.pad(torch.ones(1, 1, 27, 30), _margins((27, 30), (32, 32))).shape == (1, 1, 32, 32)


def test_a_perceptron_takes_the_images_as_they_are():
    plain = built("digits", {"kind": "mlp", "hidden": [5]})
    assert plain.batch(0, 0).inputs.shape == (4, 1, 8, 8)
    assert plain.model()[1].weight.shape == (5, 64)


def test_a_batch_is_a_function_of_node_and_step(digits):
    again = built("digits", {"kind": "lenet"})
    first = digits.batch(1, 7)
    again.batch(0, 3)
    assert torch.equal(again.batch(1, 7).inputs, first.inputs)
    assert torch.equal(again.batch(1, 7).labels, first.labels)
    assert not torch.equal(digits.batch(0, 7).inputs, first.inputs)
    assert not torch.equal(digits.batch(1, 8).inputs, first.inputs)


def test_the_test_batches_are_the_whole_test_set_in_order(digits, adult):
    labels = [batch.labels for batch in digits.test_batches()]
    assert {len(part) for part in labels} == {50, 10}
    np.testing.assert_array_equal(torch.cat(labels).numpy(), digits.dataset.test_labels)
    ids = torch.cat([batch.inputs for batch in adult.test_batches()])
    np.testing.assert_array_equal(ids.numpy(), adult.dataset.test_ids)
    assert len(list(adult.test_batches())) == 3


def test_the_model_is_the_same_every_time_and_leaves_torchs_generator_alone(digits):
    before = torch.random.get_rng_state()
    first, second = digits.model().state_dict(), digits.model().state_dict()
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_an_epoch_is_as_many_rounds_as_draw_every_sample(digits):
    assert digits.rounds_per_epoch == 1437 / (3 * 4)


def test_a_table_dealt_by_a_field(adult):
    education = adult.dataset.train_fields["education"]
    holders = [set(education[part].tolist()) for part in adult.parts]
    assert sum(len(held) for held in holders) == 16 == len(set.union(*holders))
    assert sum(adult.partition_report["samples"]) == 39_074


def test_batch_and_loss_of_a_table(adult):
    batch = adult.batch(2, 5)
    assert batch.inputs.shape == (4, 14) and batch.inputs.dtype == batch.labels.dtype == torch.int64
    logits = torch.tensor([0.3, -2.0, 1.5, 0.0])
    labels = torch.tensor([1, 0, 0, 1])
    p = 1 / (1 + np.exp(-logits.double().numpy()))
    by_hand = -np.mean([np.log(p[0]), np.log(1 - p[1]), np.log(1 - p[2]), np.log(p[3])])
    assert float(adult.loss(logits, labels)) == pytest.approx(by_hand, rel=1e-6)
    assert adult.model()(batch.inputs).shape == (4,)


def test_metrics_of_classes_by_hand(digits):
    logits = torch.tensor([[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    labels = torch.tensor([0, 1, 2, 1])
    scores = digits.metrics(logits, labels)
    assert scores == of_classes(logits, labels) and list(scores) == ["test_accuracy", "test_loss"]
    assert scores["test_accuracy"] == 0.5
    by_hand = [np.log(np.e**2 + 2) - 2, np.log(np.e + 2) - 1, np.log(np.e + 2), np.log(3)]
    assert scores["test_loss"] == pytest.approx(np.mean(by_hand), rel=1e-6)
    assert float(digits.loss(logits, labels)) == pytest.approx(np.mean(by_hand), rel=1e-6)


def test_metrics_of_two_classes_by_hand(adult):
    logits, labels = torch.tensor([2.0, -1.0, 0.5, -3.0]), torch.tensor([1, 1, 0, 0])
    scores = adult.metrics(logits, labels)
    assert scores == of_two_classes(logits, labels)
    assert list(scores) == ["test_auc", "test_accuracy", "test_loss"]
    # positives 2 and -1, negatives 0.5 and -3: three of four pairs are in order
    assert (scores["test_auc"], scores["test_accuracy"]) == (0.75, 0.5)
    by_hand = np.log1p(np.exp([-2, 1, 0.5, -3]))
    assert scores["test_loss"] == pytest.approx(by_hand.mean(), rel=1e-6)


@pytest.mark.parametrize("levels", [2, 5, 1_000_000])
def test_area_under_the_curve_is_the_share_of_pairs_in_order(levels):
    generator = np.random.default_rng(levels)
    scores = generator.integers(0, levels, 200).astype(np.float32)
    labels = (generator.random(200) < 0.3).astype(np.int64)
    above = scores[labels == 1][:, None] - scores[labels == 0]
    pairs = (above > 0) + 0.5 * (above == 0)
    assert area_under_curve(scores, labels) == pytest.approx(pairs.mean(), rel=1e-12)


def test_equal_scores_have_area_one_half():
    assert area_under_curve(np.zeros(10), np.arange(10) % 2) == 0.5


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            ("adult", {"kind": "deepfm"}, {"augment": True}),
            r"task\.augment: found True; allowed: false: adult",
        ),
        (
            ("digits", {"kind": "deepfm"}, {}),
            r"task\.model\.kind: found 'deepfm'; allowed: a model for images",
        ),
        (("adult", {"kind": "mlp"}, {}), r"task\.model\.kind: found 'mlp'; allowed: deepfm"),
        (
            ("adult", {"kind": "deepfm"}, {"partition": {"kind": "field", "name": "user"}}),
            r"task\.partition\.name: found 'user'; .*education",
        ),
        (
            ("digits", {"kind": "lenet"}, {"partition": {"kind": "field", "name": "user"}}),
            r"task\.partition\.name: found 'user'",
        ),
    ],
)
def test_data_model_and_partition_that_do_not_go_together(settings, sentence):
    dataset, model, further = settings
    with pytest.raises(InputError, match=r"run\.yaml: " + sentence):
        built(dataset, model, **further).model()


def test_deepfm_learns_adult():
    """Plain Adam for one pass: better than the 0.5 of chance by far, as published tables say it should be."""
    whole = built("adult", {"kind": "deepfm", "embedding": 4, "hidden": [16]}, batch=128)
    model = whole.model()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for step in range(200):
        batch = whole.batch(0, step)
        optimizer.zero_grad()
        whole.loss(model(batch.inputs), batch.labels).backward()
        optimizer.step()
    with torch.no_grad():
        outputs = [(model.eval()(batch.inputs), batch.labels) for batch in whole.test_batches()]
    logits, labels = (torch.cat(parts) for parts in zip(*outputs, strict=True))
    assert whole.metrics(logits, labels)["test_auc"] > 0.87
