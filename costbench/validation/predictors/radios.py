"""Predictions of radios: packets, powers, frames, goodput and PHY rates."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from costbench.pricing.radio.ble import BlePacket, goodput, packet_cycle
from costbench.pricing.radio.cellular import state_energy, transfer_power
from costbench.pricing.radio.phy import phy_mode
from costbench.pricing.radio.wifi import frame_energy
from costbench.profile import load_profile
from costbench.profile.short_range import BleRadio
from costbench.validation.entries import (
    BleGoodput,
    CellularPacket,
    CellularPower,
    CellularTransfer,
    PhyRate,
    WifiFrame,
)
from costbench.validation.measures import Prediction, largest_error, mean_error

#: PHY -> profile whose Bluetooth radio has it, and whether the published goodput is that of an encrypted link
BLE = {"1M": ("phone", True), "2M": ("jetson-nano", False)}
GUARD = {"LGI": 0.8e-6, "SGI": 0.4e-6}


def packet(entry: CellularPacket) -> list[Prediction]:
    """Promotion and tail states of one packet, integrated."""
    durations, powers = zip(*entry.states, strict=True)
    return [mean_error("energy_j", [float(state_energy(durations, powers))], [entry.measured_j])]


def power(entry: CellularPower) -> list[Prediction]:
    """A line fitted on the points 0, 2, 4 ... predicts the points 1, 3, 5 ..."""
    return _line(entry.points[::2], entry.points[1::2])


def transfer(entry: CellularTransfer) -> list[Prediction]:
    """A line fitted on all `fit_points` predicts `points`."""
    return _line(entry.fit_points, entry.points)


def _line(fitted: Sequence[tuple[float, float]], points: Sequence[tuple[float, float]]) -> list[Prediction]:
    rate, drawn = np.array(fitted).T
    slope, base = np.polyfit(1e6 * rate, drawn, 1)
    rates, measured = np.array(points).T
    every = 1e6 * np.concatenate((rate, rates))
    predicted = transfer_power(1e6 * rates, base, slope, every.min(), every.max())
    return [mean_error("power_w", predicted.tolist(), measured.tolist())]


def frame(entry: WifiFrame) -> list[Prediction]:
    """Power at the held-out rate by a line in the rate, then power times airtime plus the cross-factor."""
    predicted = []
    for row in entry.rows:
        rates, powers = zip(*row.rho_tx_w_by_rate_mbps.items(), strict=True)
        at_rate = np.polyval(np.polyfit(rates, powers, 1), row.rate_mbps)
        predicted.append(1e3 * float(frame_energy(at_rate, row.airtime_s, 1e-3 * row.gamma_xg_mj)))
    return [mean_error("energy_mj", predicted, [row.measured_mj for row in entry.rows])]


def ble(entry: BleGoodput) -> list[Prediction]:
    """Goodput of full packets one after another, and the cycle of an encrypted packet of 27 bytes."""
    predicted = [goodput(_packet(*BLE[row.phy])) for row in entry.rows]
    found = [largest_error("goodput_bps", predicted, [row.goodput_bps for row in entry.rows])]
    if entry.cycle_27_byte_encrypted_s is not None:
        cycle = float(packet_cycle(27, _packet("phone", encrypted=True)))
        found.append(largest_error("cycle_s", [cycle], [entry.cycle_27_byte_encrypted_s]))
    return found


def _packet(profile: str, encrypted: bool) -> BlePacket:
    radio = load_profile(profile).radios["ble"]
    assert isinstance(radio, BleRadio)
    numbers = {name: getattr(radio, name).si for name in BlePacket.__dataclass_fields__}
    return BlePacket(**{**numbers, "integrity_check": numbers["integrity_check"] if encrypted else 0.0})


def phy(entry: PhyRate) -> list[Prediction]:
    """Rates by the formula of the standard."""
    predicted = [1e-6 * _rate(row.name) for row in entry.rows]
    return [largest_error("mbps", predicted, [row.mbps for row in entry.rows])]


def _rate(name: str) -> float:
    """PHY rate of a name such as VHT80_MCS9_2SS_SGI [bit/s]."""
    mode, mcs, streams, guard = name.split("_")
    standard, width = re.findall(r"[A-Z]+|\d+", mode)
    interval = GUARD.get(guard) or 1e-6 * float(guard)
    n_streams, n_mcs = (int(re.sub(r"\D", "", part)) for part in (streams, mcs))
    return phy_mode(standard.lower(), 1e6 * int(width), n_streams, n_mcs, interval).rate
