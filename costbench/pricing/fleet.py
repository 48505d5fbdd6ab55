"""Fleet: which device every node is, and the numbers of all devices as arrays over draws and nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from costbench.errors import UsageError
from costbench.pricing.uncertainty import Described, Draws
from costbench.profile import HardwareProfile
from costbench.profile.device import Radio


@dataclass(frozen=True)
class Device:
    """A profile, one of its radios, and one of its power modes (None: that of the profile's numbers)."""

    profile: HardwareProfile
    radio: str
    mode: str | None = None

    @property
    def name(self) -> str:
        """Id of the profile, with the power mode if one was asked for."""
        return self.profile.id + (f"@{self.mode}" if self.mode else "")


def device_of(profile: HardwareProfile, radio: str | None = None, mode: str | None = None) -> Device:
    """The device of a profile.

    Parameters
    ----------
    profile : the hardware
    radio : id of one of its radios; None for its first
    mode : name of one of its power modes; None for the one of its numbers

    Returns
    -------
    The device

    Raises
    ------
    UsageError : a radio or a mode that the profile does not have
    """
    radio = radio or profile.default_radio
    if radio not in profile.radios:
        known = ", ".join(profile.radios)
        raise UsageError(f"profile {profile.id} has no radio {radio!r}: it has {known}")
    if mode is not None and mode not in profile.modes:
        known = ", ".join(profile.modes) or "none"
        raise UsageError(f"profile {profile.id} has no power mode {mode!r}: it has {known}")
    return Device(profile, radio, mode)


@dataclass(frozen=True)
class Fleet:
    """The devices of a run.

    Attributes
    ----------
    devices : the different devices, D of them
    device_of_node : int [N], device of each node
    draws : numbers of each device
    surroundings : numbers of the environment between the nodes; None where links are those of the profiles
    """

    devices: tuple[Device, ...]
    device_of_node: np.ndarray
    draws: tuple[Draws, ...]
    surroundings: Draws | None = None

    @property
    def nodes(self) -> int:
        """Number of nodes N [1]."""
        return len(self.device_of_node)

    @property
    def rows(self) -> int:
        """Rows S of every array of numbers: the nominal one and the draws, or a part of them [1]."""
        return self.draws[0].rows

    @property
    def radios(self) -> tuple[Radio, ...]:
        """The radio of each device."""
        return tuple(device.profile.radios[device.radio] for device in self.devices)

    def part(self, rows: slice) -> Fleet:
        """The same fleet, of whose numbers only some rows are given."""
        around = self.surroundings.part(rows) if self.surroundings else None
        return replace(self, draws=tuple(draws.part(rows) for draws in self.draws), surroundings=around)

    def per_node(self, per_device: Sequence[np.ndarray]) -> np.ndarray:
        """Arrays [S] of each device as [S, N]; as [S, 1] where all nodes are one device."""
        if len(self.devices) == 1:
            return np.asarray(per_device[0])[:, None]
        return np.stack(per_device, axis=1)[:, self.device_of_node]

    def __call__(self, key: str) -> np.ndarray:
        """Numbers at a dotted key of every node's profile: [S, 1] or [S, N], SI, row 0 nominal."""
        return self.per_node([draws(key) for draws in self.draws])

    def radio(self, key: str) -> np.ndarray:
        """Numbers at a dotted key of every node's radio: [S, 1] or [S, N], SI, row 0 nominal."""
        pairs = zip(self.devices, self.draws, strict=True)
        return self.per_node([draws(f"radios.{device.radio}.{key}") for device, draws in pairs])

    def exact(self, key: str) -> float:
        """The number at a dotted key of the radio, which all devices of a fleet must have in common [SI]."""
        found = {
            draws.nominal(f"radios.{device.radio}.{key}")
            for device, draws in zip(self.devices, self.draws, strict=True)
        }
        if len(found) > 1:
            names = " and ".join(f"{device.name}/{device.radio}" for device in self.devices)
            raise UsageError(f"{names} cannot talk to one another: their {key} differs")
        return found.pop()


def fleet_of(devices: Sequence[Device], samples: int, seed: int, environment: Described | None) -> Fleet:
    """The fleet in which every node is one of some devices.

    Parameters
    ----------
    devices : device of each node [N]
    samples : number of draws, at least 1 [1]
    seed : of the draws [1]
    environment : what lies between the nodes and how it attenuates, by name of its numbers; None for nothing

    Returns
    -------
    The fleet; a number of a profile is drawn once a sample, whichever nodes and modes use it

    Raises
    ------
    UsageError : devices whose radios work by different models
    """
    distinct = tuple({(device.name, device.radio): device for device in devices}.values())
    models = {device.profile.radios[device.radio].model for device in distinct}
    if len(models) > 1:
        names = " and ".join(f"{device.name}/{device.radio}" for device in distinct)
        raise UsageError(f"{names} cannot talk to one another: one fleet needs one kind of radio")
    place = {(device.name, device.radio): number for number, device in enumerate(distinct)}
    of_profile = {device.profile.id: Draws(device.profile, samples, seed) for device in distinct}
    return Fleet(
        distinct,
        np.array([place[(device.name, device.radio)] for device in devices], dtype=np.int64),
        tuple(of_profile[device.profile.id] for device in distinct),
        Draws(environment, samples, seed) if environment else None,
    )
