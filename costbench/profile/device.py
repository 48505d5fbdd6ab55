"""HardwareProfile: a device as sourced numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, PrivateAttr

from costbench.profile.cellular import CellularRadio
from costbench.profile.compute import Compute
from costbench.profile.flight import Flight
from costbench.profile.lora import LoraRadio
from costbench.profile.per_bit import PerBitRadio
from costbench.profile.places import places_of
from costbench.profile.section import Section
from costbench.profile.short_range import BleRadio, Ieee802154Radio
from costbench.profile.wifi import WifiRadio
from costbench.quantities import BatteryEnergy, Power, Share

Radio = Annotated[
    WifiRadio | CellularRadio | BleRadio | Ieee802154Radio | LoraRadio | PerBitRadio,
    Field(discriminator="model"),
]


class Battery(Section):
    energy: BatteryEnergy
    usable_fraction: Share


class Supply(Section):
    efficiency: Share


class Idle(Section):
    power: Power


class HardwareProfile(Section):
    """A device: everything that pricing needs to know of it, every number sourced."""

    id: str = Field(pattern="^[a-z0-9][a-z0-9-]*$")
    title: str = Field(min_length=1)
    kind: Literal["phone", "drone", "jetson", "single-board-computer"]
    battery: Battery | None
    supply: Supply
    idle: Idle
    compute: Compute
    radios: dict[str, Radio] = Field(min_length=1)
    flight: Flight | None

    #: the file that the profile was read from
    _path: Path | None = PrivateAttr(default=None)

    @property
    def default_radio(self) -> str:
        """Id of the radio that is used when none is named: the first."""
        return next(iter(self.radios))

    @property
    def modes(self) -> tuple[str, ...]:
        """Names of the board's power modes."""
        return tuple(self.compute.clock.modes) if self.compute.clock else ()

    def places(self) -> dict[str, str]:
        """File and line of every number by its dotted key; empty where there is no file."""
        return places_of(self._path) if self._path else {}
