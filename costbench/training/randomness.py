"""One random generator for each seed, purpose and place, so that no draw depends on the order of others."""

from __future__ import annotations

from enum import IntEnum

import numpy as np


class Purpose(IntEnum):
    """What a generator is for; every purpose has a number of its own."""

    PARTITION = 1
    BATCHES = 2
    AUGMENTATION = 3
    LOSSES = 4
    GRAPH = 5
    BURSTS = 6
    COMPRESSION = 7
    DROPOUT = 8


def random_generator(seed: int, purpose: Purpose, *place: int) -> np.random.Generator:
    """The generator of a purpose at a place, such as (node, epoch).

    All places of one purpose must have the same number of coordinates: a shorter one is the same as the
    longer one that ends in zeros.
    """
    return np.random.default_rng([seed, purpose, *place])
