"""Section: a mapping of a profile that allows its own keys and no others."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict

from costbench.sourced import Sourced


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    def numbers(self) -> dict[str, Sourced]:
        """Every sourced number by its dotted key, in the order of the file."""
        return dict(_numbers(self, ""))


def _numbers(section: object, prefix: str) -> Iterator[tuple[str, Sourced]]:
    if isinstance(section, Sourced):
        yield prefix, section
        return
    inside = (
        section.items() if isinstance(section, dict) else section if isinstance(section, BaseModel) else ()
    )
    for key, part in inside:
        yield from _numbers(part, f"{prefix}.{key}" if prefix else key)
