"""Tables of categorical fields with binary labels in memory.

Shapes: n samples, F fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from costbench.training.data.content import content_hash, random_split


class TableArrays(NamedTuple):
    """The arrays of a data set: int64 [n, F] and [n], for training and for testing, and vocabulary [F]."""

    train_ids: NDArray[np.int64]
    train_labels: NDArray[np.int64]
    test_ids: NDArray[np.int64]
    test_labels: NDArray[np.int64]
    vocabulary: NDArray[np.int64]


@dataclass(frozen=True)
class Tables:
    """A data set of rows of categorical fields; `of` makes one from a user's arrays.

    Attributes
    ----------
    name : name in `costbench.training.data.DATASETS`, or the user's
    train_ids, test_ids : int64 [n, F], of each sample and field the entry, 0 .. vocabulary of the field - 1
    train_labels, test_labels : int64 [n], 0 or 1
    fields : names of the fields [F]
    vocabulary : number of entries of each field [F], those that only test samples have included
    sha256 : `content_hash` of the arrays, 64 hex digits
    licence : terms of use, in a few words
    """

    name: str
    train_ids: NDArray[np.int64]
    train_labels: NDArray[np.int64]
    test_ids: NDArray[np.int64]
    test_labels: NDArray[np.int64]
    fields: tuple[str, ...]
    vocabulary: tuple[int, ...]
    sha256: str
    licence: str

    @classmethod
    def of(
        cls,
        name: str,
        train_ids: NDArray[np.integer],
        train_labels: NDArray[np.integer],
        test_ids: NDArray[np.integer],
        test_labels: NDArray[np.integer],
        fields: Sequence[str],
        vocabulary: Sequence[int] | None = None,
        licence: str = "not stated",
    ) -> Tables:
        """A data set from arrays; the content is hashed.

        Parameters
        ----------
        name : under which the run record names the data
        train_ids, test_ids : integers [n, F] from 0, n >= 1
        train_labels, test_labels : integers [n], 0 or 1; the test set must have both
        fields : names of the fields [F]
        vocabulary : number of entries of each field [F]; by default one more than the largest id
        licence : terms of use, in a few words

        Raises
        ------
        ValueError : an array has another type or shape, or an entry lies outside its range
        """
        ids, labels = (train_ids, test_ids), (train_labels, test_labels)
        for rows, label in zip(ids, labels, strict=True):
            if rows.dtype.kind not in "iu" or rows.shape[1:] != (len(fields),) or not rows.size:
                raise ValueError(f"ids must be integers [n, {len(fields)}], one column a field, n >= 1")
            if label.shape != rows.shape[:1] or not np.isin(label, (0, 1)).all():
                raise ValueError("labels must be 0 or 1, one a row")
        if len(np.unique(test_labels)) < 2:
            raise ValueError("the test labels must have both classes: AUC has no meaning otherwise")
        largest = np.concatenate(ids).max(axis=0)
        entries = np.asarray(largest + 1 if vocabulary is None else vocabulary, np.int64)
        if entries.shape != (len(fields),) or (largest >= entries).any() or np.concatenate(ids).min() < 0:
            raise ValueError("ids must lie in 0 .. vocabulary of their field - 1")
        train, test = (np.asarray(rows, np.int64) for rows in ids)
        train_labels, test_labels = (np.asarray(label, np.int64) for label in labels)
        arrays = TableArrays(train, train_labels, test, test_labels, entries)
        vocabulary = tuple(entries.tolist())
        return cls(name, *arrays[:4], tuple(fields), vocabulary, content_hash(arrays), licence)

    @property
    def train_fields(self) -> dict[str, NDArray[np.int64]]:
        """The entry int64 [n] of every training sample in each field, by the field's name."""
        return dict(zip(self.fields, self.train_ids.T, strict=True))


def coded(frame: pd.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Entries as ids: int64 [n, F], and the vocabulary int64 [F].

    The entries of a column [n] are numbered in ascending order, numbers by size and text by code point.
    """
    columns = [pd.factorize(frame[name].to_numpy(), sort=True) for name in frame]
    ids = np.stack([codes for codes, _ in columns], axis=1).astype(np.int64)
    return ids, np.array([len(entries) for _, entries in columns], np.int64)


def split_at_random(frame: pd.DataFrame, labels: NDArray[np.bool_], test_share: float) -> TableArrays:
    """The arrays of a table that has no test set of its own (`random_split`)."""
    ids, vocabulary = coded(frame)
    train, test = random_split(len(frame), test_share)
    wide = labels.astype(np.int64)
    return TableArrays(ids[train], wide[train], ids[test], wide[test], vocabulary)


def bit_length(numbers: Any) -> NDArray[np.int64]:
    """Buckets of whole numbers [n] from 0 on a scale of powers of two: 0 for 0, else floor(log2 x) + 1."""
    return np.frexp(np.asarray(numbers, np.float64))[1].astype(np.int64)
