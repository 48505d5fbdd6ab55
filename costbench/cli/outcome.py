"""How a command ends and what it prints besides its result."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import typer

from costbench.errors import CostbenchError, InputError

P = ParamSpec("P")
T = TypeVar("T")
INTERRUPTED = 130


def guarded(command: Callable[P, T]) -> Callable[P, T]:
    """Report a user's mistake, or a file that cannot be used, in one sentence; and Ctrl-C with 130."""

    @functools.wraps(command)
    def outcome(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return command(*args, **kwargs)
        except CostbenchError as error:
            note(f"costbench: {error}")
            raise typer.Exit(error.exit_code) from None
        except OSError as error:
            if not error.filename:
                raise
            note(f"costbench: {error.filename}: {error.strerror}")
            raise typer.Exit(InputError.exit_code) from None
        except KeyboardInterrupt:
            note("costbench: interrupted")
            raise typer.Exit(INTERRUPTED) from None

    return outcome


def note(line: str) -> None:
    """A line on stderr."""
    typer.echo(line, err=True)


def print_json(document: Any) -> None:
    """One JSON document on stdout; numbers that are not finite are an error."""
    typer.echo(json.dumps(document, indent=1, allow_nan=False))
