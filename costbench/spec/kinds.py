"""What a spec can name: every kind of algorithm, compressor, model, data set, partition and graph."""

from __future__ import annotations

from typing import Any, get_args

from costbench.spec.algorithm import AlgorithmPart, CompressorPart
from costbench.spec.graph import TopologyPart
from costbench.spec.part import Part
from costbench.spec.run import Wire
from costbench.spec.task import DATASETS, ModelPart, PartitionPart

UNIONS = {
    "algorithm": AlgorithmPart,
    "algorithm.compressor": CompressorPart,
    "task.model": ModelPart,
    "task.partition": PartitionPart,
    "topology": TopologyPart,
}


def kinds(key: str) -> dict[str, type[Part]]:
    """The kinds that may stand at a key of `UNIONS`, each with the part of the spec that describes it."""
    return {kind: part for part in _members(UNIONS[key]) for kind in _names(part)}


def options(part: type[Part]) -> list[str]:
    """The keys of a part beside its kind."""
    return [name for name in part.model_fields if name != "kind"]


def listing() -> dict[str, str]:
    """Key of the spec -> what may stand there, in one line."""
    named = {key: ", ".join(_with_options(kind, part) for kind, part in kinds(key).items()) for key in UNIONS}
    wire = {
        f"wire.{name}": ", ".join(get_args(field.annotation)) for name, field in Wire.model_fields.items()
    }
    return {**named, "task.dataset": ", ".join(DATASETS), **wire}


def _with_options(kind: str, part: type[Part]) -> str:
    if kind == "module":
        return "module:callable"
    return kind + (f" ({', '.join(options(part))})" if options(part) else "")


def _members(union: Any) -> list[type[Part]]:
    """The classes of an annotated union, however deep its annotations."""
    inner = get_args(union)
    if not inner:
        return [union] if isinstance(union, type) and issubclass(union, Part) else []
    return [member for argument in inner for member in _members(argument)]


def _names(part: type[Part]) -> tuple[str, ...]:
    return get_args(part.model_fields["kind"].annotation)
