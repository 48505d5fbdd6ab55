"""The known data sets: where their files lie, what they must contain, and how they are loaded."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import platformdirs

from costbench.errors import CheckFailed, InputError
from costbench.training.data import adult, census, cifar, digits, idx, movielens, user
from costbench.training.data.content import content_hash
from costbench.training.data.images import Arrays, Images
from costbench.training.data.tables import TableArrays, Tables

SHIPPED = Path(__file__).parent / "shipped"
_FULL_FILES = idx.file_names("t10k")
_SMALL_FILES = idx.file_names("test")
_CIFAR_LICENCE = "none stated; cite Krizhevsky 2009"


@dataclass(frozen=True)
class Dataset:
    """A data set that can be named in a spec.

    Attributes
    ----------
    name : its name in a spec, and the name of its folder
    train_samples, test_samples : number of images, or of rows of a table
    licence : terms of use, in a few words
    sha256 : `content_hash` of its arrays, pinned; None where it is not pinned
    files : names of the files in its folder
    read : the arrays from its folder
    classes : number of classes of images
    fields : names of the fields of a table; none for images
    download_bytes : what the larger of its sources transfers [byte]; 0 if it is shipped
    shipped : whether it is part of the package
    """

    name: str
    train_samples: int
    test_samples: int
    licence: str
    sha256: str | None
    files: tuple[str, ...]
    read: Callable[[Path], Arrays | TableArrays]
    classes: int = 2
    fields: tuple[str, ...] = ()
    download_bytes: int = 0
    shipped: bool = False

    def folder(self) -> Path:
        """Where its files lie, or would lie once fetched."""
        return (SHIPPED if self.shipped else data_directory()) / self.name


@dataclass(frozen=True)
class DatasetStatus:
    """One line of `costbench data list`; `stored_bytes` is None where nothing is stored."""

    name: str
    state: Literal["shipped", "fetched", "missing"]
    pinned: bool
    train_samples: int
    test_samples: int
    licence: str
    stored_bytes: int | None
    download_bytes: int


DATASETS = {
    dataset.name: dataset
    for dataset in (
        Dataset(
            name="fashion-mnist-small",
            classes=10,
            train_samples=4_800,
            test_samples=1_200,
            licence="MIT (c) 2017 Zalando SE",
            sha256="24066a3bcd80b2601a1df2a2e7f04b27fbe980ad8fd7325be8eac16a70e6e393",
            files=_SMALL_FILES,
            read=lambda folder: idx.read_folder(folder, _SMALL_FILES),
            shipped=True,
        ),
        Dataset(
            name="fashion-mnist",
            classes=10,
            train_samples=60_000,
            test_samples=10_000,
            licence="MIT (c) 2017 Zalando SE",
            sha256="4534a8a413eff65ac48ea6d77aeb47bd49d44cf9cad2a951a3d8866c8831a711",
            files=_FULL_FILES,
            read=lambda folder: idx.read_folder(folder, _FULL_FILES),
            download_bytes=30_900_652,
        ),
        Dataset(
            name="cifar10",
            classes=10,
            train_samples=50_000,
            test_samples=10_000,
            licence=_CIFAR_LICENCE,
            sha256="5e5e71ed4630d506c7721247a52e06e4d8039bf51773ffa53a56d97866d045ee",
            files=cifar.FILES,
            read=cifar.read_folder,
            download_bytes=170_498_071,
        ),
        Dataset(
            name="cifar100",
            classes=100,
            train_samples=50_000,
            test_samples=10_000,
            licence=_CIFAR_LICENCE,
            sha256=None,
            files=cifar.FILES_100,
            read=cifar.read_folder_100,
            download_bytes=169_001_437,
        ),
        Dataset(
            name="digits",
            classes=10,
            train_samples=1_437,
            test_samples=360,
            licence="CC BY 4.0; Alpaydin and Kaynak 1998",
            sha256="456e9afca8445714f3ba39def1142ea3371a5e6048a211a6f3ef61fe17e9032c",
            files=digits.FILES,
            read=digits.read_folder,
            shipped=True,
        ),
        Dataset(
            name="movielens-100k",
            train_samples=80_000,
            test_samples=20_000,
            licence="GroupLens: research use, no redistribution; cite Harper and Konstan 2015",
            sha256="04c4d075bf0e07110e56da36185c80924460258e000aef2cdd691705762e243c",
            files=movielens.FILES,
            read=movielens.read_folder,
            fields=movielens.FIELDS,
            download_bytes=2_130_151,
        ),
        Dataset(
            name="census-income",
            train_samples=199_523,
            test_samples=99_762,
            licence="CC BY 4.0; UCI Machine Learning Repository 2000",
            sha256="ef12afa46c92e6fcb7561bf30395513580e35587c610ae9a9e4be16356270b1f",
            files=census.FILES,
            read=census.read_folder,
            fields=census.FIELDS,
            download_bytes=9_013_851,
        ),
        Dataset(
            name="adult",
            train_samples=39_074,
            test_samples=9_768,
            licence="CC BY 4.0; Becker and Kohavi 1996",
            sha256="bdf3095939eb699cb109b0c20ac26665944f31f3231b03e447ff4529fba9ff4b",
            files=adult.FILES,
            read=adult.read_folder,
            fields=adult.FIELDS,
            shipped=True,
        ),
    )
}


def data_directory() -> Path:
    """Where fetched data is kept: the environment variable COSTBENCH_DATA, else the user's cache."""
    return Path(os.environ.get("COSTBENCH_DATA") or platformdirs.user_cache_path("costbench"))


def load(name: str, file: str = "spec") -> Images | Tables:
    """Read a data set and check its content; `module:callable` is data of the user's.

    Raises
    ------
    InputError : no such data set, it has not been fetched yet, or the user's callable makes none
    CheckFailed : its files are damaged or their content is not the pinned one
    """
    if ":" in name:
        return user.load(name, file)
    if name not in DATASETS:
        raise InputError(file, user.KEY, name, DATASETS)
    dataset = DATASETS[name]
    if not is_present(dataset, dataset.folder()):
        raise InputError(
            dataset.folder(),
            "",
            "no data",
            f"what `costbench data fetch {name}` stores there; run that first",
        )
    return load_from(dataset, dataset.folder())


def load_from(dataset: Dataset, folder: Path) -> Images | Tables:
    """Read a data set from a folder that holds its files, and check its content; raises CheckFailed."""
    try:
        arrays = dataset.read(folder)
    except (OSError, EOFError, ValueError, KeyError, zlib.error) as error:
        raise CheckFailed(f"{folder}: damaged ({error}); {_remedy(dataset)}") from None
    found = content_hash(arrays)
    if dataset.sha256 not in (None, found):
        raise CheckFailed(f"{folder}: content hash {found} is not {dataset.sha256}; {_remedy(dataset)}")
    if isinstance(arrays, TableArrays):
        vocabulary = tuple(arrays.vocabulary.tolist())
        return Tables(dataset.name, *arrays[:4], dataset.fields, vocabulary, found, dataset.licence)
    return Images(dataset.name, *arrays, dataset.classes, found, dataset.licence)


def _remedy(dataset: Dataset) -> str:
    return "reinstall costbench" if dataset.shipped else f"run `costbench data fetch {dataset.name}` again"


def is_present(dataset: Dataset, folder: Path) -> bool:
    """Whether all files of the data set are in the folder (their content is not looked at)."""
    return all((folder / name).is_file() for name in dataset.files)


def status() -> list[DatasetStatus]:
    """What is known and what is stored of each data set, without reading any content."""
    return [_status(dataset) for dataset in DATASETS.values()]


def _status(dataset: Dataset) -> DatasetStatus:
    folder = dataset.folder()
    present = is_present(dataset, folder)
    stored = sum((folder / name).stat().st_size for name in dataset.files) if present else None
    return DatasetStatus(
        name=dataset.name,
        state="shipped" if dataset.shipped else "fetched" if present else "missing",
        pinned=dataset.sha256 is not None,
        train_samples=dataset.train_samples,
        test_samples=dataset.test_samples,
        licence=dataset.licence,
        stored_bytes=stored,
        download_bytes=dataset.download_bytes,
    )
