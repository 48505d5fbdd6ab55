import math
from types import SimpleNamespace

import pandas as pd
import pytest

from costbench.pricing.conventions import (
    CONVENTIONS,
    Tensors,
    compression,
    compression_ratios,
    dense_bits,
    kept_entries,
    message_weights,
    quantised_bits,
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
    ratios = compression(run, LAYOUT, TENSORS)
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
    ratios = compression(run, LAYOUT, TENSORS)
    assert ratios["aketi"] == pytest.approx(4 * 32_800 / (3 * 32_800 + 552), rel=1e-12)
    assert ratios["choco"] == pytest.approx(2 * 32_768 / (32_768 + 704), rel=1e-12)


def test_a_dense_run_compresses_nothing():
    ratios = compression(messages([(0, 0, 1, 0, 1024, 32_768)]), LAYOUT)
    assert ratios == pytest.approx(dict.fromkeys(CONVENTIONS, 1.0), rel=1e-12)


def test_other_elements_than_the_runs_messages_have_no_ratio():
    ratios = compression(messages([(0, 0, 1, 0, 500, 9_000)]), LAYOUT, TENSORS)
    assert ratios["encoded"] == pytest.approx(32_768 / 9_000, rel=1e-12)
    assert all(math.isnan(ratios[convention]) for convention in CONVENTIONS[1:])
    none = compression(messages([]).astype(int), LAYOUT, TENSORS)
    assert all(math.isnan(ratio) for ratio in none.values())


def test_parts_of_a_dense_vector_compress_nothing():
    ratios = compression(messages([(0, 0, 1, 0, 500, 16_000), (0, 1, 0, 0, 524, 16_768)]), LAYOUT)
    assert ratios == pytest.approx(dict.fromkeys(CONVENTIONS, 1.0), rel=1e-12)


def test_signs_and_levels_weigh_the_same_in_all_conventions_but_for_the_weight():
    # 1 bit an entry of 1024, 32 a norm of 2 tensors; with the push-sum weight 24 more, and 32 more dense
    assert quantised_bits("choco", LAYOUT, 1) == quantised_bits("qgm", LAYOUT, 1) == 1024 + 64
    assert quantised_bits("aketi", LAYOUT, 1) == 1024 + 64 + 24
    ratios = compression(messages([(0, 0, 1, 0, 1024, 1_160)]), LAYOUT, entry_bits=1)
    assert ratios["choco"] == pytest.approx(32_768 / 1_088, rel=1e-12)
    assert ratios["log2"] == pytest.approx(32_800 / 1_112, rel=1e-12)
    assert ratios["encoded"] == pytest.approx(32_768 / 1_160, rel=1e-12)


@pytest.mark.parametrize(
    ("algorithm", "elements", "choco"),
    [
        ({"kind": "sparse-push", "keep": 0.01}, 11, 64 * 11),
        (
            {"kind": "cd-adam", "compressor": {"kind": "random-k", "keep": 0.01, "scope": "tensor"}},
            11,
            64 * 11,
        ),
        ({"kind": "cd-adam", "compressor": {"kind": "top-k", "keep": 0.01, "scope": "global"}}, 10, 64 * 10),
        ({"kind": "choco-sgd", "compressor": {"kind": "sign"}}, 1024, 1024 + 64),
        ({"kind": "choco-sgd", "compressor": {"kind": "qsgd", "levels": 4}}, 1024, 4 * 1024 + 64),
        ({"kind": "choco-sgd", "compressor": {"kind": "none"}}, 1024, 32 * 1024),
        ({"kind": "sgp"}, 1024, 32 * 1024),
    ],
)
def test_any_ledger_can_be_recounted(algorithm, elements, choco):
    ledger = SimpleNamespace(
        messages=SimpleNamespace(to_pandas=lambda: messages([(0, 0, 1, 0, elements, 800)]))
    )
    layout = [{"numel": numel} for numel in LAYOUT]
    run = SimpleNamespace(ledger=ledger, record={"layout": layout, "spec": {"algorithm": algorithm}})
    ratios = compression_ratios(run)
    assert ratios["choco"] == pytest.approx(32 * 1024 / choco, rel=1e-12)
    assert not any(math.isnan(ratio) for ratio in ratios.values())
