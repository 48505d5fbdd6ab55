"""`costbench reproduce`: the published figures, their rules worked by hand, and the table in the docs."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ("docs/reproduction.md", "README.md")
KEYS = ["id", "published", "computed", "agrees", "rule", "confidence", "encoded"]
ROUNDS = 200 * 391


def reproduced(paper):
    command = [sys.executable, "-m", "costbench", "reproduce", paper, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    document = json.loads(done.stdout)
    assert list(document) == ["schema", "claims"] and document["schema"] == 1
    assert all(list(claim) == KEYS for claim in document["claims"])
    return {claim["id"]: claim for claim in document["claims"]}


@pytest.fixture(scope="module")
def sparse_push():
    return reproduced("sparse-push")


@pytest.fixture(scope="module")
def adaptive_serverless():
    return reproduced("adaptive-serverless")


def test_the_ids_in_their_order(sparse_push):
    assert list(sparse_push) == [
        "vgg11-467", "vgg11bn-466", "resnet110-438", "resnet20-gflops-central", "resnet20-gflops-16",
        "resnet20-memory-central-mb", "resnet20-memory-16-mb",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "entries", "kept"),
    [
        ("vgg11-467", 9_488_266, 9_490),
        ("vgg11bn-466", 9_493_770, 9_506),
        ("resnet110-438", 1_733_812, 1_895),
    ],
)
def test_the_ratios_by_hand(sparse_push, claim, entries, kept):
    dense, sparse = 4 * (entries + 1), 6 * kept + 3
    found = sparse_push[claim]
    assert found["computed"] == pytest.approx(ROUNDS * dense / (ROUNDS * sparse + 50 * dense), rel=1e-12)
    assert int(found["computed"]) == found["published"] and found["agrees"] is True
    assert found["confidence"] == "exact rule"


def test_the_ratio_on_a_real_wire_by_hand(sparse_push):
    """VGG11: 20 tensors; kept entries of a tensor of n take 32 + ceil(log2 n) bits, header and weight 96."""
    convolutions = [
        (3, 64),
        (64, 128),
        (128, 256),
        (256, 256),
        (256, 512),
        (512, 512),
        (512, 512),
        (512, 512),
    ]
    numels = [n for i, o in convolutions for n in (9 * i * o, o)] + [512 * 512, 512, 5120, 10]
    kept = [max(1, int(n * 0.001)) for n in numels]
    positions = sum(k * (n - 1).bit_length() for n, k in zip(numels, kept, strict=True))
    dense, sparse = 96 + 32 * sum(numels), 96 + 32 * sum(kept) + 8 * -(-positions // 8)
    expected = ROUNDS * dense / (ROUNDS * sparse + 50 * dense)
    assert sparse_push["vgg11-467"]["encoded"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("claim", "batch"), [("resnet20-gflops-central", 128), ("resnet20-gflops-16", 8)])
def test_the_flops_by_hand(sparse_push, claim, batch):
    # 32x32x16: 432 x 1024, then 6 x 2304 x 1024; 16x16x32: 4608 x 256 + 5 x 9216 x 256; 8x8x64 alike
    convolutions = 1024 * (432 + 6 * 2304) + 256 * (4608 + 5 * 9216) + 64 * (18432 + 5 * 36864)
    norms = 2 * (7 * 16 * 1024 + 6 * 32 * 256 + 6 * 64 * 64)
    assert sparse_push[claim]["computed"] == (convolutions + norms + 640) * batch / 1e9
    assert sparse_push[claim]["agrees"] is True
    assert round(sparse_push[claim]["computed"], 2) == sparse_push[claim]["published"]


@pytest.mark.parametrize("claim", ["resnet20-memory-central-mb", "resnet20-memory-16-mb"])
def test_memory_claims_no_more_than_is_known(sparse_push, claim):
    found = sparse_push[claim]
    assert (found["agrees"], found["confidence"], found["encoded"]) == (False, "unknown", None)
    assert "no exact rule is known" in found["rule"]
    assert 0.5 * found["published"] < found["computed"] < 2 * found["published"]


@pytest.mark.parametrize("page", PAGES)
def test_the_tables_of_the_pages(sparse_push, page):
    rows = re.findall(r"^\| `([\w-]+)` \| ([\d.]+) \| ([\d.]+) \| (yes|no) \| ([\d.-]+) \| ([a-z ]+) \|$",
                      (ROOT / page).read_text(encoding="utf-8"), re.M)  # fmt: skip
    assert [row[0] for row in rows] == list(sparse_push)
    for claim, published, computed, agrees, encoded, confidence in rows:
        found = sparse_push[claim]
        digits = len(computed.partition(".")[2])
        assert float(published) == found["published"]
        assert f"{found['computed']:.{digits}f}" == computed
        assert (agrees == "yes") is found["agrees"] and confidence == found["confidence"]
        assert encoded == ("-" if found["encoded"] is None else f"{found['encoded']:.1f}")


def test_adaptive_serverless_by_hand(adaptive_serverless):
    """32 N d / p; signs: N bits and 32 a tensor, 9 tensors; nothing is published."""
    entries, degree = 21_686, 2
    for period in (1, 4, 16):
        dense, sign = (adaptive_serverless[f"{name}-p{period}"] for name in ("d-adam", "cd-adam-sign"))
        assert dense["computed"] == 32 * entries * degree / period
        assert sign["computed"] == (entries + 32 * 9) * degree / period
        # a header of 64 bits; the signs fill their last byte
        assert dense["encoded"] == (32 * entries + 64) * degree / period
        assert sign["encoded"] == (entries + -entries % 8 + 32 * 9 + 64) * degree / period
    assert all(claim["published"] is claim["agrees"] is None for claim in adaptive_serverless.values())
    assert {claim["confidence"] for claim in adaptive_serverless.values()} == {"unknown"}


def test_another_paper_is_refused_with_those_there_are():
    command = [sys.executable, "-m", "costbench", "reproduce", "nonsense"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "sparse-push, adaptive-serverless" in done.stderr
