"""Predict every entry of a file of measurements and compare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from costbench.errors import InputError
from costbench.shipped import PACKAGE
from costbench.validated import read_yaml, validated
from costbench.validation.entries import Entry, Measurements
from costbench.validation.measures import Prediction
from costbench.validation.predictors import PREDICTORS

SHIPPED = PACKAGE / "validation" / "measurements.yaml"


class Checked(NamedTuple):
    """A prediction and the error that it may have [%]; None: no bound was set."""

    prediction: Prediction
    tolerance_pct: float | None

    @property
    def ok(self) -> bool:
        """Whether the error lies within the tolerance."""
        return self.tolerance_pct is None or self.prediction.error_pct <= self.tolerance_pct

    def to_json(self) -> dict[str, Any]:
        """One element of `errors`."""
        return {
            "quantity": self.prediction.quantity,
            "error_pct": self.prediction.error_pct,
            "tolerance_pct": self.tolerance_pct,
            "ok": self.ok,
        }


class Validated(NamedTuple):
    """An entry and what was predicted for it."""

    entry: Any
    checks: tuple[Checked, ...]

    @property
    def ok(self) -> bool:
        """Whether every quantity lies within its tolerance."""
        return all(check.ok for check in self.checks)

    def to_json(self) -> dict[str, Any]:
        """One element of `entries` in the document of `costbench validate --json`."""
        predictions = [check.prediction for check in self.checks]
        return {
            "id": self.entry.id,
            "kind": self.entry.kind,
            "independent": self.entry.independent,
            "errors": [check.to_json() for check in self.checks],
            "predicted": [number for one in predictions for number in one.predicted],
            "measured": [number for one in predictions for number in one.measured],
        }


def load_measurements(path: Path) -> Measurements:
    """Read and check a file of measurements; InputError in one sentence if it is none."""
    measurements = validated(Measurements, read_yaml(path), path)
    seen: set[str] = set()
    for place, entry in enumerate(measurements.entries):
        if entry.id in seen:
            raise InputError(path, f"entries.{place}.id", entry.id, "an id that no other entry has")
        seen.add(entry.id)
    return measurements


def validate(path: Path) -> list[Validated]:
    """Predict every entry of a file.

    Parameters
    ----------
    path : YAML file in the format of docs/validation.md

    Raises
    ------
    InputError : the file is none, or holds an entry that no model can predict
    """
    return [_validated(entry, path) for entry in load_measurements(path).entries]


def _validated(entry: Entry, path: Path) -> Validated:
    try:
        predictions = PREDICTORS[entry.kind](entry)
    except InputError as error:
        key = f"{entry.id}.{error.key}".rstrip(".")
        raise InputError(path, key, error.found, error.allowed) from None
    except ValueError as error:
        raise InputError(path, entry.id, entry.kind, f"an entry that its model covers: {error}") from None
    return Validated(entry, tuple(_checks(entry, predictions, path)))


def _checks(entry: Entry, predictions: Sequence[Prediction], path: Path) -> Iterator[Checked]:
    bounds = entry.tolerance_pct
    names = [prediction.quantity for prediction in predictions if prediction.bound_pct is None]
    if isinstance(bounds, dict) and (strange := set(bounds) ^ set(names)):
        raise InputError(path, f"{entry.id}.tolerance_pct", sorted(strange)[0], f"exactly {', '.join(names)}")
    for prediction in predictions:
        of_entry = bounds.get(prediction.quantity) if isinstance(bounds, dict) else bounds
        yield Checked(prediction, of_entry if prediction.bound_pct is None else prediction.bound_pct)
