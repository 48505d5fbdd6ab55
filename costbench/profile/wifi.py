"""What a profile says of a Wi-Fi radio and of its link."""

from __future__ import annotations

from typing import Literal

from costbench.profile.section import Section
from costbench.profile.states import RadioState
from costbench.quantities import (
    Count,
    Decibel,
    Energy,
    ExactBitRate,
    ExactBytes,
    ExactCount,
    ExactDuration,
    ExactFraction,
    ExactFrequency,
    Fraction,
    Level,
    Levels,
    Power,
)


class AccessPoint(Section):
    """Powers of the access point above its idle."""

    transmit_power: Power
    receive_power: Power


class WifiLink(Section):
    """What the standards and the setting of a Wi-Fi link fix; no number of a device."""

    standard: Literal["legacy", "ht", "vht", "he"]
    path: Literal["access-point", "direct"]
    frequency: ExactFrequency
    bandwidth: ExactFrequency
    spatial_streams: ExactCount
    guard_interval: ExactDuration
    mcs: Count
    sensitivity: Levels
    sensitivity_margin: Decibel
    packet_error_rate: Fraction
    preamble: ExactDuration
    sifs: ExactDuration
    slot: ExactDuration
    aifs_slots: ExactCount
    cw_min: ExactCount
    cw_max: ExactCount
    retry_limit: ExactCount
    basic_rate: ExactBitRate
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
    transport_ack_ratio: ExactFraction
    access_point: AccessPoint | None


class WifiRadio(Section):
    model: Literal["wifi-airtime"]
    link: WifiLink
    output_power: Level
    transmit_power: Power
    receive_power: Power
    listen_power: Power
    overhear_power: Power
    sleep_power: Power
    host_power: Power
    aggregate_energy: Energy
    promotion: RadioState
    tail: RadioState
