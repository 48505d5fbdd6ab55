"""Partitions and batches, worked by hand on a few samples."""

from __future__ import annotations

import numpy as np
import pytest

from costbench.errors import InputError
from costbench.training.partition import Sampler, batch_indices, describe, partition

TEN = np.array([0, 1, 0, 1, 0, 1, 0, 1, 0, 1])


def test_full_skew_gives_contiguous_label_shards():
    # In class order: 0 2 4 6 8 | 1 3 5 7 9, cut into 4 + 3 + 3.
    parts = partition(TEN, 3, "label-skew", seed=0, skew=1.0)
    assert [part.tolist() for part in parts] == [[0, 2, 4, 6], [8, 1, 3], [5, 7, 9]]


def test_half_skew_takes_the_first_of_each_class_in_order():
    # int(0.5 * 5) = 2 of each class: sorted pool 0 2 | 1 3; node 0 has its first half, node 1 its second.
    first, second = partition(TEN, 2, "label-skew", seed=0, skew=0.5)
    assert first[:2].tolist() == [0, 2]
    assert second[:2].tolist() == [1, 3]
    assert sorted([*first[2:], *second[2:]]) == [4, 5, 6, 7, 8, 9]
    assert len(first) == len(second) == 5


def test_shares_differ_by_at_most_one_in_each_pool_and_in_all():
    # 10 samples, skew 0.5, 3 nodes: sorted pool 4 -> 2 1 1; all 10 -> 4 3 3; so shuffled pool 6 -> 2 2 2.
    parts = partition(TEN, 3, "label-skew", seed=0, skew=0.5)
    in_sorted_pool = [int(np.isin(part, [0, 2, 1, 3]).sum()) for part in parts]
    assert in_sorted_pool == [2, 1, 1]
    assert [len(part) for part in parts] == [4, 3, 3]


def test_iid_is_skew_zero_and_depends_on_the_seed_only():
    labels = np.arange(1000) % 10
    parts = partition(labels, 7, "iid", seed=3)
    again = partition(labels, 7, "label-skew", seed=3, skew=0.0)
    other = partition(labels, 7, "iid", seed=4)
    assert all((a == b).all() for a, b in zip(parts, again, strict=True))
    assert not (parts[0] == other[0]).all()
    assert [len(part) for part in parts] == [143] * 6 + [142]
    assert describe(parts, labels)["mean_js_distance"] < 0.2


def test_no_sample_is_dropped_where_the_sizes_do_not_divide():
    labels = np.repeat(np.arange(10), 500)
    parts = partition(labels, 16, "label-skew", seed=0, skew=1.0)
    assert sorted(np.concatenate(parts)) == list(range(5000))
    assert {len(part) for part in parts} == {312, 313}


def test_dirichlet_is_skewed_for_small_alpha_and_even_for_large():
    labels = np.repeat(np.arange(10), 300)
    distances = [
        describe(partition(labels, 8, "dirichlet", seed=1, alpha=alpha), labels)["mean_js_distance"]
        for alpha in (0.1, 1.0, 1000.0)
    ]
    assert distances[0] > 0.5 > distances[1] > 0.1 > distances[2]


def test_dirichlet_draws_again_until_no_node_is_empty():
    labels = np.arange(90) % 3
    for seed in range(30):
        assert min(map(len, partition(labels, 4, "dirichlet", seed=seed, alpha=0.02))) > 0


def test_dirichlet_gives_up_after_a_bounded_number_of_draws():
    with pytest.raises(InputError, match=r"task\.partition\.alpha: found 1e-09; allowed: a larger alpha"):
        partition(np.zeros(100, np.int64), 10, "dirichlet", seed=0, alpha=1e-9)


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ({"kind": "label-skew"}, "task.partition.skew"),
        ({"kind": "label-skew", "skew": 1.5}, "task.partition.skew"),
        ({"kind": "dirichlet", "alpha": 0.0}, "task.partition.alpha"),
        ({"kind": "dirichlet", "alpha": float("nan")}, "task.partition.alpha"),
        ({"kind": "stripes"}, "task.partition.kind"),
        ({"kind": "iid", "nodes": 11}, "nodes"),
    ],
)
def test_wrong_parameters_are_named(arguments, key):
    with pytest.raises(InputError) as caught:
        partition(TEN, **{"nodes": 2, "seed": 0, **arguments})
    assert caught.value.key == key


def test_describe_two_pure_nodes():
    # p = (1, 0), q = (1/2, 1/2), m = (3/4, 1/4):
    # JSD = (log2(4/3) + (log2(2/3) + log2(2)) / 2) / 2 = (0.41504 + 0.20752) / 2 = 0.31128 = 0.55792^2.
    described = describe([np.array([0, 2]), np.array([1, 3])], np.array([0, 1, 0, 1]))
    assert described["samples"] == [2, 2]
    assert described["class_counts"] == [[2, 0], [0, 2]]
    assert described["mean_js_distance"] == pytest.approx(0.5579230452841438, rel=1e-12)


def test_describe_is_scipys_distance():
    from scipy.spatial.distance import jensenshannon

    labels = np.array([0, 0, 1, 1, 2, 2, 2])
    parts = [np.array([0, 2, 4]), np.array([1, 3, 5, 6])]
    together = np.array([2, 2, 3]) / 7
    expected = (
        jensenshannon([1 / 3, 1 / 3, 1 / 3], together, 2) + jensenshannon([0.25, 0.25, 0.5], together, 2)
    ) / 2
    assert describe(parts, labels)["mean_js_distance"] == pytest.approx(expected, rel=1e-12)


def test_every_epoch_visits_each_sample_once_and_batches_are_full():
    part = np.array([10, 11, 12, 13, 14])
    drawn = [batch_indices(part, 3, step, seed=7, node=2) for step in range(5)]
    assert [len(batch) for batch in drawn] == [3] * 5
    epochs = np.concatenate(drawn).reshape(3, 5)
    assert (np.sort(epochs, axis=1) == part).all()
    assert len({tuple(epoch) for epoch in epochs.tolist()}) > 1


def test_a_batch_larger_than_the_part_spans_epochs():
    batch = batch_indices(np.array([4, 9]), 5, step=1, seed=0, node=0)
    # positions 5 to 9: the second half of epoch 2, then epochs 3 and 4 in full
    assert len(batch) == 5
    assert sorted(batch[1:3]) == sorted(batch[3:5]) == [4, 9]


def test_two_nodes_and_two_seeds_draw_differently():
    part = np.arange(1000)
    one = batch_indices(part, 32, 0, seed=0, node=0)
    assert not (one == batch_indices(part, 32, 0, seed=0, node=1)).all()
    assert not (one == batch_indices(part, 32, 0, seed=1, node=0)).all()


def test_a_sampler_asked_in_any_order_answers_alike():
    part = np.arange(50, 73)
    in_order = Sampler(part, 7, seed=5, node=1)
    forward = [in_order.indices(step) for step in range(12)]
    jumping = Sampler(part, 7, seed=5, node=1)
    for step in (11, 0, 7, 7, 3):
        assert (jumping.indices(step) == forward[step]).all()


def test_shards_are_cut_from_the_samples_in_class_order():
    labels = np.array([1, 0, 1, 0, 1, 0, 0, 1])
    parts = partition(labels, 2, "shards", 0, per_node=2)
    # in class order 1 3 5 6 | 0 2 4 7: four shards of two
    shards = {(1, 3), (5, 6), (0, 2), (4, 7)}
    dealt = {tuple(part[i : i + 2].tolist()) for part in parts for i in (0, 2)}
    assert dealt == shards


def test_no_sample_is_lost_where_the_shards_do_not_divide_them():
    # 5,000 samples in 16 x 4 = 64 shards: 8 of 79, 56 of 78
    labels = np.random.default_rng(0).integers(0, 10, 5000)
    parts = partition(labels, 16, "shards", 0, per_node=4)
    assert sorted(np.concatenate(parts).tolist()) == list(range(5000))
    sizes = [len(part) for part in parts]
    assert min(sizes) >= 4 * 78 and max(sizes) <= 4 * 79
    assert max(len(np.unique(labels[part])) for part in parts) <= 8


def test_more_shards_than_samples_are_refused():
    with pytest.raises(InputError, match=r"task\.partition\.per_node: found 4; allowed: 1 to 3"):
        partition(np.zeros(7, np.int64), 2, "shards", 0, per_node=4)


USERS = np.array([7, 7, 7, 3, 3, 9, 5, 5])


def test_a_field_keeps_an_entry_whole_and_gives_to_the_emptiest_node():
    parts = partition(np.zeros(8, np.int64), 2, "field", 0, name="user", fields={"user": USERS})
    assert sorted(np.concatenate(parts).tolist()) == list(range(8))
    held = [set(USERS[part]) for part in parts]
    assert not held[0] & held[1]
    # entries of 3, 2, 2 and 1 samples: however they are ordered, no node gets more than 5
    assert max(map(len, parts)) <= 5


def test_the_order_of_entries_follows_the_seed():
    def dealt(seed):
        parts = partition(
            np.zeros(400, np.int64), 4, "field", seed, name="u", fields={"u": np.arange(400) // 4}
        )
        return [part.tolist() for part in parts]

    assert dealt(1) == dealt(1) != dealt(2)


@pytest.mark.parametrize(
    ("nodes", "name", "message"),
    [
        (5, "user", "user has 4, and there are 5 nodes"),
        (2, "film", "found 'film'; allowed: user"),
        (2, None, "user"),
    ],
)
def test_a_field_that_cannot_be_dealt_is_refused(nodes, name, message):
    with pytest.raises(InputError) as error:
        partition(np.zeros(8, np.int64), nodes, "field", 0, name=name, fields={"user": USERS})
    assert "task.partition.name" in str(error.value) and message in str(error.value)
