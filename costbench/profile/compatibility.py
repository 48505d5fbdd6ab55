"""Published tables whose own rule can replace the compute model, to compare with the publication."""

from __future__ import annotations

from pydantic import Field

from costbench.errors import UsageError
from costbench.profile.folders import COMPATIBILITY, FOLDER
from costbench.profile.section import Section
from costbench.quantities import BatteryEnergy, Count, Duration, Power
from costbench.shipped import shipped
from costbench.validated import read_yaml, validated


class CompatibilityDevice(Section):
    """A phone of SkipTrain's table."""

    title: str = Field(min_length=1)
    mobilenetv2_time: Duration
    highest_power: Power
    battery: BatteryEnergy


class CompatibilityWorkload(Section):
    """A model and the samples of a round for which the publication prints numbers."""

    parameters: Count
    samples: Count


class CompatibilityTable(Section):
    """A published table: its rule in words, the model that it scales from, and its devices."""

    id: str = Field(min_length=1)
    title: str = Field(min_length=1)
    says: str = Field(min_length=1)
    reference_parameters: Count
    passes: Count
    devices: dict[str, CompatibilityDevice] = Field(min_length=1)
    workloads: dict[str, CompatibilityWorkload] = Field(min_length=1)


class Compatibility(Section):
    """One device of a published table."""

    table: CompatibilityTable
    name: str

    @property
    def id(self) -> str:
        """Table and device: "skiptrain/xiaomi-12-pro"."""
        return f"{self.table.id}/{self.name}"

    @property
    def device(self) -> CompatibilityDevice:
        """The device's numbers."""
        return self.table.devices[self.name]


def list_compatibilities() -> list[str]:
    """Tables and their devices, sorted."""
    folder = shipped(FOLDER) / COMPATIBILITY
    return [
        f"{path.stem}/{name}"
        for path in sorted(folder.glob("*.yaml"))
        for name in load_table(path.stem).devices
    ]


def load_compatibility(reference: str) -> Compatibility:
    """One device of a shipped table.

    Parameters
    ----------
    reference : table and device, such as "skiptrain/xiaomi-12-pro"

    Raises
    ------
    UsageError : no such table or device: names those that there are
    """
    if reference not in list_compatibilities():
        raise UsageError(
            f"--compatibility {reference}: found {reference!r}; allowed: {', '.join(list_compatibilities())}"
        )
    table, _, name = reference.partition("/")
    return Compatibility(table=load_table(table), name=name)


def load_table(name: str) -> CompatibilityTable:
    """The shipped table of an id."""
    path = shipped(FOLDER) / COMPATIBILITY / f"{name}.yaml"
    return validated(CompatibilityTable, read_yaml(path), path)
