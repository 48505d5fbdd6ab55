"""RunSpec: what to run, validated. Its canonical JSON is hashed to the run's id."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from costbench.errors import InputError, UsageError
from costbench.validated import Words, parse_yaml, read_yaml, validated

RECIPES = Path(__file__).parent / "recipes"

Fraction = Annotated[float, Field(ge=0, le=1)]
Keep = Annotated[float, Field(gt=0, le=1, description="share of the entries that a message keeps")]
Epoch = Annotated[int, Field(ge=0)]
Factor = Annotated[float, Field(gt=0)]
Gamma = Annotated[float, Field(gt=0, le=1, description="consensus step")]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _truth_is_no_number(cls, given: object) -> object:
        for key, entry in given.items() if isinstance(given, dict) else ():
            field = cls.model_fields.get(key)
            if isinstance(entry, bool) and field is not None and field.annotation is not bool:
                raise PydanticCustomError("misplaced", "no truth value", {"key": key, "found": entry})
        return given


def _one_of_two(first: str, second: str, both: bool) -> PydanticCustomError:
    found = f"{first} and {second}" if both else f"neither {first} nor {second}"
    return PydanticCustomError("misplaced", f"exactly one of {first} and {second}", {"found": Words(found)})


class ResNet20(_Part):
    kind: Literal["resnet20"]
    shortcut: Literal["A", "B"] = "A"
    norm: Literal["batch", "group"] = "batch"


class LeNet(_Part):
    kind: Literal["lenet"]
    norm: Literal["none", "batch", "group"] = "none"


class Iid(_Part):
    kind: Literal["iid"] = "iid"


class LabelSkew(_Part):
    kind: Literal["label-skew"]
    skew: Fraction


class Dirichlet(_Part):
    kind: Literal["dirichlet"]
    alpha: float = Field(gt=0)


class Task(_Part):
    dataset: Literal["fashion-mnist-small", "fashion-mnist", "cifar10"]
    model: Annotated[ResNet20 | LeNet, Field(discriminator="kind")]
    batch: int = Field(ge=1, description="samples a node and step")
    partition: Annotated[Iid | LabelSkew | Dirichlet, Field(discriminator="kind")] = Iid()
    augment: bool = False


class Optimizer(_Part):
    lr: float = Field(gt=0)
    momentum: float = Field(default=0.0, ge=0, lt=1)
    nesterov: bool = False
    weight_decay: float = Field(default=0.0, ge=0)
    warmup_epochs: int = Field(default=0, ge=0, description="epochs at a tenth of lr")
    milestones: dict[Epoch, Factor] = Field(default={}, description="epoch -> factor on lr from there on")


class FixedGraph(_Part):
    kind: Literal["directed-ring", "ring", "complete", "one-peer-exponential"]


class RandomDigraph(_Part):
    kind: Literal["random-digraph"]
    out_degree: int = Field(ge=1)


class EdgeList(_Part):
    """A graph from a CSV file with the columns round, sender, receiver, repeated periodically."""

    kind: Literal["file"]
    path: str | None = Field(default=None, description="CSV file, relative to the spec")
    edges: list[tuple[int, int, int]] | None = Field(default=None, description="round, sender, receiver")

    @model_validator(mode="after")
    def _one_source(self) -> EdgeList:
        if (self.path is None) == (self.edges is None):
            raise _one_of_two("path", "edges", self.path is not None)
        return self


class SparsePush(_Part):
    kind: Literal["sparse-push"]
    keep: Keep
    gamma: Gamma


class Scsp(_Part):
    kind: Literal["scsp"]
    keep: Keep
    gamma: Gamma
    merge_rounds: int = Field(default=50, ge=1, description="dense gossip rounds after training")
    refresh_statistics: bool = Field(
        default=False, description="one forward pass in every merge round, for BatchNorm's statistics"
    )


class Sgp(_Part):
    kind: Literal["sgp"]


class DPsgd(_Part):
    kind: Literal["d-psgd"]


class Wire(_Part):
    codec: Literal["auto", "dense", "packed"] = "auto"
    values: Literal["float32"] = "float32"


class Links(_Part):
    drop: float = Field(default=0.0, ge=0, lt=1, description="probability that a message is lost")


class Evaluate(_Part):
    every: int = Field(default=50, ge=1, description="rounds between evaluations; the last is always one")


class RunSpec(_Part):
    """What to run. Every key that is not given has its default written out in the resolved spec."""

    name: str = Field(min_length=1)
    seed: int = Field(default=0, ge=0, lt=2**63)
    nodes: int = Field(ge=1)
    rounds: int | None = Field(default=None, ge=1, description="training rounds; this or epochs")
    epochs: int | None = Field(default=None, ge=1, description="passes over the data; this or rounds")
    task: Task
    optimizer: Optimizer
    topology: Annotated[FixedGraph | RandomDigraph | EdgeList, Field(discriminator="kind")]
    algorithm: Annotated[SparsePush | Scsp | Sgp | DPsgd, Field(discriminator="kind")]
    wire: Wire = Wire()
    links: Links = Links()
    evaluate: Evaluate = Evaluate()

    @model_validator(mode="after")
    def _one_length(self) -> RunSpec:
        if (self.rounds is None) == (self.epochs is None):
            raise _one_of_two("rounds", "epochs", self.rounds is not None)
        return self

    def resolved(self) -> dict[str, Any]:
        """Every key with its value, as JSON types."""
        return self.model_dump(mode="json")

    def run_id(self) -> str:
        """First 12 hex digits of the SHA-256 of the canonical JSON of the resolved spec."""
        canonical = json.dumps(self.resolved(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:12]


def recipe_names() -> list[str]:
    return sorted(path.stem for path in RECIPES.glob("*.yaml"))


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
    path = _find(reference)
    document = read_yaml(path)
    for override in overrides:
        _override(document, override)
    spec = validated(RunSpec, document, path)
    return _with_edges(spec, path)


def _find(reference: str) -> Path:
    path, recipe = Path(reference), RECIPES / f"{reference}.yaml"
    if path.is_file():
        return path
    if recipe.is_file():
        return recipe
    if path.suffix in (".yaml", ".yml") or len(path.parts) > 1:
        raise InputError(path, "", "no such file", "an existing YAML file")
    raise UsageError(
        f"no spec {reference!r}: give a YAML file or a recipe, one of {', '.join(recipe_names())}"
    )


def _override(document: dict[str, Any], override: str) -> None:
    key, equals, text = override.partition("=")
    if not equals or not key:
        raise UsageError(f"--set {override}: expected KEY=VALUE, such as --set optimizer.lr=0.05")
    *parents, leaf = key.split(".")
    here = document
    for parent in parents:
        here = here.setdefault(parent, {})
        if not isinstance(here, dict):
            raise UsageError(f"--set {override}: {parent!r} holds a single value, not keys")
    try:
        here[leaf] = parse_yaml(text)
    except yaml.YAMLError:
        raise UsageError(f"--set {override}: {text!r} is not a YAML value") from None


def _with_edges(spec: RunSpec, spec_path: Path) -> RunSpec:
    """Read a graph file into the spec, so that the run id follows the graph and not its file name."""
    graph = spec.topology
    if not isinstance(graph, EdgeList) or graph.path is None:
        return spec
    edges = read_edges(spec_path.parent / graph.path)
    return spec.model_copy(update={"topology": EdgeList(kind="file", edges=edges)})


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
