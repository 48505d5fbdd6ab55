"""`costbench profiles import`: a maker's power_profile.xml becomes a profile."""

from __future__ import annotations

import re
from math import inf
from pathlib import Path
from typing import Any

import typer
import yaml

from costbench.cli.outcome import note
from costbench.errors import UsageError
from costbench.profile.android import import_power_profile
from costbench.profile.checking import document_faults
from costbench.profile.differences import differences
from costbench.profile.loading import check_profile, load_profile, profile_file
from costbench.validated import read_yaml

#: the shipped profile whose battery voltage and doubt of makers' tables stand in where the base has none
TABLE_PROFILE = "phone-midrange"
_WIDTH = 100


def import_profile(file: Path, base: str, out: Path, voltage: float | None, profile_id: str | None) -> None:
    """Write the profile, and say which of its numbers came from the file and which from the base."""
    if out.exists():
        raise UsageError(f"--out {out}: found a file; allowed: a path where nothing stands")
    if out.suffix not in (".yaml", ".yml"):
        raise UsageError(f"--out {out}: found {out.suffix!r}; allowed: a path that ends in .yaml")
    if voltage is not None and not 0 < voltage < inf:
        raise UsageError(f"--voltage {voltage}: found {voltage}; allowed: a number of volts above 0")
    document = _document(file, base, voltage)
    title = f"{document['title']}; processor and radios of {file.name}"
    document |= {"id": profile_id or re.sub("[^a-z0-9]+", "-", out.stem.lower()).strip("-"), "title": title}
    for fault in document_faults(document, out):
        raise fault
    text = yaml.safe_dump(document, sort_keys=False, width=_WIDTH, allow_unicode=True)
    out.write_text(f"# Imported from {file.name}; what it lacks is that of {base}.\n{text}", encoding="utf-8")
    _tell_origins(base, out)
    typer.echo(out)


def _document(file: Path, base: str, voltage: float | None) -> dict[str, Any]:
    of_base = read_yaml(profile_file(base))
    load_profile(base)
    table = of_base["compute"]["power"]
    if table["model"] != "cpu-table":
        table = read_yaml(profile_file(TABLE_PROFILE))["compute"]["power"]
    if voltage is not None:
        table = table | {"voltage": _given(voltage)}
    return import_power_profile(file, of_base, table)


def _given(voltage: float) -> dict[str, Any]:
    return {
        **dict.fromkeys(("value", "low", "high"), voltage),
        "unit": "V",
        "kind": "datasheet",
        "source": "nominal voltage of the battery, as given on import",
    }


def _tell_origins(base: str, out: Path) -> None:
    imported = check_profile(out)
    found = differences(load_profile(base), imported)
    own = [*found.both, *found.only_second]
    note("from the file: " + ", ".join(own))
    note(
        f"from {base}: the other {len(imported.numbers()) - len(set(own) & set(imported.numbers()))} numbers"
    )
