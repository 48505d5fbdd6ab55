"""What a profile says of a cellular radio."""

from __future__ import annotations

from typing import Literal

from costbench.profile.section import Section
from costbench.profile.states import RadioState
from costbench.quantities import BitRate, EnergyPerBit, ExactBitRate, ExactBytes, ExactFraction, Power


class CellularDirection(Section):
    """One direction of a cellular link: its rate, and power against rate between two rates."""

    rate: BitRate
    base_power: Power
    slope: EnergyPerBit
    fitted_from: ExactBitRate
    fitted_to: ExactBitRate


class CellularRadio(Section):
    model: Literal["cellular"]
    uplink: CellularDirection
    downlink: CellularDirection
    promotion: RadioState
    tail: RadioState
    mtu: ExactBytes
    ip_header: ExactBytes
    transport_header: ExactBytes
    transport_ack_ratio: ExactFraction
    base_station_energy: EnergyPerBit
    network_energy: EnergyPerBit
