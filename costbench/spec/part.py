"""What all parts of a spec share: strict pydantic models, and the types of their numbers."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from costbench.validated import Words

CALLABLE = r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$"

Fraction = Annotated[float, Field(ge=0, le=1)]
Share = Annotated[float, Field(ge=0, lt=1)]
Keep = Annotated[float, Field(gt=0, le=1, description="share of the entries that a message keeps")]
Gamma = Annotated[float, Field(gt=0, le=1, description="consensus step")]
Period = Annotated[int, Field(ge=1, description="rounds, that is local steps, from one exchange to the next")]
Callable_ = Annotated[str, Field(pattern=CALLABLE, description="module:callable")]


class Part(BaseModel):
    """One mapping of a spec: no unknown key, no NaN, no truth value where a number belongs."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _truth_is_no_number(cls, given: object) -> object:
        for key, entry in given.items() if isinstance(given, dict) else ():
            field = cls.model_fields.get(key)
            if isinstance(entry, bool) and field is not None and field.annotation is not bool:
                raise PydanticCustomError("misplaced", "no truth value", {"key": key, "found": entry})
        return given


def refused(allowed: str, key: str, found: object) -> PydanticCustomError:
    """The error of a validator for a key (dotted) whose value the rest of the spec does not allow."""
    return PydanticCustomError("refused", "{allowed}", {"allowed": allowed, "key": key, "found": found})


def one_of_two(first: str, second: str, both: bool) -> PydanticCustomError:
    """The error of two keys of which exactly one must be given."""
    found = f"{first} and {second}" if both else f"neither {first} nor {second}"
    return PydanticCustomError("misplaced", f"exactly one of {first} and {second}", {"found": Words(found)})


def with_user_kind(given: object) -> object:
    """`kind: module:callable` written out as `kind: module` with the key `callable`."""
    if isinstance(given, dict) and isinstance(given.get("kind"), str) and ":" in given["kind"]:
        return {**given, "kind": "module", "callable": given["kind"]}
    return given
