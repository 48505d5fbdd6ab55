"""Profiles from YAML: the shipped ones by id, a user's own by path, checked key by key."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from costbench.errors import InputError, UsageError
from costbench.profile.consistency import inconsistencies
from costbench.profile.device import HardwareProfile
from costbench.profile.folders import FOLDER, LINKS, RADIOS
from costbench.shipped import shipped
from costbench.validated import read_yaml, validated


def list_profiles() -> list[str]:
    """Ids of the shipped profiles, sorted."""
    return sorted(path.stem for path in shipped(FOLDER).glob("*.yaml"))


def profile_file(reference: str | Path) -> Path:
    """The file of the shipped profile of an id, or the path itself.

    Parameters
    ----------
    reference : id such as "phone", or path of a YAML file

    Raises
    ------
    UsageError : neither a shipped id nor a path
    """
    path = Path(reference)
    if path.suffix in (".yaml", ".yml") or len(path.parts) > 1:
        return path
    if str(reference) not in list_profiles():
        raise UsageError(
            f"no profile {str(reference)!r}: give a YAML file or one of {', '.join(list_profiles())}"
        )
    return shipped(FOLDER) / f"{reference}.yaml"


def load_profile(reference: str | Path) -> HardwareProfile:
    """The shipped profile of an id, or the one in a YAML file.

    Parameters
    ----------
    reference : id such as "phone", or path of a YAML file

    Raises
    ------
    UsageError : neither a shipped id nor a path
    InputError : no such file, or its content is no profile: names file, key, what stands there, what may
    """
    path = profile_file(reference)
    return check_profile(path) if path == Path(reference) else _shipped_profile(path.stem)


@lru_cache(maxsize=64)
def _shipped_profile(profile_id: str) -> HardwareProfile:
    profile = check_profile(shipped(FOLDER) / f"{profile_id}.yaml")
    if profile.id != profile_id:
        raise InputError(f"{profile_id}.yaml", "id", profile.id, f"the file's name, {profile_id}")
    return profile


def check_profile(path: str | Path) -> HardwareProfile:
    """Read and check the profile in a YAML file; InputError in one sentence if it is none."""
    path = Path(path)
    profile = validated(HardwareProfile, with_references(read_yaml(path), path), path)
    profile._path = path
    for fault in inconsistencies(profile, path):
        raise fault
    return profile


def with_references(document: dict[str, Any], path: Path) -> dict[str, Any]:
    """The document with each radio, and each radio's link, that is a name replaced by the shipped one."""
    radios = document.get("radios")
    if not isinstance(radios, dict):
        return document
    return {**document, "radios": {name: _radio(name, radio, path) for name, radio in radios.items()}}


def _radio(name: str, radio: Any, path: Path) -> Any:
    radio = _referred(RADIOS, radio, f"radios.{name}", path)
    if not isinstance(radio, dict) or "link" not in radio:
        return radio
    return {**radio, "link": _referred(LINKS, radio["link"], f"radios.{name}.link", path)}


def _referred(folder: str, section: Any, key: str, path: Path) -> Any:
    """The content of the shipped file that a section names; other sections as they are."""
    if not isinstance(section, str):
        return section
    known = sorted(file.stem for file in (shipped(FOLDER) / folder).glob("*.yaml"))
    if section not in known:
        raise InputError(path, key, section, known)
    return read_yaml(shipped(FOLDER) / folder / f"{section}.yaml")
