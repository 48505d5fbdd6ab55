"""From the options of the command line to the scenario of a price."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np

from costbench.errors import InputError, UsageError
from costbench.pricing.counts import Counts
from costbench.pricing.scenario import Boundary, Cast, Place, Scenario, Sync
from costbench.profile.compatibility import Compatibility, load_compatibility
from costbench.profile.environment import Environment, list_environments, load_environment
from costbench.quantities import CarbonIntensity
from costbench.validated import validated


@dataclass(frozen=True)
class Request:
    """What the options of `price` and `report` ask for, as they were given."""

    profile: str
    samples: int
    runs: Path
    sync: str
    cast: str
    power_save: bool
    boundary: str
    distance: float | None
    positions: bool
    altitude: float | None
    environment: str | None
    domains: int
    carbon: str | None
    compatibility: str | None

    def scenario(self, counts: Counts) -> Scenario:
        """The scenario of one run; UsageError where options do not fit each other or the run."""
        return Scenario(
            cast=_one_of(self.cast, "--cast", Cast),
            sync=_one_of(self.sync, "--sync", Sync),
            power_save=self.power_save,
            boundary=_one_of(self.boundary, "--boundary", Boundary),
            place=self._place(counts),
            domain_of_node=self._domains(counts.nodes),
            carbon=None if self.carbon is None else _carbon(self.carbon),
            compatibility=self._compatibility(),
        )

    def _place(self, counts: Counts) -> Place | None:
        if self.environment is None:
            given = {"--distance": self.distance, "--altitude": self.altitude}
            needless = [name for name, number in given.items() if number is not None]
            if needless or self.positions:
                known = ", ".join(list_environments())
                option = needless[0] if needless else "--positions"
                raise UsageError(f"{option} needs --environment: a YAML file or one of {known}")
            return None
        environment = load_environment(self.environment)
        self._check_place(environment)
        return Place(environment, self._distances(counts), self.altitude)

    def _check_place(self, environment: Environment) -> None:
        if (self.distance is None) == (not self.positions):
            raise UsageError("--environment needs either --distance METRES or --positions")
        if environment.needs_altitude == (self.altitude is None):
            needs = "needs" if environment.needs_altitude else "has no"
            raise UsageError(f"--environment {environment.id} {needs} --altitude METRES")

    def _distances(self, counts: Counts) -> np.ndarray:
        if self.distance is not None:
            if not self.distance > 0 or not np.isfinite(self.distance):
                raise UsageError(
                    f"--distance {self.distance:g}: a finite number above 0 is needed, in metres"
                )
            return np.full((counts.nodes, counts.nodes), self.distance)
        if counts.positions_m is None:
            raise UsageError(
                f"run {counts.run_id} has no positions: only the topology geometric records them; "
                "give --distance METRES instead of --positions"
            )
        across = counts.positions_m[:, None] - counts.positions_m
        return np.asarray(np.hypot(across[..., 0], across[..., 1]))

    def _domains(self, nodes: int) -> np.ndarray | None:
        if not 1 <= self.domains <= nodes:
            raise UsageError(f"--domains {self.domains}: from 1 to the {nodes} nodes of the run")
        return None if self.domains == 1 else np.arange(nodes) * self.domains // nodes

    def _compatibility(self) -> Compatibility | None:
        return None if self.compatibility is None else load_compatibility(self.compatibility)


def _one_of(found: str, option: str, allowed: object) -> Any:
    words = get_args(allowed)
    if found not in words:
        raise UsageError(f"{option} {found}: found {found!r}; allowed: {', '.join(words)}")
    return found


def _carbon(text: str) -> CarbonIntensity:
    """VALUE, or LOW:VALUE:HIGH, in grams of CO2e a kWh."""
    try:
        numbers = [float(part) for part in text.split(":")]
        low, nominal, high = numbers if len(numbers) == 3 else 3 * numbers
    except ValueError:
        allowed = "grams a kWh, as VALUE or LOW:VALUE:HIGH"
        raise UsageError(f"--carbon {text}: found {text!r}; allowed: {allowed}") from None
    document = {"value": nominal, "low": low, "high": high, "unit": "g/kWh"}
    stated = {"source": "given by the user with --carbon", "kind": "derived"}
    try:
        return validated(CarbonIntensity, {**document, **stated}, f"--carbon {text}")
    except InputError as error:
        raise UsageError(str(error)) from None
