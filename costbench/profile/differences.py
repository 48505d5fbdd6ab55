"""What differs between two profiles, key by key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from costbench.profile.device import HardwareProfile

#: what two numbers must have in common to count as equal; a note explains and is not compared
COMPARED = ("value", "low", "high", "values", "unit", "kind", "source")
#: keys that name a device and say nothing of it
NAMES = ("id", "title")

Entry = dict[str, Any] | str


@dataclass(frozen=True)
class Differences:
    """Keys on which two profiles differ.

    Attributes
    ----------
    both : key -> what the first and what the second has there
    only_first, only_second : key -> what the one has that knows it
    """

    both: dict[str, tuple[Entry, Entry]]
    only_first: dict[str, Entry]
    only_second: dict[str, Entry]

    @property
    def none(self) -> bool:
        """Whether the profiles are equal, but for their names."""
        return not (self.both or self.only_first or self.only_second)

    def to_json(self) -> dict[str, Any]:
        """The JSON document of `costbench profiles diff --json`, but for the names of the profiles."""
        return {
            "differ": {key: {"first": first, "second": second} for key, (first, second) in self.both.items()},
            "only_first": self.only_first,
            "only_second": self.only_second,
        }


def differences(first: HardwareProfile, second: HardwareProfile) -> Differences:
    """Keys whose numbers differ in value, range, unit, kind or source, and keys that one profile lacks.

    Parameters
    ----------
    first, second : the profiles; their ids and titles are not compared

    Returns
    -------
    The keys, in the order of the profiles
    """
    left, right = entries(first), entries(second)
    return Differences(
        {key: (left[key], right[key]) for key in left if key in right and left[key] != right[key]},
        {key: entry for key, entry in left.items() if key not in right},
        {key: entry for key, entry in right.items() if key not in left},
    )


def entries(profile: HardwareProfile) -> dict[str, Entry]:
    """Every number, table of numbers and word of a profile by its dotted key, without notes."""
    found: dict[str, Entry] = {}
    _collect(profile.model_dump(mode="json"), "", found)
    return {key: entry for key, entry in found.items() if key not in NAMES}


def _collect(section: Any, key: str, found: dict[str, Entry]) -> None:
    if isinstance(section, dict) and "unit" in section:
        found[key] = {name: section[name] for name in COMPARED if name in section}
    elif isinstance(section, dict):
        for name, part in section.items():
            _collect(part, f"{key}.{name}" if key else name, found)
    elif section is not None:
        found[key] = str(section)
