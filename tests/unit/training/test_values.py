"""The types of entries: what they are rounded to, and that rounding once is enough.

Shapes: K entries in T pieces.
"""

import struct

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as of_numpy

from costbench.training.values import TYPES

FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)
ENTRIES = of_numpy.arrays(np.float32, st.integers(1, 40), elements=FLOATS)


@given(ENTRIES, st.sampled_from(list(TYPES)), st.data())
@settings(max_examples=200, deadline=None)
def test_rounding_again_changes_nothing(entries, name, data):
    values, x_K = TYPES[name], torch.from_numpy(entries)
    first = data.draw(st.integers(0, len(entries)))
    counts = [first, len(entries) - first]
    once = values.rounded(x_K, counts)
    assert torch.equal(once, values.rounded(once, counts))
    octets = torch.cat(values.write(once, counts))
    assert len(octets) == values.n_bytes(counts)
    assert torch.equal(values.read(octets, counts), once)


@given(ENTRIES)
@settings(max_examples=200, deadline=None)
def test_int8_is_off_by_half_a_scale_at_most(entries):
    x_K = torch.from_numpy(entries).double()
    rounded_K = TYPES["int8"].rounded(torch.from_numpy(entries), [len(entries)]).double()
    # the scale is the largest magnitude over 127, up to 2^-16 larger, and 2^-126 at least
    scale = max(float(x_K.abs().max()) / 127 * (1 + 2**-16), 2.0**-126)
    assert float((x_K - rounded_K).abs().max()) <= 0.5 * scale * (1 + 1e-6)


def test_every_multiple_of_a_scale_of_int8_is_a_float32():
    for seed in range(100):
        x_K = torch.randn(50, generator=torch.Generator().manual_seed(seed))
        (scale,) = struct.unpack("<f", bytes(TYPES["int8"].write(x_K, [50])[0].tolist()))
        multiples = np.arange(-127, 128) * scale  # exact in float64: 7 + 24 bits
        assert (multiples.astype(np.float32).astype(np.float64) == multiples).all()


def test_int8_by_hand():
    """127 and -63.5 in one piece, 0 in another: scales 1 and 0; multiples 127, -64 (even), 0."""
    octets = torch.cat(TYPES["int8"].write(torch.tensor([127.0, -63.5, 0.0]), [2, 1]))
    assert bytes(octets.tolist()) == struct.pack("<2f", 1.0, 0.0) + struct.pack("<3b", 127, -64, 0)


@pytest.mark.parametrize(("name", "bits", "error"), [("float16", 16, 2**-11), ("bfloat16", 16, 2**-8)])
def test_floats_are_rounded_to_the_nearest(name, bits, error):
    x_K = torch.randn(1000, generator=torch.Generator().manual_seed(0)) + 3
    values = TYPES[name]
    assert values.bits == bits
    relative = ((values.rounded(x_K, [1000]) - x_K) / x_K).abs().max()
    assert error / 4 < float(relative) <= error


def test_float32_is_exact():
    x_K = torch.tensor([np.pi, -0.0, 1e-45, 3.4e38])
    octets = torch.cat(TYPES["float32"].write(x_K, [4]))
    assert bytes(octets.tolist()) == struct.pack("<4f", *x_K.tolist())


def test_what_is_not_finite_stays_so():
    odd = torch.tensor([1.0, np.inf, 2.0])
    assert not TYPES["int8"].rounded(odd, [3]).isfinite().any()
    assert TYPES["int8"].rounded(odd, [1, 1, 1]).isfinite().tolist() == [True, False, True]
    assert TYPES["float16"].rounded(torch.tensor([70_000.0]), [1]).isinf().all()
