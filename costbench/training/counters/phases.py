"""Which part of a device's round is running, so that counters can tell forward from compress from mix."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

CATEGORY_OF_PHASE = {
    "forward": "activations",
    "backward": "workspace",
    "optimizer": "workspace",
    "compress": "workspace",
    "mix": "workspace",
    "evaluate": "activations",
}


@dataclass(frozen=True)
class Phase:
    """The running phase and the memory category of what it allocates."""

    name: str
    holds: str


_OWN = Phase("mix", CATEGORY_OF_PHASE["mix"])
_current: ContextVar[Phase] = ContextVar("phase", default=_OWN)


def current_phase() -> Phase:
    """The innermost phase; outside of every other, an algorithm's own arithmetic is "mix"."""
    return _current.get()


@contextmanager
def phase(name: str, holds: str | None = None) -> Iterator[None]:
    """Context manager and decorator: operators inside belong to `name`, new memory to `holds`."""
    token = _current.set(Phase(name, holds or CATEGORY_OF_PHASE[name]))
    try:
        yield
    finally:
        _current.reset(token)
