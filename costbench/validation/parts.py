"""What the kinds of measurement are made of."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

Number = Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1)]
Use = Literal["calibrate", "predict"]
#: points that a line needs
A_LINE = 2


def refused(key: str, found: object, allowed: str) -> PydanticCustomError:
    """An error whose sentence names what stands at a key and what may."""
    return PydanticCustomError("refused", allowed, {"key": key, "found": found})


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Described(Part):
    """An entry of any kind."""

    id: str = Field(min_length=1)
    source: str = Field(min_length=1)
    independent: bool
    tolerance_pct: Positive | dict[str, Positive] | None
    protocol: str = ""
    note: str = ""


def something_to_predict(rows: Any) -> None:
    """Refuse rows of which none is to be predicted."""
    if not any(row.use == "predict" for row in rows):
        raise refused("rows", "no row with use: predict", "at least one row with use: predict")
