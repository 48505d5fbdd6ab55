"""Images with labels in memory, the hash of their content, and their channel statistics.

Shapes: n images, C channels, H rows, W columns.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Arrays(NamedTuple):
    """The four arrays of a data set: uint8 [n, C, H, W] and int64 [n], for training and for testing."""

    train_images: NDArray[np.uint8]
    train_labels: NDArray[np.int64]
    test_images: NDArray[np.uint8]
    test_labels: NDArray[np.int64]


@dataclass(frozen=True)
class Images:
    """A data set, with its labels in 0 .. classes - 1.

    Attributes
    ----------
    name : name in `costbench.training.data.DATASETS`
    train_images, test_images : uint8 [n, C, H, W], pixels 0 to 255
    train_labels, test_labels : int64 [n]
    classes : number of classes
    sha256 : `content_hash` of the four arrays, 64 hex digits
    licence : terms of use, in a few words
    """

    name: str
    train_images: NDArray[np.uint8]
    train_labels: NDArray[np.int64]
    test_images: NDArray[np.uint8]
    test_labels: NDArray[np.int64]
    classes: int
    sha256: str
    licence: str


def content_hash(arrays: Arrays) -> str:
    """SHA-256 over name, type, shape and row-major little-endian bytes of each array, as 64 hex digits."""
    digest = hashlib.sha256()
    for name, array in arrays._asdict().items():
        ordered = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        digest.update(f"{name} {ordered.dtype.str} {ordered.shape}\n".encode())
        digest.update(ordered.data)
    return digest.hexdigest()


def channel_statistics(images: Images) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and standard deviation of each channel over all training pixels, on the scale 0 to 1.

    Computed from an integer histogram of the pixels, so exact up to the last rounding. The standard deviation
    is that of the population (divided by the number of pixels).

    Returns
    -------
    mean, std : float64 [C] each, of pixel / 255 [1]
    """
    histogram = sum(
        map(_histogram, np.array_split(images.train_images, len(images.train_images) // 1000 + 1))
    )
    share = histogram / np.sum(histogram, axis=1, keepdims=True)
    level = np.arange(256) / 255
    mean = share @ level
    variance = (share * (level - mean[:, None]) ** 2).sum(axis=1)
    return mean, np.sqrt(variance)


def _histogram(images: NDArray[np.uint8]) -> NDArray[np.int64]:
    """How often each pixel level occurs in each channel: int64 [C, 256] of uint8 [n, C, H, W]."""
    by_channel = images.swapaxes(0, 1).reshape(images.shape[1], -1)
    return np.stack([np.bincount(channel, minlength=256) for channel in by_channel])
