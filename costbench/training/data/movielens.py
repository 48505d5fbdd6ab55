"""MovieLens-100K as a table: who rates which film, and is the rating at least 4?

Source: Harper and Konstan, "The MovieLens Datasets", ACM TiiS 2015; in the files of the package recbole 1.2.1
(tab separated, every header cell ends in `:type`). Research use only, no redistribution.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from costbench.training.data.tables import TableArrays, split_at_random

FILES = ("ml-100k.inter", "ml-100k.user", "ml-100k.item")
FIELDS = (
    "user", "item", "age", "gender", "occupation", "zip3", "year", "hour", "weekday", "genre", "genres",
)  # fmt: skip
LIKED = 4
TEST_SHARE = 0.2
HOUR_S, DAY_S = 3_600, 86_400
THURSDAY = 3
"""Weekday, counted from Monday, of 1 January 1970."""


def read_folder(folder: Path) -> TableArrays:
    """The 11 fields of every rating, in the file's order, and a random split 80/20 (`random_split`).

    age is in bins of 5 years, zip3 the first three characters of the zip code, year that of the release. hour
    and weekday (0 = Monday) are those of the rating in UTC. genre is the first that the film lists, and
    genres the list itself. The vocabulary, 3,383 entries, is that of all ratings.
    """
    ratings, users, items = (_read(folder / name) for name in FILES)
    rows = ratings.merge(users, on="user_id", how="left", validate="many_to_one")
    rows = rows.merge(items, on="item_id", how="left", validate="many_to_one")
    if rows.isna().any(axis=None):
        raise ValueError("a rating of a user or item that is not listed")
    second = rows["timestamp"].astype(np.int64)
    fields = pd.DataFrame(
        {
            "user": rows["user_id"].astype(np.int64),
            "item": rows["item_id"].astype(np.int64),
            "age": rows["age"].astype(np.int64) // 5,
            "gender": rows["gender"],
            "occupation": rows["occupation"],
            "zip3": rows["zip_code"].str[:3],
            "year": rows["release_year"],
            "hour": second % DAY_S // HOUR_S,
            "weekday": (second // DAY_S + THURSDAY) % 7,
            "genre": rows["class"].str.partition(" ")[0],
            "genres": rows["class"],
        }
    )
    liked = rows["rating"].astype(np.float64) >= LIKED
    return split_at_random(fields[list(FIELDS)], liked.to_numpy(), TEST_SHARE)


def _read(path: Path) -> pd.DataFrame:
    table = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False)
    return table.rename(columns=lambda name: name.partition(":")[0])
