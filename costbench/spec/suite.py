"""Suite: variants of one spec, each with several seeds, to be run one after the other and compared."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, model_validator

from costbench.errors import InputError
from costbench.spec.load import file_or_shipped, placed, shipped_names, spec_of
from costbench.spec.part import Part, refused
from costbench.spec.run import RunSpec
from costbench.validated import Words, read_yaml, validated

SUITES = Path(__file__).parents[1] / "recipes" / "suites"


class Target(Part):
    """A metric of the fleet, and the value at which it counts as reached."""

    metric: str = Field(pattern="^test_(accuracy|auc|loss)$")
    reached: float


class Suite(Part):
    """Every variant with every seed: a variant is dotted keys of the spec with other entries."""

    name: str = Field(min_length=1)
    question: str = Field(min_length=1, description="what the runs are to answer")
    base: dict[str, Any] = Field(description="a spec without name and seed")
    variants: dict[str, dict[str, Any]] = Field(min_length=1, description="name -> dotted key -> entry")
    seeds: list[Annotated[int, Field(ge=0)]] = Field(min_length=1)
    target: Target | None = None

    @model_validator(mode="after")
    def _seeds_differ(self) -> Suite:
        if len(set(self.seeds)) < len(self.seeds):
            raise refused("every seed once", "seeds", self.seeds)
        return self

    def documents(self) -> list[tuple[str, dict[str, Any]]]:
        """Name of the variant and document of the spec, variant after variant, seed after seed."""
        return [(name, self._document(name, seed)) for name in self.variants for seed in self.seeds]

    def _document(self, name: str, seed: int) -> dict[str, Any]:
        document = {**deepcopy(self.base), "name": f"{self.name}: {name}", "seed": seed}
        for key, entry in self.variants[name].items():
            placed(document, key, entry, f"variants.{name}")
        return document


def suite_names() -> list[str]:
    return shipped_names(SUITES)


def load_suite(reference: str) -> tuple[Suite, list[tuple[str, RunSpec]]]:
    """Read a suite from a YAML file or a shipped one of that name, and every spec in it.

    Raises
    ------
    UsageError : neither a file nor a shipped suite
    InputError : the file is not a valid suite, or a variant is not a valid spec
    """
    path = file_or_shipped(reference, SUITES, "suite", "a shipped suite")
    suite = validated(Suite, read_yaml(path), path)
    specs = [(name, spec_of(document, path, name)) for name, document in suite.documents()]
    by_id: dict[str, str] = {}
    for name, spec in specs:
        if by_id.setdefault(spec.run_id(), name) != name:
            raise InputError(path, f"variants.{name}", Words("the spec of another variant"), "one of its own")
    return suite, specs
