import math

import pandas as pd
import pytest

from costbench.pricing.conventions import (
    CONVENTIONS,
    Tensors,
    compression,
    dense_bits,
    kept_entries,
    message_weights,
    sparse_bits,
)

LAYOUT = [1000, 24]
TENSORS = Tensors(LAYOUT, [10, 1])


def messages(rows):
    """(round, sender, receiver, content, elements, total bits)"""
    columns = ["round", "sender", "receiver", "content", "elements", "value_bits"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.assign(index_bits=0, side_bits=0, padding_bits=0, header_bits=0, delivered=True)


def test_top_k_keeps_at_least_one_entry_of_each_tensor():
    assert kept_entries([1005, 24, 1], 0.1) == [100, 2, 1]
    assert kept_entries([10], 0.001) == [1]


@pytest.mark.parametrize(
    ("convention", "bits"),
    [
        ("aketi", 48 * 11 + 24),
        ("choco", 64 * 11),
        ("qgm", 32 * 11),
        ("log2", 10 * (32 + 10) + 1 * (32 + 5) + 24),  # ceil(log2 1000) = 10, ceil(log2 24) = 5
        # log2 C(1000, 10) = log2(2.634095604619702e23) = 77.8016; log2 24 = 4.58496
        ("entropy", 32 * 11 + 77.8016 + 4.58496 + 24),
    ],
)
def test_bits_of_a_sparse_message(convention, bits):
    assert sparse_bits(convention, TENSORS) == pytest.approx(bits, rel=1e-6)


def test_powers_of_two_need_no_further_bit():
    assert sparse_bits("log2", Tensors([1024], [1])) == 32 + 10 + 24
    assert sparse_bits("log2", Tensors([1], [1])) == 32 + 24


def test_the_push_sum_weight_counts_in_some_conventions():
    assert dense_bits("aketi", 1024) - dense_bits("choco", 1024) == 32


def test_a_run_of_sparse_and_dense_messages():
    # Nine sparse messages of 600 bits and one dense of 33,000 bits from one sender to one receiver
    run = messages([(r, 0, 1, 0, 11, 600) for r in range(9)] + [(9, 0, 1, 0, 1024, 33_000)])
    ratios = compression(run, LAYOUT, keep=0.01)
    assert tuple(ratios) == CONVENTIONS
    assert ratios["encoded"] == pytest.approx(10 * 32 * 1024 / (9 * 600 + 33_000), rel=1e-12)
    assert ratios["aketi"] == pytest.approx(10 * 32_800 / (9 * 552 + 32_800), rel=1e-12)
    assert ratios["qgm"] == pytest.approx(10 * 32_768 / (9 * 352 + 32_768), rel=1e-12)


def test_weights_of_a_broadcast_to_three_receivers():
    run = messages([(0, 0, j, 0, 11, 600) for j in (1, 2, 3)])
    assert message_weights("choco", run).sum() == pytest.approx(1, rel=1e-12)
    assert message_weights("qgm", run).sum() == pytest.approx(4, rel=1e-12)
    assert message_weights("aketi", run).sum() == 3


def test_different_contents_are_no_broadcast():
    run = messages([(0, 0, 1, 0, 11, 600), (0, 0, 2, 1, 11, 600)])
    assert message_weights("choco", run).sum() == 2


def test_broadcasts_weigh_sparse_and_dense_rounds_by_their_receivers():
    # Dense to three receivers, sparse to one. aketi bills 3 dense and 1 sparse, choco one of each.
    run = messages([(0, 0, j, 0, 1024, 33_000) for j in (1, 2, 3)] + [(1, 0, 1, 0, 11, 600)])
    ratios = compression(run, LAYOUT, keep=0.01)
    assert ratios["aketi"] == pytest.approx(4 * 32_800 / (3 * 32_800 + 552), rel=1e-12)
    assert ratios["choco"] == pytest.approx(2 * 32_768 / (32_768 + 704), rel=1e-12)


def test_a_dense_run_compresses_nothing():
    ratios = compression(messages([(0, 0, 1, 0, 1024, 32_768)]), LAYOUT)
    assert ratios == pytest.approx(dict.fromkeys(CONVENTIONS, 1.0), rel=1e-12)


def test_what_has_no_formula_has_no_ratio():
    ratios = compression(messages([(0, 0, 1, 0, 500, 9_000)]), LAYOUT, keep=0.01)
    assert ratios["encoded"] == pytest.approx(32_768 / 9_000, rel=1e-12)
    assert all(math.isnan(ratios[convention]) for convention in CONVENTIONS[1:])
    assert all(math.isnan(ratio) for ratio in compression(messages([]).astype(int), LAYOUT, 0.01).values())
