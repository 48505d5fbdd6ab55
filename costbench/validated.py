"""From a parsed document to a pydantic model, or one sentence that says what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from costbench.errors import InputError

Model = TypeVar("Model", bound=BaseModel)


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping that a YAML file holds; InputError if it is missing, unreadable or no mapping."""
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(path, "", "no such file", "an existing YAML file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(path, "", str(error), "a readable UTF-8 YAML file") from None
    except yaml.YAMLError as error:
        raise InputError(path, "", " ".join(str(error).split()), "well-formed YAML") from None
    if not isinstance(document, dict):
        raise InputError(path, "", type(document).__name__, "a mapping of keys to values")
    return document


def validated(model: type[Model], document: Mapping[str, Any], file: str | Path) -> Model:
    """`document` as a `model`; the first violation becomes an InputError that names file and key."""
    try:
        return model.model_validate(document)
    except ValidationError as error:
        first, *more = error.errors()
        raise _sentence(first, len(more), model, document, file) from None


def _sentence(
    error: ErrorDetails, more: int, model: type[BaseModel], document: Mapping[str, Any], file: str | Path
) -> InputError:
    location = _without_tags(error["loc"], document)
    allowed = _allowed(error, model, document) + (f" ({more} more errors in this file)" if more else "")
    found = location[-1] if error["type"] == "extra_forbidden" else _found(error)
    return InputError(file, ".".join(map(str, location)), found, allowed)


def _found(error: ErrorDetails) -> object:
    return "nothing" if error["type"] in ("missing", "union_tag_not_found") else error["input"]


def _without_tags(location: tuple[int | str, ...], document: Any) -> list[int | str]:
    """Drop the tags that pydantic puts into a location for the chosen member of a union."""
    kept: list[int | str] = []
    for depth, step in enumerate(location):
        inside = isinstance(document, Mapping) and step in document
        inside |= isinstance(document, list) and isinstance(step, int)
        if inside:
            document = document[step]
        if inside or depth == len(location) - 1:
            kept.append(step)
    return kept


def _allowed(error: ErrorDetails, model: type[BaseModel], document: Mapping[str, Any]) -> str:
    context = error.get("ctx", {})
    if error["type"] == "extra_forbidden":
        return "one of " + ", ".join(_fields_at(model, error["loc"][:-1]))
    if error["type"] == "missing":
        return "this key is required"
    if error["type"] in ("union_tag_invalid", "union_tag_not_found"):
        return "kind: one of " + str(context.get("expected_tags", "see the documentation"))
    if "expected" in context:
        return "one of " + str(context["expected"])
    message = error["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    return message[0].lower() + message[1:]


def _fields_at(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    """The keys that may stand at `location`, found by walking the model's JSON schema."""
    schema = model.model_json_schema()
    here: dict[str, Any] = schema
    for step in location:
        here = _dereferenced(here, schema)
        mapping = here.get("discriminator", {}).get("mapping", {})
        if step in mapping:
            here = {"$ref": mapping[step]}
        elif step in here.get("properties", {}):
            here = here["properties"][step]
        elif isinstance(here.get("additionalProperties"), dict):
            here = here["additionalProperties"]
    return list(_dereferenced(here, schema).get("properties", {}))


def _dereferenced(node: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        node = schema["$defs"][node["$ref"].rsplit("/", 1)[-1]]
    return node
