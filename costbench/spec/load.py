"""Read a spec from a YAML file or a shipped recipe, with overrides from the command line."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from costbench.errors import InputError, UsageError
from costbench.spec.graph import EdgeList
from costbench.spec.run import RunSpec
from costbench.validated import Words, parse_yaml, read_yaml, validated

RECIPES = Path(__file__).parents[1] / "recipes"


def recipe_names() -> list[str]:
    return shipped_names(RECIPES)


def shipped_names(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.yaml"))


def load_spec(reference: str, overrides: Sequence[str] = ()) -> RunSpec:
    """Read the spec in a YAML file, or in the shipped recipe of that name.

    Parameters
    ----------
    reference : path of a YAML file or name of a recipe
    overrides : "dotted.key=value" strings, the value in YAML, applied in order

    Raises
    ------
    UsageError : neither a file nor a recipe, or an override that is not KEY=VALUE
    InputError : the file or the overridden spec is not a valid spec
    """
    path = file_or_shipped(reference, RECIPES, "spec", "a recipe")
    document = read_yaml(path)
    for override in overrides:
        _override(document, override)
    return spec_of(document, path)


def file_or_shipped(reference: str, folder: Path, what: str, shipped: str) -> Path:
    """The YAML file at this path, or the shipped one of this name in the folder; the words are for errors."""
    path, of_name = Path(reference), folder / f"{reference}.yaml"
    if path.is_file():
        return path
    if of_name.is_file():
        return of_name
    if path.suffix in (".yaml", ".yml") or len(path.parts) > 1:
        raise InputError(path, "", "no such file", "an existing YAML file")
    names = ", ".join(shipped_names(folder))
    raise UsageError(f"no {what} {reference!r}: give a YAML file or {shipped}, one of {names}")


def spec_of(document: dict[str, Any], path: Path, part: str = "") -> RunSpec:
    """The spec in a document that was read from this file, or from the named part of it.

    A graph file is read into the spec, so that the run id follows the graph and not its file name; its path
    is relative to the spec's.
    """
    spec = validated(RunSpec, document, f"{path} ({part})" if part else path)
    graph = spec.topology
    if not isinstance(graph, EdgeList) or graph.path is None:
        return spec
    edges = read_edges(path.parent / graph.path)
    return spec.model_copy(update={"topology": EdgeList(kind="file", edges=edges)})


def _override(document: dict[str, Any], override: str) -> None:
    key, equals, text = override.partition("=")
    if not equals or not key:
        raise UsageError(f"--set {override}: expected KEY=VALUE, such as --set optimizer.lr=0.05")
    try:
        entry = parse_yaml(text)
    except yaml.YAMLError:
        raise UsageError(f"--set {override}: {text!r} is not a YAML value") from None
    placed(document, key, entry, f"--set {override}")


def placed(document: dict[str, Any], key: str, entry: Any, where: str) -> None:
    """Set a dotted key of a document; UsageError, naming `where`, if a parent holds a single value."""
    *parents, leaf = key.split(".")
    here = document
    for parent in parents:
        here = here.setdefault(parent, {})
        if not isinstance(here, dict):
            raise UsageError(f"{where}: {parent!r} holds a single value, not keys")
    here[leaf] = entry


def read_edges(path: Path) -> list[tuple[int, int, int]]:
    """Rows (round, sender, receiver) of a CSV file with that header."""
    columns = ["round", "sender", "receiver"]
    try:
        rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    except (OSError, UnicodeDecodeError):
        raise InputError(
            path, "", Words("no readable file"), "a CSV file with round,sender,receiver"
        ) from None
    if not rows or rows[0] != columns:
        found = ",".join(rows[0]) if rows else Words("nothing")
        raise InputError(path, "line 1", found, ",".join(columns))
    return [_edge(path, number, row) for number, row in enumerate(rows[1:], start=2) if row]


def _edge(path: Path, line: int, row: list[str]) -> tuple[int, int, int]:
    try:
        when, sender, receiver = map(int, row)
    except ValueError:
        raise InputError(
            path, f"line {line}", ",".join(row), "three integers: round,sender,receiver"
        ) from None
    return when, sender, receiver
