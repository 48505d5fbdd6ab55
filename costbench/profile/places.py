"""Where each number of a profile stands: file and line."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import yaml

from costbench.profile.folders import FOLDER, LINKS, RADIOS
from costbench.shipped import shipped


@lru_cache(maxsize=256)
def places_of(path: Path) -> dict[str, str]:
    """File name and line of every section and number of a profile.

    Parameters
    ----------
    path : the profile's YAML file, which has been read and checked before

    Returns
    -------
    Dotted key -> "phone.yaml:12", following the names of radios and links into their files
    """
    return _walked(yaml.compose(path.read_text(encoding="utf-8")), path, "")


def _walked(node: yaml.Node | None, path: Path, key: str) -> dict[str, str]:
    if isinstance(node, yaml.ScalarNode) and (referred := _referred(key, node.value)):
        return {key: _place(path, node), **_walked(yaml.compose(referred.read_text("utf-8")), referred, key)}
    if not isinstance(node, yaml.MappingNode):
        return {}
    places = {}
    for name, part in node.value:
        inside = f"{key}.{name.value}" if key else name.value
        places[inside] = _place(path, name)
        places.update(_walked(part, path, inside))
    return places


def _referred(key: str, name: str) -> Path | None:
    """The shipped file that a radio or its link names."""
    steps = key.split(".")
    if steps[0] != "radios" or len(steps) > 3 or (len(steps) == 3 and steps[2] != "link"):
        return None
    file = shipped(FOLDER) / (LINKS if len(steps) == 3 else RADIOS) / f"{name}.yaml"
    return file if len(steps) > 1 and file.is_file() else None


def _place(path: Path, node: yaml.Node) -> str:
    return f"{path.name}:{node.start_mark.line + 1}"
