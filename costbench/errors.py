"""The errors that a user can cause: one sentence each, and the exit code that goes with it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


class CostbenchError(Exception):
    """Base of every error that is reported in one sentence, without a traceback."""

    exit_code = 1


class CheckFailed(CostbenchError):
    """Something that was to be verified does not hold (exit 1)."""


class Diverged(CheckFailed):
    """A loss is not a finite number any more: the run stops and is not sealed (exit 1)."""


class Interrupted(CostbenchError):
    """A run was asked to stop; its checkpoint is kept (exit 130)."""

    exit_code = 130


class UsageError(CostbenchError):
    """The command line asks for something that does not exist (exit 2)."""

    exit_code = 2


class InputError(CostbenchError):
    """An input file is wrong (exit 3): says where, at which key, what was found, what is allowed.

    Parameters
    ----------
    file : path or name of the file at fault
    key : dotted key, column or field inside it; "" for the file as a whole
    found : what stands there, shown with repr
    allowed : what may stand there, in words or as the allowed values
    """

    exit_code = 3

    def __init__(self, file: str | Path, key: str, found: object, allowed: str | Iterable[str]):
        self.file, self.key, self.found = str(file), key, found
        self.allowed = allowed if isinstance(allowed, str) else ", ".join(map(str, allowed))
        place = f"{self.file}: {key}" if key else self.file
        super().__init__(f"{place}: found {found!r}; allowed: {self.allowed}")

    def __reduce__(self) -> tuple[type[InputError], tuple[object, ...]]:
        """An error that a process of a sweep hands back must be made again from what it was made of."""
        return type(self), (self.file, self.key, self.found, self.allowed)


class WireError(CostbenchError):
    """Bytes that no sender of this run can have encoded (exit 1)."""
