"""What a profile says of the processor that trains: rates, power, and clocks."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from costbench.profile.section import Section
from costbench.quantities import (
    ByteRate,
    ComputeRate,
    Current,
    Currents,
    Duration,
    EnergyPerByte,
    EnergyPerFlop,
    ExactCount,
    ExactFrequency,
    Factor,
    Frequencies,
    Power,
    Share,
    Voltage,
)


class ConstantPower(Section):
    """One power while training, whatever is computed."""

    model: Literal["constant"]
    train_power: Power

    @property
    def lowest_w(self) -> float:
        return self.train_power.si_low


class RooflinePower(Section):
    """Static power, and an energy for each operation and each byte moved."""

    model: Literal["roofline"]
    static_power: Power
    energy_per_flop: EnergyPerFlop
    energy_per_byte: EnergyPerByte
    highest_power: Power

    @property
    def lowest_w(self) -> float:
        return self.static_power.si_low


class CpuCluster(Section):
    """Cores of one kind that train at one frequency, with the maker's currents for each frequency."""

    cores: ExactCount
    cluster_current: Current
    frequencies: Frequencies
    core_currents: Currents
    frequency: ExactFrequency


class CpuTablePower(Section):
    """A maker's table of currents, as in Android's power_profile.xml."""

    model: Literal["cpu-table"]
    voltage: Voltage
    active_current: Current
    table_error: Factor
    clusters: dict[str, CpuCluster] = Field(min_length=1)

    @property
    def lowest_w(self) -> float:
        cores = sum(cluster.cores.si * min(cluster.core_currents.si) for cluster in self.clusters.values())
        return self.voltage.si_low * self.table_error.si_low * (self.active_current.si_low + cores)


ComputePower = Annotated[ConstantPower | RooflinePower | CpuTablePower, Field(discriminator="model")]


class PowerMode(Section):
    """A power mode of the board: a cap on the clock, and the memory's bandwidth under it. No watts."""

    clock: ExactFrequency
    memory_bandwidth: ByteRate


class Clock(Section):
    """The clock for which the other numbers of `compute` hold, and the modes that change it."""

    reference: ExactFrequency
    power_exponent: Factor
    modes: dict[str, PowerMode] = Field(min_length=1)


class Compute(Section):
    peak_rate: ComputeRate
    rate_utilisation: Share
    memory_bandwidth: ByteRate
    bandwidth_utilisation: Share
    launch_time: Duration
    step_time: Duration
    power: ComputePower
    clock: Clock | None
