"""From a parsed document to a pydantic model, or one sentence that says what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from costbench.errors import InputError

Model = TypeVar("Model", bound=BaseModel)
Schema = dict[str, Any]

_LONGEST_FOUND = 60
_BOUNDS = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "exclusiveMaximum": "below",
}
_OWN_WORDS = ("value_error", "misplaced")
"""Errors that our models raise: the message says what is allowed, the context may hold key and found. In
"misplaced", a key's own schema says what is allowed; in "refused", the message does."""


class Words(str):
    """Text that an error shows as it is, without quotes."""

    def __repr__(self) -> str:
        return str(self)


class _Loader(yaml.SafeLoader):
    """YAML in which 1e-4 is a number, as in YAML 1.2, and no key may stand twice in a mapping."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if key.value in seen and isinstance(key, yaml.ScalarNode) and key.value != "<<":
                problem = f"the key {key.value!r} a second time"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value if isinstance(key, yaml.ScalarNode) else None)
        return super().construct_mapping(node, deep)


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+"), list("-+.0123456789")
)


def parse_yaml(text: str) -> Any:
    """The document in a text; yaml.YAMLError if it is none."""
    return yaml.load(text, _Loader)


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping that a YAML file holds; InputError if it is missing, unreadable or no mapping."""
    try:
        document = parse_yaml(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(path, "", "no such file", "an existing YAML file") from None
    except UnicodeDecodeError:
        raise InputError(path, "", Words("bytes that are no text"), "a YAML file in UTF-8") from None
    except OSError as error:
        raise InputError(path, "", Words(error.strerror), "a readable YAML file") from None
    except yaml.YAMLError as error:
        raise _malformed(path, error) from None
    if not isinstance(document, dict):
        raise InputError(path, "", _short(document), "a mapping of keys to values")
    return document


def _malformed(path: Path, error: yaml.YAMLError) -> InputError:
    mark = getattr(error, "problem_mark", None)
    line = f"line {mark.line + 1}" if mark else ""
    problem = getattr(error, "problem", None) or "a character that YAML does not allow"
    return InputError(path, line, Words(problem), "well-formed YAML, every key once")


def validated(model: type[Model], document: Mapping[str, Any], file: str | Path) -> Model:
    """`document` as a `model`; the first violation becomes an InputError that names file and key."""
    try:
        return model.model_validate(document)
    except ValidationError as error:
        first, *more = error.errors()
        raise _sentence(first, len(more), model, file) from None


def violations(model: type[BaseModel], document: Mapping[str, Any], file: str | Path) -> list[InputError]:
    """Everything that keeps `document` from being a `model`, in the order of the model's keys."""
    try:
        model.model_validate(document)
    except ValidationError as error:
        return [_sentence(one, 0, model, file) for one in error.errors()]
    return []


def _sentence(error: ErrorDetails, more: int, model: type[BaseModel], file: str | Path) -> InputError:
    context = error.get("ctx", {})
    inside = tuple(context["key"].split(".")) if "key" in context else ()
    keys, here, parent = _located(model, (*error["loc"], *inside))
    found = _short(context.get("found", error["input"]))
    match error["type"]:
        case "extra_forbidden":
            found, allowed = keys[-1], "one of " + ", ".join(parent.get("properties", {}))
        case "missing":
            found, allowed = Words("nothing"), f"{_described(here)}; this key is required"
        case "union_tag_invalid" | "union_tag_not_found":
            tag = here["discriminator"]["propertyName"]
            keys.append(tag)
            found = _short(error["input"].get(tag))
            allowed = "one of " + ", ".join(here["discriminator"]["mapping"])
        case "refused":
            allowed = error["msg"]
        case own if own in _OWN_WORDS:
            allowed = _described(here) if inside else error["msg"].removeprefix("Value error, ")
        case _ if keys and keys[-1] == "[key]":
            del keys[-2:]
            allowed = f"keys that are {_plain_words(error)}"
        case "invalid_key":
            allowed = "keys that are text"
        case _:
            allowed = _described(here) or _plain_words(error)
    if error["type"] == "finite_number":
        allowed = allowed.replace("a number", "a finite number")
    if more:
        allowed += f" (and {more} more error{'s' if more > 1 else ''})"
    return InputError(file, ".".join(map(str, keys)), found, allowed)


def _short(found: Any) -> object:
    """What stands there, short enough for a sentence."""
    if found is None:
        return Words("nothing")
    if len(repr(found)) <= _LONGEST_FOUND:
        return found
    if isinstance(found, Mapping):
        return Words("a mapping with the keys " + ", ".join(map(str, found)))
    if isinstance(found, list):
        return Words(f"a list of {len(found)}")
    return Words(repr(found)[: _LONGEST_FOUND - 3] + "...")


def _plain_words(error: ErrorDetails) -> str:
    words = error["msg"].removeprefix("Input should be ").partition(", ")[0]
    return words[0].lower() + words[1:]


def _located(
    model: type[BaseModel], location: tuple[int | str, ...]
) -> tuple[list[int | str], Schema, Schema]:
    """Walk the model's JSON schema: the keys of `location` without pydantic's tags for the members of a
    union, the schema there, and the one around it."""
    schema = model.model_json_schema()
    here = around = schema
    keys: list[int | str] = []
    for step in location:
        members = here.get("discriminator", {}).get("mapping", {})
        if step in members:
            inside = {"$ref": members[step]}
        else:
            keys.append(step)
            inside, around = _inside(here, step), here
        here = _dereferenced(inside, schema)
    return keys, here, around


def _inside(here: Schema, step: int | str) -> Schema:
    if step in here.get("properties", {}):
        return here["properties"][step]
    items = here.get("prefixItems", [])
    if isinstance(step, int) and 0 <= step < len(items):
        return items[step]
    inside = here.get("items", here.get("additionalProperties", {}))
    return inside if isinstance(inside, dict) else {}


def _dereferenced(node: Schema, schema: Schema) -> Schema:
    if "$ref" in node:
        return _dereferenced(schema["$defs"][node["$ref"].rsplit("/", 1)[-1]], schema)
    options = [option for option in node.get("anyOf", []) if option.get("type") != "null"]
    if len(options) == 1:
        return {**_dereferenced(options[0], schema), **{k: v for k, v in node.items() if k != "anyOf"}}
    return node


def _described(here: Schema) -> str:
    """What may stand where this JSON schema applies, in words; "" where it does not say."""
    if "enum" in here or "const" in here:
        return "one of " + ", ".join(map(str, here.get("enum", [here.get("const")])))
    if "discriminator" in here:
        return f"a mapping with the key {here['discriminator']['propertyName']}"
    match here.get("type"):
        case "integer" | "number" as kind:
            return _described_number("an integer" if kind == "integer" else "a number", here)
        case "boolean":
            return "true or false"
        case "string":
            return _described_text(here)
        case "array":
            return f"a list of {len(here['prefixItems'])}" if "prefixItems" in here else "a list"
        case "object":
            return _described_mapping(here)
    return ""


def _described_number(noun: str, here: Schema) -> str:
    bounds = " and ".join(f"{words} {here[bound]}" for bound, words in _BOUNDS.items() if bound in here)
    meaning = f" ({here['description']})" if "description" in here else ""
    return noun + (f", {bounds}" if bounds else "") + meaning


def _described_text(here: Schema) -> str:
    if "pattern" in here:
        return f"text that matches {here['pattern']}"
    return "text that is not empty" if here.get("minLength") else "text"


def _described_mapping(here: Schema) -> str:
    if here.get("properties"):
        return "a mapping with the keys " + ", ".join(here["properties"])
    return "a mapping that is not empty" if here.get("minProperties") else "a mapping"
