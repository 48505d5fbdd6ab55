"""Data of the user's, named in a spec as module:callable."""

from __future__ import annotations

from costbench.errors import InputError
from costbench.training.data.images import Images
from costbench.training.data.tables import Tables
from costbench.training.user_code import imported, reason

KEY = "task.dataset"


def load(reference: str, file: str = "spec") -> Images | Tables:
    """What the callable returns, called without arguments; it makes it with `Images.of` or `Tables.of`.

    Raises
    ------
    InputError : there is no such callable, it fails, or it returns something else
    """
    make = imported(reference, KEY, file)
    try:
        found = make()
    except Exception as error:
        raise InputError(file, KEY, reference, f"a callable that makes data ({reason(error)})") from None
    if not isinstance(found, Images | Tables):
        allowed = f"a callable that returns Images.of(...) or Tables.of(...), not {type(found).__name__}"
        raise InputError(file, KEY, reference, allowed)
    return found
