"""Devices named on the command line: P[@MODE][/RADIO], and fleets of several."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from costbench.errors import UsageError
from costbench.pricing.fleet import Device, device_of
from costbench.profile import list_profiles, load_profile


@dataclass(frozen=True)
class Target:
    """The devices of a fleet in the order of the nodes, each with how many nodes are one; None: all."""

    shares: tuple[tuple[Device, int | None], ...]

    def devices(self, nodes: int) -> list[Device]:
        """The device of every node of a run; UsageError where the fleet has another number of nodes."""
        if self.shares[0][1] is None:
            return [self.shares[0][0]] * nodes
        devices = [device for device, times in self.shares for _ in range(times or 0)]
        if len(devices) != nodes:
            raise UsageError(f"--profile: a fleet of {len(devices)} devices for a run of {nodes} nodes")
        return devices


def parse_targets(text: str) -> list[Target]:
    """P[@MODE][/RADIO],... with P the id of a profile or a path to one, or P*8+P*8 for a mixed fleet."""
    items = [item.strip() for item in text.split(",")]
    if not all(items):
        raise UsageError(f"--profile {text}: an empty profile between commas")
    return [_target(item) for item in items]


def _target(item: str) -> Target:
    if Path(item).is_file():
        return Target(((_device(item), None),))
    shares = [_share(part.strip()) for part in item.split("+")]
    if len(shares) > 1 and any(times is None for _, times in shares):
        raise UsageError(f"--profile {item}: in a mixed fleet every device says how many nodes are one, P*8")
    return Target(tuple(shares))


def _share(part: str) -> tuple[Device, int | None]:
    name, star, times = part.rpartition("*")
    if not star:
        return _device(part), None
    if not times.isdecimal() or int(times) < 1:
        raise UsageError(f"--profile {part}: found {times!r}; allowed: a number of nodes, at least 1")
    return _device(name), int(times)


def _device(item: str) -> Device:
    named, slash, radio = item.rpartition("/")
    if not slash or _is_profile(item):
        named, radio = item, ""
    profile, at, mode = named.rpartition("@")
    if not at or _is_profile(named):
        profile, mode = named, ""
    return device_of(load_profile(profile), radio or None, mode or None)


def _is_profile(name: str) -> bool:
    return name in list_profiles() or Path(name).is_file()
