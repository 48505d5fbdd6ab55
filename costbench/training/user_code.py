"""Models, data sets and algorithms of the user's own, named in a spec as module:callable."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from costbench.errors import InputError


def imported(reference: str, key: str, file: str) -> Callable[..., Any]:
    """The callable that module:callable names; the module may lie in the current directory.

    Parameters
    ----------
    reference : module:callable
    key, file : of the spec, for an error

    Raises
    ------
    InputError : the module cannot be imported, or has no such callable
    """
    module_name, _, name = reference.partition(":")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        found = getattr(importlib.import_module(module_name), name)
    except Exception as error:
        allowed = f"module:callable that can be imported ({reason(error)})"
        raise InputError(file, key, reference, allowed) from None
    if not callable(found):
        raise InputError(file, key, reference, f"module:callable; {name} is no callable")
    return found


def reason(error: Exception) -> str:
    """Kind and first line of an error, for a sentence."""
    first, *_ = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
