"""A published figure beside what its rule gives, and when the two agree."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from typing import Any, Literal

Confidence = Literal["exact rule", "consistent", "unknown"]
Reading = Literal["cut", "rounded"]

MODES = {"cut": ROUND_DOWN, "rounded": ROUND_HALF_UP}
WORDS = {"cut": "cut off after the printed digits", "rounded": "rounded to the printed digits"}


@dataclass(frozen=True)
class Claim:
    """One figure of a publication and ours.

    Attributes
    ----------
    id : name of the claim
    printed : the figure as it is printed, with its digits; None where none is
    computed : what the rule gives for the real model, in the unit of the printed figure
    rule : in words, how it is computed and how its digits are read
    confidence : "exact rule", one rule gives independent printed figures; "consistent", the rule gives the
        figure and another could too; "unknown", no rule is known, or no figure is printed to test it with
    reading : whether printed figures of this kind are cut off or rounded
    encoded : the same figure with messages as they are really encoded, of a length that no data changes; None
        where there is no message
    encoded_auto : the same with the shortest codec for the first message, which depends on the data
    """

    id: str
    printed: str | None
    computed: float
    rule: str
    confidence: Confidence
    reading: Reading = "rounded"
    encoded: float | None = None
    encoded_auto: float | None = None

    @property
    def published(self) -> float | None:
        return None if self.printed is None else float(self.printed)

    @property
    def agrees(self) -> bool | None:
        """Whether the computed figure is printed as the published one; None where none is published."""
        return (
            None
            if self.printed is None
            else digits(self.computed, self.printed, self.reading) == self.printed
        )

    def to_json(self) -> dict[str, Any]:
        keys = ("id", "published", "computed", "agrees", "rule", "confidence", "encoded")
        return {key: getattr(self, key) for key in keys}


def digits(computed: float, printed: str, reading: Reading) -> str:
    """The computed figure with as many digits as the printed one, cut off or rounded."""
    return str(Decimal(computed).quantize(Decimal(printed), rounding=MODES[reading]))


def reading_words(computed: float, printed: str, reading: Reading) -> str:
    """How the digits are read, and what the other reading gives where it differs."""
    other: Reading = "rounded" if reading == "cut" else "cut"
    differently = digits(computed, printed, other)
    same = differently == digits(computed, printed, reading)
    return WORDS[reading] + ("" if same else f" ({other} it is {differently})")
