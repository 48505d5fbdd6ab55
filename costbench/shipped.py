"""Where the folders that come with costbench lie: inside the package, or beside it in a checkout."""

from __future__ import annotations

from pathlib import Path

from costbench.errors import InputError

PACKAGE = Path(__file__).parent


def shipped(folder: str) -> Path:
    """The shipped folder of that name.

    Parameters
    ----------
    folder : name of a folder, such as "hardware_profiles"

    Raises
    ------
    InputError : it is neither in the installed package nor beside it
    """
    candidates = (PACKAGE / folder, PACKAGE.parent / folder)
    for candidate in candidates:
        if candidate.is_dir():
            return candidate
    raise InputError(folder, "", "no such folder", " or ".join(map(str, candidates)))
