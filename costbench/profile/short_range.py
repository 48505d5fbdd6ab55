"""What a profile says of a Bluetooth Low Energy and of an IEEE 802.15.4 radio."""

from __future__ import annotations

from typing import Literal

from costbench.profile.section import Section
from costbench.profile.states import RadioState
from costbench.quantities import (
    Count,
    Duration,
    ExactBitRate,
    ExactBytes,
    ExactCount,
    ExactDuration,
    Fraction,
    Power,
)


class BleRadio(Section):
    """A connection on the LE 1M or LE 2M PHY with data length extension."""

    model: Literal["ble"]
    phy_rate: ExactBitRate
    preamble: ExactBytes
    access_address: ExactBytes
    header: ExactBytes
    integrity_check: ExactBytes
    checksum: ExactBytes
    payload: ExactBytes
    upper_header: ExactBytes
    frame_space: ExactDuration
    connection_interval: Duration
    packets_an_event: Count
    transmit_power: Power
    receive_power: Power
    sleep_power: Power
    host_power: Power
    promotion: RadioState
    tail: RadioState


class Ieee802154Radio(Section):
    """The O-QPSK PHY at 2.4 GHz with unslotted CSMA-CA."""

    model: Literal["ieee802154"]
    phy_rate: ExactBitRate
    synchronisation: ExactBytes
    payload: ExactBytes
    mac_header: ExactBytes
    checksum: ExactBytes
    fragment_header: ExactBytes
    ack: ExactBytes
    turnaround: ExactDuration
    frame_space: ExactDuration
    mean_backoff: Duration
    retry_limit: ExactCount
    packet_error_rate: Fraction
    transmit_power: Power
    receive_power: Power
    listen_power: Power
    overhear_power: Power
    sleep_power: Power
    host_power: Power
    promotion: RadioState
    tail: RadioState
