"""LoRa: long frames under a duty cycle, to see how far a model is from fitting through."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from costbench.pricing.fleet import Fleet
from costbench.pricing.radio.airtime import Airtime
from costbench.pricing.radio.exchange import Exchange, segments
from costbench.pricing.radio.framed import exchange_of, trips_on_air
from costbench.pricing.rounds import RoundKinds
from costbench.pricing.scenario import Scenario
from costbench.units import format_seconds

#: symbols that last so long need low data rate optimisation [s]: Semtech SX1276 datasheet, section 4.1.1.6
LONG_SYMBOL = 16e-3
#: an exchange that takes longer than this is called impractical [s]
PATIENCE = 3600.0


@dataclass(frozen=True)
class LoraFrame:
    """Settings of a LoRa modem: bandwidth [Hz], payload and header [B], duty cycle [1], the rest [1]."""

    spreading_factor: float
    bandwidth: float
    coding_rate: float
    preamble_symbols: float
    checksum: float
    implicit_header: float
    payload: float
    frame_header: float
    duty_cycle: float

    @property
    def symbol(self) -> float:
        """Time of a symbol [s]."""
        return float(2**self.spreading_factor / self.bandwidth)


def lora_airtime(payload_bytes: ArrayLike, frame: LoraFrame) -> np.ndarray:
    """Time of one frame on the air.

    T = (n_pre + 4.25 + n) T_sym, T_sym = 2^SF / BW
    n = 8 + max(ceil((8 PL - 4 SF + 28 + 16 CRC - 20 IH) / (4 (SF - 2 DE))) (CR + 4), 0)

    Parameters
    ----------
    payload_bytes : any shape, PL, 0 to 255 [B]
    frame : by name of its settings

    Returns
    -------
    Same shape, time [s]

    Raises
    ------
    ValueError : a payload that no frame holds

    Source
    ------
    Semtech, SX1276/77/78/79 datasheet, rev. 7, section 4.1.1.7
    """
    octets = np.asarray(payload_bytes, dtype=float)
    if ((octets < 0) | (octets > 255)).any():
        raise ValueError("a frame holds 0 to 255 bytes")
    slow = 1 if frame.symbol >= LONG_SYMBOL else 0
    sf = frame.spreading_factor
    bits = 8 * octets - 4 * sf + 28 + 16 * frame.checksum - 20 * frame.implicit_header
    symbols = 8 + np.maximum(np.ceil(bits / (4 * (sf - 2 * slow))) * (frame.coding_rate + 4), 0)
    return np.asarray((frame.preamble_symbols + 4.25 + symbols) * frame.symbol)


def exchange(kinds: RoundKinds, fleet: Fleet, scenario: Scenario) -> Exchange:
    """Communication of a run over LoRa, from device to device on one channel.

    A sender is silent after a frame for as long as its duty cycle asks; the channel waits for it.

    Parameters
    ----------
    kinds : kinds of round with their messages
    fleet : numbers of the devices
    scenario : how the devices exchange

    Returns
    -------
    Times [s] and energies above idle [J] of the run, and a note where an exchange takes over an hour

    Validity
    --------
    No losses, no acknowledgements, one frame at a time in a collision domain

    Source
    ------
    Semtech, SX1276/77/78/79 datasheet, rev. 7, section 4.1.1.7; ETSI EN 300 220-2, Table B.1, duty cycle
    """
    frame = LoraFrame(**{name: fleet.exact(name) for name in LoraFrame.__dataclass_fields__})
    trips = trips_on_air(kinds, partial(_airtime, frame), scenario, False, np.ones(fleet.rows))
    priced = exchange_of(kinds, fleet, scenario, trips)
    parts = [priced.window.parts(column) for column in range(priced.window.columns)]
    longest = max(float((weights[:1] @ features).max(initial=0.0)) for weights, features in parts)
    return replace(priced, notes=_notes(longest, frame))


def _airtime(frame: LoraFrame, payload: np.ndarray) -> Airtime:
    """Airtime of messages [1, M]: full frames and a last one, with the silence of the duty cycle."""
    room = int(frame.payload - frame.frame_header)
    n_frames = segments(payload, room)
    full = np.maximum(n_frames - 1, 0)
    last = np.where(n_frames > 0, payload - full * room, 0)
    full_time, last_time = (lora_airtime(n + frame.frame_header, frame) for n in (room, last))
    frames = full * full_time + (n_frames > 0) * last_time
    bit_rate = frame.spreading_factor * 4 / (4 + frame.coding_rate) / frame.symbol
    carried = np.minimum(8 * payload / bit_rate, frames)
    silence = frames * (1 / frame.duty_cycle - 1)
    parts = (carried, frames, 0 * frames, silence, 0 * frames, n_frames * 1.0, 0 * frames)
    return Airtime(*(part[None] for part in parts))


def _notes(longest: float, frame: LoraFrame) -> tuple[str, ...]:
    if longest <= PATIENCE:
        return ()
    allowed = f"{100 * frame.duty_cycle:g} %"
    return (
        f"a model exchange over LoRa is impractical: one round takes {format_seconds(longest)} "
        f"at a duty cycle of {allowed}",
    )
