"""The hash of a data set's content, and splits that never change."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SPLIT_SEED = 0


def content_hash(arrays: NamedTuple) -> str:
    """SHA-256 over name, type, shape and row-major little-endian bytes of each array, as 64 hex digits."""
    digest = hashlib.sha256()
    for name, array in arrays._asdict().items():
        ordered = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        digest.update(f"{name} {ordered.dtype.str} {ordered.shape}\n".encode())
        digest.update(ordered.data)
    return digest.hexdigest()


def random_split(samples: int, test_share: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Positions int64 of the training and the test samples, ascending: the same in every numpy version.

    The test samples are the int(samples * test_share) ones that come first in the order of the raw 64-bit
    output of the bit generator PCG64, seeded with 0 (numpy keeps this stream, but not those of its
    distributions or permutations).
    """
    order = np.argsort(np.random.PCG64(SPLIT_SEED).random_raw(samples), kind="stable")
    test = int(samples * test_share)
    return np.sort(order[test:]), np.sort(order[:test])
