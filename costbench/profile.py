"""HardwareProfile: a device as sourced numbers, read from YAML and checked key by key."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from costbench.errors import InputError, UsageError
from costbench.shipped import shipped
from costbench.sourced import (
    BatteryEnergy,
    BitRate,
    ByteRate,
    ComputeRate,
    Count,
    Duration,
    Energy,
    EnergyPerBit,
    ExactBitRate,
    ExactBytes,
    ExactCount,
    ExactDuration,
    ExactFrequency,
    FlightPower,
    Power,
    Share,
    Sourced,
)
from costbench.validated import read_yaml, validated

FOLDER = "hardware_profiles"
LINKS = "links"


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Battery(_Section):
    energy: BatteryEnergy
    usable_fraction: Share


class Supply(_Section):
    efficiency: Share


class Idle(_Section):
    power: Power


class Compute(_Section):
    peak_rate: ComputeRate
    rate_utilisation: Share
    memory_bandwidth: ByteRate
    bandwidth_utilisation: Share
    launch_time: Duration
    train_power: Power


class Flight(_Section):
    mean_power: FlightPower


class RadioState(_Section):
    """A state that a radio passes through for a while: waking up, or waiting before it sleeps."""

    duration: Duration
    power: Power


class WifiLink(_Section):
    """What the standards and the setting of a Wi-Fi link fix; no number of a device."""

    standard: Literal["ht", "vht", "he"]
    path: Literal["access-point", "direct"]
    bandwidth: ExactFrequency
    spatial_streams: ExactCount
    guard_interval: ExactDuration
    mcs: Count
    preamble: ExactDuration
    sifs: ExactDuration
    slot: ExactDuration
    aifs_slots: ExactCount
    cw_min: ExactCount
    control_rate: ExactBitRate
    control_preamble: ExactDuration
    control_symbol: ExactDuration
    ack: ExactBytes
    block_ack: ExactBytes
    mac_header: ExactBytes
    encryption: ExactBytes
    llc_header: ExactBytes
    frame_check: ExactBytes
    delimiter: ExactBytes
    subframes: ExactCount
    longest_ppdu: ExactDuration
    mtu: ExactBytes
    ip_header: ExactBytes
    transport_header: ExactBytes


class WifiRadio(_Section):
    model: Literal["wifi-airtime"]
    link: WifiLink
    transmit_power: Power
    receive_power: Power
    listen_power: Power
    host_power: Power
    aggregate_energy: Energy
    promotion: RadioState
    tail: RadioState


class CellularDirection(_Section):
    """One direction of a cellular link: its rate, and power against rate between two rates."""

    rate: BitRate
    slope: EnergyPerBit
    fitted_from: ExactBitRate
    fitted_to: ExactBitRate


class CellularRadio(_Section):
    model: Literal["cellular"]
    base_power: Power
    uplink: CellularDirection
    downlink: CellularDirection
    promotion: RadioState
    tail: RadioState
    mtu: ExactBytes
    ip_header: ExactBytes
    transport_header: ExactBytes


Radio = Annotated[WifiRadio | CellularRadio, Field(discriminator="model")]


class HardwareProfile(_Section):
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

    @property
    def default_radio(self) -> str:
        """Id of the radio that is used when none is named: the first."""
        return next(iter(self.radios))

    def numbers(self) -> dict[str, Sourced]:
        """Every sourced number by its dotted key, in the order of the file."""
        return dict(_numbers(self, ""))


def _numbers(section: object, prefix: str) -> Iterator[tuple[str, Sourced]]:
    if isinstance(section, Sourced):
        yield prefix, section
        return
    inside = (
        section.items() if isinstance(section, dict) else section if isinstance(section, BaseModel) else ()
    )
    for key, part in inside:
        yield from _numbers(part, f"{prefix}.{key}" if prefix else key)


def list_profiles() -> list[str]:
    """Ids of the shipped profiles, sorted."""
    return sorted(path.stem for path in shipped(FOLDER).glob("*.yaml"))


def load_profile(reference: str | Path) -> HardwareProfile:
    """The shipped profile of an id, or the one in a YAML file.

    Parameters
    ----------
    reference : id such as "phone", or path of a YAML file

    Raises
    ------
    UsageError : neither a shipped id nor a path
    InputError : no such file, or its content is no profile: names file, key, what stands there, what may
    """
    path = Path(reference)
    if path.suffix in (".yaml", ".yml") or len(path.parts) > 1:
        return check_profile(path)
    if str(reference) not in list_profiles():
        raise UsageError(
            f"no profile {str(reference)!r}: give a YAML file or one of {', '.join(list_profiles())}"
        )
    return _shipped_profile(str(reference))


@lru_cache(maxsize=64)
def _shipped_profile(profile_id: str) -> HardwareProfile:
    profile = check_profile(shipped(FOLDER) / f"{profile_id}.yaml")
    if profile.id != profile_id:
        raise InputError(f"{profile_id}.yaml", "id", profile.id, f"the file's name, {profile_id}")
    return profile


def check_profile(path: str | Path) -> HardwareProfile:
    """Read and check the profile in a YAML file; InputError in one sentence if it is none."""
    path = Path(path)
    document = _with_links(read_yaml(path), path)
    profile = validated(HardwareProfile, document, path)
    _check_powers(profile, path)
    _check_rates(profile, path)
    return profile


def _with_links(document: dict[str, Any], path: Path) -> dict[str, Any]:
    """The document with each radio's `link: NAME` replaced by the shipped link of that name."""
    radios = document.get("radios")
    if not isinstance(radios, dict):
        return document
    linked = {name: _with_link(name, radio, path) for name, radio in radios.items()}
    return {**document, "radios": linked}


def _with_link(name: str, radio: Any, path: Path) -> Any:
    if not isinstance(radio, dict) or not isinstance(radio.get("link"), str):
        return radio
    folder = shipped(FOLDER) / LINKS
    known = sorted(file.stem for file in folder.glob("*.yaml"))
    if radio["link"] not in known:
        raise InputError(path, f"radios.{name}.link", radio["link"], known)
    return {**radio, "link": read_yaml(folder / f"{radio['link']}.yaml")}


def _check_powers(profile: HardwareProfile, path: Path) -> None:
    """Training draws at least idle power in every draw, or above-idle energy would be negative."""
    idle, train = profile.idle.power, profile.compute.train_power
    if train.si_low < idle.si_high:
        allowed = f"at least the highest idle.power, {idle.si_high:g} W"
        raise InputError(path, "compute.train_power.low", train.low, allowed)


def _check_rates(profile: HardwareProfile, path: Path) -> None:
    """A cellular rate stays inside the range in which its power was fitted."""
    for name, radio in profile.radios.items():
        if not isinstance(radio, CellularRadio):
            continue
        for key, way in (("uplink", radio.uplink), ("downlink", radio.downlink)):
            bounds = way.fitted_from.si, way.fitted_to.si
            if not bounds[0] <= way.rate.si_low <= way.rate.si_high <= bounds[1]:
                found = f"{way.rate.low:g} to {way.rate.high:g} {way.rate.unit}"
                allowed = f"{bounds[0]:g} to {bounds[1]:g} bit/s, where its power was fitted"
                raise InputError(path, f"radios.{name}.{key}.rate", found, allowed)
