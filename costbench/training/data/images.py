"""Images with labels in memory, and their channel statistics.

Shapes: n images, C channels, H rows, W columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from costbench.training.data.content import content_hash


class Arrays(NamedTuple):
    """The four arrays of a data set: uint8 [n, C, H, W] and int64 [n], for training and for testing."""

    train_images: NDArray[np.uint8]
    train_labels: NDArray[np.int64]
    test_images: NDArray[np.uint8]
    test_labels: NDArray[np.int64]


@dataclass(frozen=True)
class Images:
    """A data set of images, with its labels in 0 .. classes - 1; `of` makes one from a user's arrays.

    Attributes
    ----------
    name : name in `costbench.training.data.DATASETS`, or the user's
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

    @classmethod
    def of(
        cls,
        name: str,
        train_images: NDArray[np.uint8],
        train_labels: NDArray[np.integer],
        test_images: NDArray[np.uint8],
        test_labels: NDArray[np.integer],
        licence: str = "not stated",
    ) -> Images:
        """A data set from four arrays; the classes are counted and the content is hashed.

        Parameters
        ----------
        name : under which the run record names the data
        train_images, test_images : uint8 [n, C, H, W], n >= 1, of the same C, H and W
        train_labels, test_labels : integers [n], classes 0 .. c - 1
        licence : terms of use, in a few words

        Raises
        ------
        ValueError : an array has another type or shape, or a label is negative
        """
        images, labels = (train_images, test_images), (train_labels, test_labels)
        for picture, label in zip(images, labels, strict=True):
            if picture.dtype != np.uint8 or picture.ndim != 4 or not picture.size:
                raise ValueError("images must be uint8 [n, C, H, W], at least one")
            if label.shape != picture.shape[:1] or label.dtype.kind not in "iu" or label.min() < 0:
                raise ValueError("labels must be integers [n] from 0, one an image")
        if train_images.shape[1:] != test_images.shape[1:]:
            raise ValueError("training and test images must have the same shape")
        train, test = (np.asarray(label, np.int64) for label in labels)
        arrays = Arrays(train_images, train, test_images, test)
        classes = int(max(train.max(), test.max())) + 1
        return cls(name, *arrays, classes, content_hash(arrays), licence)


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
