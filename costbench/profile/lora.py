"""What a profile says of a LoRa radio."""

from __future__ import annotations

from typing import Literal

from costbench.profile.section import Section
from costbench.profile.states import RadioState
from costbench.quantities import (
    ExactBytes,
    ExactCount,
    ExactFraction,
    ExactFrequency,
    Power,
)


class LoraRadio(Section):
    """Device to device, without a LoRaWAN gateway."""

    model: Literal["lora"]
    spreading_factor: ExactCount
    bandwidth: ExactFrequency
    coding_rate: ExactCount
    preamble_symbols: ExactCount
    checksum: ExactCount
    implicit_header: ExactCount
    payload: ExactBytes
    frame_header: ExactBytes
    duty_cycle: ExactFraction
    transmit_power: Power
    receive_power: Power
    listen_power: Power
    overhear_power: Power
    sleep_power: Power
    host_power: Power
    promotion: RadioState
    tail: RadioState
