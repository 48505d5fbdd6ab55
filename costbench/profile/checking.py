"""Everything that is wrong with a profile's file, and what a sound profile leaves to assumptions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from costbench.errors import InputError
from costbench.profile.consistency import inconsistencies
from costbench.profile.device import HardwareProfile
from costbench.profile.loading import with_references
from costbench.validated import read_yaml, violations

#: parts of keys that say what a radio's network takes beyond the device
_BEYOND = ("access_point.", "base_station_energy")


def faults(path: Path) -> list[InputError]:
    """Everything that is wrong with the profile in a file.

    Parameters
    ----------
    path : a YAML file

    Returns
    -------
    One error a fault: those of names and keys, or, where there are none, those of numbers that do not go
    together; empty for a sound profile
    """
    try:
        return document_faults(read_yaml(path), path)
    except InputError as error:
        return [error]


def document_faults(document: dict[str, Any], path: Path) -> list[InputError]:
    """Everything that is wrong with the document of a profile; its file is to be named."""
    document, unknown = _resolved(document, path)
    named = tuple(f"{error.key}." for error in unknown)
    found = violations(HardwareProfile, document, path)
    wrong = unknown + [error for error in found if not f"{error.key}.".startswith(named)]
    return wrong or list(inconsistencies(HardwareProfile.model_validate(document), path))


def _resolved(document: dict[str, Any], path: Path) -> tuple[dict[str, Any], list[InputError]]:
    """The document with radios in place of their names, and an error for each name that is unknown."""
    radios = document.get("radios")
    if not isinstance(radios, dict):
        return document, []
    unknown = []
    for name, radio in radios.items():
        try:
            radios = {**radios, **with_references({"radios": {name: radio}}, path)["radios"]}
        except InputError as error:
            unknown.append(error)
    return {**document, "radios": radios}, unknown


def standing(profile: HardwareProfile) -> str:
    """How much of a profile is assumed, and where its numbers end, in words.

    Parameters
    ----------
    profile : a sound profile

    Returns
    -------
    Half a sentence, such as "12 of 80 numbers are assumed; beyond the device: wifi, lte"
    """
    numbers = profile.numbers()
    assumed = sum(number.kind == "assumed" for number in numbers.values())
    beyond = [name for name in profile.radios if _reaches_beyond(name, list(numbers))]
    return (
        f"{assumed} of {len(numbers)} numbers are assumed; numbers beyond the device: "
        f"{', '.join(beyond) or 'on no radio'}"
    )


def _reaches_beyond(radio: str, keys: list[str]) -> bool:
    return any(key.startswith(f"radios.{radio}.") and any(part in key for part in _BEYOND) for key in keys)
