"""Handwritten digits of 8x8 pixels with levels 0 to 16.

Source: E. Alpaydin and C. Kaynak, "Optical Recognition of Handwritten Digits", UCI Machine Learning
Repository, 1998, DOI 10.24432/C50P49, CC BY 4.0: the 1,797 samples of the repository's test set, as in the
package scikit-learn (`costbench.training.data.ship`).
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from costbench.training.data import idx
from costbench.training.data.images import Arrays

FILES = idx.file_names("test")
TEST_EVERY = 5


def read_folder(folder: Path) -> Arrays:
    """1,437 images to train on and 360 to test."""
    return idx.read_folder(folder, FILES)


def split(stream: bytes) -> Arrays:
    """The arrays from lines of 64 pixels and a label, split so that both sets have every class in proportion.

    The samples are put in order of their class, and within a class in that of the file; every fifth of them,
    from the first on, is for testing. Both sets keep the order of the file.
    """
    table = np.loadtxt(io.BytesIO(stream), delimiter=",", dtype=np.int64)
    images, labels = table[:, :-1].astype(np.uint8).reshape(-1, 1, 8, 8), table[:, -1]
    by_class = np.argsort(labels, kind="stable")
    test = np.zeros(len(labels), bool)
    test[by_class[::TEST_EVERY]] = True
    return Arrays(images[~test], labels[~test], images[test], labels[test])
