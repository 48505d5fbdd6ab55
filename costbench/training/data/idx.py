"""The idx format of the MNIST family, gzipped.

Format: two zero bytes, the element type (0x08 = uint8), the number of dimensions, each dimension as a
big-endian uint32, then the elements in row-major order (Y. LeCun, "The MNIST database of handwritten
digits").
"""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from costbench.training.data.images import Arrays

_UINT8 = 0x08


def decode(stream: bytes) -> NDArray[np.uint8]:
    """The uint8 array that an (unzipped) idx stream holds.

    Raises
    ------
    ValueError : the stream is not idx, not uint8, or its length disagrees with its dimensions
    """
    if len(stream) < 4 or stream[:2] != b"\0\0" or stream[2] != _UINT8:
        raise ValueError("not an idx stream of uint8")
    dimensions = stream[3]
    start = 4 + 4 * dimensions
    if len(stream) < start:
        raise ValueError("idx header cut short")
    shape = struct.unpack(f">{dimensions}I", stream[4:start])
    if len(stream) - start != int(np.prod(shape, dtype=object)):
        raise ValueError(f"{len(stream) - start} bytes for an idx array of shape {shape}")
    return np.frombuffer(stream, np.uint8, offset=start).reshape(shape).copy()


def encode(array: NDArray[np.uint8]) -> bytes:
    """The idx stream of a uint8 array, inverse of `decode`."""
    header = bytes([0, 0, _UINT8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape)
    return header + array.tobytes()


def file_names(test_prefix: str) -> tuple[str, str, str, str]:
    """Names of the four files, in the order of `Arrays`; the official test prefix is t10k."""
    return (
        "train-images-idx3-ubyte.gz",
        "train-labels-idx1-ubyte.gz",
        f"{test_prefix}-images-idx3-ubyte.gz",
        f"{test_prefix}-labels-idx1-ubyte.gz",
    )


def read_folder(folder: Path, files: tuple[str, ...]) -> Arrays:
    """Grey images and labels from the four files (`file_names`), as [n, 1, H, W] and [n]."""
    train_images, train_labels, test_images, test_labels = (
        decode(gzip.decompress((folder / name).read_bytes())) for name in files
    )
    return Arrays(
        train_images[:, None],
        train_labels.astype(np.int64),
        test_images[:, None],
        test_labels.astype(np.int64),
    )


def write_folder(folder: Path, files: tuple[str, ...], arrays: Arrays) -> None:
    """Write the four files, inverse of `read_folder`; no time stamp, so that equal content is equal bytes."""
    plain = (
        arrays.train_images[:, 0],
        arrays.train_labels.astype(np.uint8),
        arrays.test_images[:, 0],
        arrays.test_labels.astype(np.uint8),
    )
    for name, array in zip(files, plain, strict=True):
        (folder / name).write_bytes(gzip.compress(encode(array), compresslevel=9, mtime=0))
