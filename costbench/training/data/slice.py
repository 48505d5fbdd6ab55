"""Rebuild the shipped fashion-mnist-small from the fetched Fashion-MNIST.

    costbench data fetch fashion-mnist
    python -m costbench.training.data.slice

The slice is the first 480 images of each class of the official training set and the first 120 of each class
of the official test set, in official order. The content hash that it prints is the one pinned in the
registry.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from costbench.training.data import idx
from costbench.training.data.content import content_hash
from costbench.training.data.images import Arrays, Images
from costbench.training.data.registry import DATASETS, load

TRAIN_PER_CLASS = 480
TEST_PER_CLASS = 120


def first_of_each_class(labels: NDArray[np.int64], per_class: int) -> NDArray[np.int64]:
    """Ascending positions int64 of the first `per_class` samples of every class in labels int64 [n]."""
    chosen = [np.flatnonzero(labels == label)[:per_class] for label in np.unique(labels)]
    return np.sort(np.concatenate(chosen))


def small_slice(full: Images) -> Arrays:
    """The arrays of fashion-mnist-small: 4,800 images to train on and 1,200 to test."""
    train = first_of_each_class(full.train_labels, TRAIN_PER_CLASS)
    test = first_of_each_class(full.test_labels, TEST_PER_CLASS)
    return Arrays(
        full.train_images[train], full.train_labels[train], full.test_images[test], full.test_labels[test]
    )


def main() -> None:
    """Write the four shipped files and print their content hash."""
    small = DATASETS["fashion-mnist-small"]
    full = load("fashion-mnist")
    assert isinstance(full, Images)
    arrays = small_slice(full)
    small.folder().mkdir(parents=True, exist_ok=True)
    idx.write_folder(small.folder(), small.files, arrays)
    print(content_hash(arrays))


if __name__ == "__main__":
    main()
