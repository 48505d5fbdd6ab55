"""What lies between nodes and how it attenuates: sourced numbers of a propagation model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, PrivateAttr

from costbench.errors import UsageError
from costbench.profile.folders import ENVIRONMENTS, FOLDER
from costbench.profile.places import places_of
from costbench.profile.section import Section
from costbench.quantities import Decibel, Factor, Length, Share
from costbench.shipped import shipped
from costbench.validated import read_yaml, validated


class _Described(Section):
    id: str = Field(pattern="^[a-z0-9][a-z0-9-]*$")
    title: str = Field(min_length=1)
    rates: Literal["sensitivity", "shannon"]
    noise_figure: Decibel
    shannon_efficiency: Share
    shannon_gap: Decibel
    _path: Path | None = PrivateAttr(default=None)

    def places(self) -> dict[str, str]:
        """File and line of every number by its dotted key."""
        return places_of(self._path) if self._path else {}


class LogDistance(_Described):
    """Loss that grows with a power of the distance; free space has the exponent 2."""

    model: Literal["log-distance"]
    exponent: Factor
    reference_distance: Length

    @property
    def needs_altitude(self) -> bool:
        return False


class AirToGround(_Described):
    """Free space, and a share of links in the shadow of buildings that depends on the elevation."""

    model: Literal["air-to-ground"]
    a: Factor
    b: Factor
    eta_los: Decibel
    eta_nlos: Decibel

    @property
    def needs_altitude(self) -> bool:
        return True


Environment = LogDistance | AirToGround


class _File(Section):
    environment: Annotated[Environment, Field(discriminator="model")]


def list_environments() -> list[str]:
    """Ids of the shipped environments, sorted."""
    return sorted(path.stem for path in (shipped(FOLDER) / ENVIRONMENTS).glob("*.yaml"))


def load_environment(reference: str | Path) -> Environment:
    """The shipped environment of an id, or the one in a YAML file.

    Parameters
    ----------
    reference : id such as "indoor-los", or path of a YAML file

    Raises
    ------
    UsageError : neither a shipped id nor a path
    InputError : no such file, or its content is no environment
    """
    path = Path(reference)
    if path.suffix not in (".yaml", ".yml") and len(path.parts) == 1:
        if str(reference) not in list_environments():
            known = ", ".join(list_environments())
            raise UsageError(f"no environment {str(reference)!r}: give a YAML file or one of {known}")
        path = shipped(FOLDER) / ENVIRONMENTS / f"{reference}.yaml"
    environment = validated(_File, {"environment": read_yaml(path)}, path).environment
    environment._path = path
    return environment
