"""The selection of top-k against sorting everything, on pieces long and short.

Shapes: D parameters, K kept entries.
"""

import numpy as np
import pytest
import torch

from costbench.training.compressors.selection import SHORT, Largest


def by_sorting(magnitude_D, bounds, kept):
    """Of equal magnitudes the first; what is not a number before all."""
    chosen = []
    for (start, stop), k in zip(bounds, kept, strict=True):
        rank_n = np.where(np.isnan(magnitude_D), -np.inf, -magnitude_D)[start:stop]
        order = (np.argsort(rank_n, kind="stable") + start).tolist()
        chosen += sorted(order[:k])
    return chosen


def selected(magnitude_D, bounds, kept):
    return Largest(bounds, kept).positions(torch.from_numpy(magnitude_D)).tolist()


@pytest.mark.parametrize("share", [0.0005, 0.01, 0.1, 0.3, 0.9, 1.0])
@pytest.mark.parametrize("kind", ["normal", "equal", "few values", "rising", "with nan"])
def test_the_same_as_sorting(share, kind):
    chance = np.random.default_rng(7)
    numels = [SHORT, 5, SHORT + 1, 5, 3000, 1, 4096, SHORT]
    ends = np.cumsum(numels)
    bounds = list(zip((ends - numels).tolist(), ends.tolist(), strict=True))
    kept = [max(1, int(n * share)) for n in numels]
    magnitude_D = {
        "normal": lambda n: np.abs(chance.standard_normal(n)),
        "equal": np.ones,
        "few values": lambda n: chance.integers(0, 3, n),
        "rising": np.arange,
        "with nan": lambda n: np.where(chance.random(n) < 0.002, np.nan, chance.random(n)),
    }[kind](sum(numels)).astype(np.float32)
    assert selected(magnitude_D, bounds, kept) == by_sorting(magnitude_D, bounds, kept)


def test_a_sample_that_misses_the_largest_is_no_harm():
    """Every 16th entry is large, so that the bound from the sample is reached by too few others."""
    magnitude_D = np.ones(4096, np.float32)
    magnitude_D[::16] = 5
    bounds, kept = [(0, 4096)], [300]
    assert selected(magnitude_D, bounds, kept) == by_sorting(magnitude_D, bounds, kept)
