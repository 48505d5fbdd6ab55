"""Every compressor contracts as its source says, on vectors of zeros, tiny and huge numbers too.

Shapes: D parameters, T tensors. Errors are computed in float64 from what the compressor made.
"""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from costbench.training.compressors import NoCompression, Qsgd, RandomK, Sign, TopK, kept
from costbench.training.layout import Layout

NUMBERS = (
    st.floats(-(2.0**100), 2.0**100, width=32)
    | st.floats(-10, 10, width=32)
    | st.floats(-(2.0**-126), 2.0**-126, width=32)
    | st.just(0.0)
)
TENSORS = st.lists(st.lists(NUMBERS, min_size=1, max_size=40), min_size=1, max_size=4)
KEEPS = st.floats(0.01, 1.0)
LEVELS = st.sampled_from([1, 2, 4, 16, 255, 2**15 - 1])
SCOPES = st.sampled_from(("tensor", "global"))
SEEDS = st.integers(0, 2**32 - 1)


def layout_of(numels):
    return Layout(tuple(f"t{i}" for i in range(len(numels))), tuple((n,) for n in numels))


def flat(tensors):
    """The tensors as one vector float32 [D], and their layout."""
    v_D = torch.tensor([x for tensor in tensors for x in tensor])
    return v_D, layout_of([len(tensor) for tensor in tensors])


def pieces(v_D, numels):
    return v_D.to(torch.float64).split(list(numels))


def squared(x):
    return float(x.square().sum())


def squared_errors(v_D, vector, numels):
    """(||v - q||^2, ||v||^2, v) of every piece."""
    for v, q in zip(pieces(v_D, numels), pieces(vector.dense(), numels), strict=True):
        yield squared(v - q), squared(v), v


@given(TENSORS, KEEPS, SCOPES, SEEDS)
@settings(max_examples=150, deadline=None)
def test_top_k_drops_at_most_its_share_of_the_square(tensors, keep, scope, seed):
    v_D, layout = flat(tensors)
    compressor = TopK(layout, keep, scope)
    for error, square, v in squared_errors(v_D, compressor(v_D, seed), compressor.numels):
        k, n = kept(len(v), keep), len(v)
        assert error <= (1 - k / n) * square * (1 + 1e-12)
        assert error == pytest.approx(squared(v.abs().sort().values[: n - k]), rel=1e-12)


@given(TENSORS, KEEPS, SCOPES, SEEDS)
@settings(max_examples=150, deadline=None)
def test_random_k_sends_k_entries_as_they_are(tensors, keep, scope, seed):
    v_D, layout = flat(tensors)
    compressor = RandomK(layout, keep, scope)
    q = compressor(v_D, seed)
    start = 0
    for n, k in zip(compressor.numels, compressor.kept, strict=True):
        inside = [i for i in q.index.tolist() if start <= i < start + n]
        assert len(set(inside)) == len(inside) == k == kept(n, keep)
        start += n
    assert torch.equal(q.entries, v_D[q.index])
    assert torch.equal(compressor(v_D, seed).index, q.index)


@given(TENSORS)
@settings(max_examples=150, deadline=None)
def test_the_error_of_the_sign_is_an_equality(tensors):
    v_D, layout = flat(tensors)
    for error, square, v in squared_errors(v_D, Sign(layout)(v_D, 0), layout.numels):
        expected = square - float(v.abs().sum()) ** 2 / len(v)
        # the scale is rounded to float32 (relative 2^-23, or to a multiple of 2^-149 near zero)
        assert error == pytest.approx(expected, abs=1e-6 * square + len(v) * 2.0**-298)


@given(TENSORS, LEVELS, SEEDS)
@settings(max_examples=150, deadline=None)
def test_a_quantised_entry_lies_within_one_level_of_its_own(tensors, levels, seed):
    v_D, layout = flat(tensors)
    q = Qsgd(layout, levels)(v_D, seed)
    assert q.multiples.abs().max() <= levels
    assert q.scale.isfinite().all()
    for v, m in zip(pieces(v_D, layout.numels), pieces(q.multiples, layout.numels), strict=True):
        assert (m * v >= 0).all()
        if squared(v) == 0:
            assert not m.any()
        else:
            exact = levels * v.abs() / v.norm()
            assert ((m.abs() - exact).abs() <= 1 + 1e-6 * levels).all()


@given(TENSORS, LEVELS)
@settings(max_examples=60, deadline=None)
def test_no_vector_makes_a_quantiser_fail(tensors, levels):
    v_D, layout = flat(tensors)
    for compressor in (Sign(layout), Qsgd(layout, levels)):
        assert compressor(v_D, 1).dense().isfinite().all()
        assert not compressor(torch.zeros_like(v_D), 1).dense().any()


def mean_error(compressor, v_D, draws=2000):
    """Mean of ||v - q||^2 / ||v||^2 over seeds, and the standard error of that mean."""
    ratios = [
        squared(v_D.double() - compressor(v_D, seed).dense()) / squared(v_D.double()) for seed in range(draws)
    ]
    ratios = torch.tensor(ratios, dtype=torch.float64)
    return float(ratios.mean()), float(ratios.std()) / math.sqrt(draws)


VECTORS = {
    "normal": torch.randn(50, generator=torch.Generator().manual_seed(0)),
    "one large": torch.tensor([100.0] + 49 * [0.1]),
    "equal": torch.ones(50),
    "tiny": torch.randn(50, generator=torch.Generator().manual_seed(1)) * 1e-30,
    "huge": torch.randn(50, generator=torch.Generator().manual_seed(2)) * 1e30,
}


@pytest.mark.parametrize("v_D", VECTORS.values(), ids=VECTORS)
@pytest.mark.parametrize("levels", [1, 4, 100])
def test_qsgd_contracts_in_the_mean_by_one_over_tau(v_D, levels):
    n = len(v_D)
    tau = 1 + min(n / levels**2, math.sqrt(n) / levels)
    error, deviation = mean_error(Qsgd(layout_of([n]), levels), v_D)
    # five standard errors: one false alarm in 3.5 million
    assert error <= 1 - 1 / tau + 5 * deviation + 1e-6


@pytest.mark.parametrize("v_D", VECTORS.values(), ids=VECTORS)
@pytest.mark.parametrize("keep", [0.02, 0.3])
def test_random_k_drops_its_share_of_the_square_in_the_mean(v_D, keep):
    error, deviation = mean_error(RandomK(layout_of([len(v_D)]), keep), v_D)
    assert error == pytest.approx(1 - kept(len(v_D), keep) / len(v_D), abs=5 * deviation + 1e-12)


def test_qsgd_is_unbiased_but_for_its_factor():
    """E q = v / tau: floor(x + xi) is x in the mean."""
    v_D, levels, draws = VECTORS["normal"], 4, 4000
    tau = 1 + min(50 / levels**2, math.sqrt(50) / levels)
    compressor = Qsgd(layout_of([50]), levels)
    mean_D = torch.stack([compressor(v_D, seed).dense() for seed in range(draws)]).double().mean(dim=0)
    level = float(v_D.norm()) / (levels * tau)
    # an entry's deviation is at most half a level; six standard errors for each of 50 entries
    assert (mean_D - v_D / tau).abs().max() <= 6 * level / 2 / math.sqrt(draws)


def test_positions_are_uniform():
    """3 of 20 positions, 4000 draws: each position 600 times, within six standard deviations of 22.6."""
    compressor = RandomK(layout_of([20]), 0.15)
    drawn = torch.cat([compressor.positions(seed) for seed in range(4000)]).bincount(minlength=20)
    assert int(drawn.sum()) == 12_000
    assert (drawn - 600).abs().max() <= 6 * math.sqrt(4000 * 0.15 * 0.85)


@given(TENSORS, SEEDS)
@settings(max_examples=30, deadline=None)
def test_without_compression_nothing_is_lost(tensors, seed):
    v_D, _ = flat(tensors)
    assert torch.equal(NoCompression(layout_of([len(v_D)]))(v_D, seed).dense(), v_D)
