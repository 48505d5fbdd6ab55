"""Run directories: begin, checkpoint, seal, open, verify. Atomic, and never overwritten once sealed."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from costbench.errors import CheckFailed, InputError, UsageError
from costbench.laws import check_conservation, check_record
from costbench.ledger import SCHEMA_VERSION, SCHEMAS, Ledger, totals

TABLES = tuple(f"{name}.parquet" for name in SCHEMAS)
RECORD, SEAL = "run.json", "SEALED"
FILES = (RECORD, *TABLES)
PARTIAL = ".partial-"
CHECKPOINT = "checkpoint"


@dataclass(frozen=True)
class Run:
    """A sealed run on disk. `record` is run.json; `ledger` is read on first use."""

    path: Path
    record: dict[str, Any]

    @property
    def run_id(self) -> str:
        return self.record["run_id"]

    @property
    def name(self) -> str:
        return self.record["spec"]["name"]

    @property
    def nodes(self) -> int:
        return self.record["spec"]["nodes"]

    @property
    def rounds(self) -> int:
        return self.record["rounds"]

    @cached_property
    def ledger(self) -> Ledger:
        return Ledger.read(self.path)

    @property
    def ledger_sha256(self) -> str:
        return _seal_of(_sealed_hashes(self.path))["ledger_sha256"]


class RunStore:
    """The directory under which runs live, one directory a run, named by its run id."""

    def __init__(self, root: str | Path = "runs"):
        self.root = Path(root)

    def find(self, reference: str) -> Run:
        """Open the sealed run at a path, or the one whose id begins with `reference`."""
        path = Path(reference)
        return open_run(path if path.is_dir() else self._by_prefix(reference))

    def _by_prefix(self, reference: str) -> Path:
        is_prefix = re.fullmatch("[0-9a-f]{1,12}", reference)
        matches = [path for path in self.sealed() if is_prefix and path.name.startswith(reference)]
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise UsageError(f"run {reference!r} is ambiguous: {', '.join(path.name for path in matches)}")
        known = ", ".join(path.name for path in self.sealed()) or "none"
        raise UsageError(
            f"no run {reference!r} in {self.root}/: give a path or the prefix of one of: {known}"
        )

    def sealed(self) -> list[Path]:
        folders = (path.parent for path in self.root.glob(f"*/{SEAL}"))
        return sorted(folder for folder in folders if not folder.name.startswith(PARTIAL))

    def holds(self, run_id: str) -> bool:
        return (self.root / run_id / SEAL).is_file()

    @contextmanager
    def writing(self, run_id: str) -> Iterator[Path]:
        """A partial directory of that run to write in, locked against a second writer.

        It stays when the block fails or is interrupted, so that its checkpoint can be resumed; only
        `seal` turns it into a run.
        """
        target, partial = self.root / run_id, self.root / f"{PARTIAL}{run_id}"
        self.root.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.root / f"{PARTIAL}{run_id}.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise CheckFailed(f"{partial}: another process is writing this run") from None
        try:
            if target.exists():
                raise CheckFailed(f"{target} exists: a run is never overwritten")
            partial.mkdir(exist_ok=True)
            yield partial
        finally:
            if target.exists():
                Path(lock.lock_file).unlink(missing_ok=True)
            lock.release()

    def seal(self, partial: Path, record: dict[str, Any], ledger: Ledger) -> Run:
        """Write run.json with the totals, the tables and all hashes; rename `partial` to the run's id."""
        check_conservation(ledger, record["spec"]["nodes"], record["rounds"])
        ledger.write(partial)
        _write_json(partial / RECORD, {"schema": SCHEMA_VERSION, **record, "totals": totals(ledger)})
        hashes = {name: _sha256(partial / name) for name in FILES}
        _write_json(partial / SEAL, _seal_of(hashes))
        shutil.rmtree(partial / CHECKPOINT, ignore_errors=True)
        target = self.root / record["run_id"]
        partial.rename(target)
        return open_run(target)


def open_run(path: Path) -> Run:
    """The sealed run in a directory.

    Raises
    ------
    InputError : it is no sealed run, or one of another schema version
    CheckFailed : its run.json is not the one that was sealed
    """
    hashes = _sealed_hashes(path)
    _check_hash(path / RECORD, hashes)
    record = _read_json(path / RECORD)
    _check_schema(path / RECORD, record)
    return Run(path, record)


def verify(run: Run) -> None:
    """Hash every file again and check the conservation laws.

    Raises
    ------
    CheckFailed : a byte of a file has changed, a file is too many, or a law does not hold
    InputError : a file is missing, or cannot be read
    """
    hashes = _sealed_hashes(run.path)
    for name in FILES:
        _check_hash(run.path / name, hashes)
    _check_seal(run.path / SEAL, hashes)
    _check_nothing_else(run.path)
    try:
        check_conservation(run.ledger, run.nodes, run.rounds)
        check_record(run.record, run.ledger, run.path.resolve().name)
    except CheckFailed as error:
        raise CheckFailed(f"{run.path}: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        allowed = "every key that runs/README.md lists, of its type"
        raise InputError(run.path / RECORD, "", f"{type(error).__name__} {error}", allowed) from None


def _check_seal(seal: Path, hashes: dict[str, str]) -> None:
    expected = _seal_of({name: hashes[name] for name in FILES})
    if expected != _read_json(seal):
        raise CheckFailed(f"{seal}: the ledger's hash does not follow from the hashes of its tables")
    if seal.read_bytes() != _json_bytes(expected):
        raise CheckFailed(f"{seal}: says what was sealed, but not in the bytes that were written")


def _check_nothing_else(path: Path) -> None:
    """Nothing but the sealed files and what begins with a dot, as file managers leave it."""
    known = {*FILES, SEAL}
    further = sorted(entry.name for entry in path.iterdir() if entry.name not in known)
    if unsealed := [name for name in further if not name.startswith(".")]:
        raise CheckFailed(f"{path}: holds {', '.join(unsealed)}, which nobody sealed")


def _sealed_hashes(path: Path) -> dict[str, str]:
    """SHA-256 of every file as SEALED states it."""
    seal = path / SEAL
    if not seal.is_file():
        raise InputError(path, SEAL, "no such file", "a sealed run: `costbench run` writes SEALED last")
    document = _read_json(seal)
    _check_schema(seal, document)
    hashes = document.get("files")
    if not isinstance(hashes, dict) or set(hashes) != set(FILES):
        raise CheckFailed(f"{seal}: `files` does not hold the SHA-256 of {', '.join(FILES)}")
    return hashes


def _check_schema(path: Path, document: dict[str, Any]) -> None:
    if document.get("schema") != SCHEMA_VERSION:
        allowed = f"{SCHEMA_VERSION}; run the spec again with this version of costbench"
        raise InputError(path, "schema", document.get("schema"), allowed)


def _check_hash(path: Path, hashes: dict[str, str]) -> None:
    found, expected = _sha256(path), hashes[path.name]
    if found != expected:
        raise CheckFailed(f"{path}: found SHA-256 {found[:12]}..., sealed {str(expected)[:12]}...")


def _seal_of(hashes: dict[str, str]) -> dict[str, Any]:
    of_tables = "".join(str(hashes[name]) for name in TABLES)
    ledger_sha256 = hashlib.sha256(of_tables.encode()).hexdigest()
    return {"schema": SCHEMA_VERSION, "ledger_sha256": ledger_sha256, "files": hashes}


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        raise InputError(path, "", "no readable file", "a sealed run has this file") from None


def _read_json(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(path, "", str(error), "a readable JSON document") from None
    if not isinstance(document, dict):
        raise InputError(path, "", type(document).__name__, "a JSON object")
    return document


def _write_json(path: Path, document: dict[str, Any]) -> None:
    path.write_bytes(_json_bytes(document))


def _json_bytes(document: dict[str, Any]) -> bytes:
    return (json.dumps(document, indent=1) + "\n").encode()
