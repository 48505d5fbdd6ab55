"""Rate of a Wi-Fi physical layer from its modulation, bandwidth, streams and guard interval."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

#: data subcarriers by standard and bandwidth [MHz], IEEE Std 802.11-2020 clauses 17, 19, 21; 11ax clause 27
SUBCARRIERS = {
    "legacy": {20: 48},
    "ht": {20: 52, 40: 108},
    "vht": {20: 52, 40: 108, 80: 234, 160: 468},
    "he": {20: 234, 40: 468, 80: 980, 160: 1960},
}
#: symbol without guard interval [s]
SYMBOL = {"legacy": 3.2e-6, "ht": 3.2e-6, "vht": 3.2e-6, "he": 12.8e-6}
#: guard intervals that a standard has [us]
GUARD = {"legacy": (0.8,), "ht": (0.4, 0.8), "vht": (0.4, 0.8), "he": (0.8, 1.6, 3.2)}
#: coded bits a subcarrier and code rate of MCS 0, 1, 2 ... of one stream
MODULATION = (
    (1, Fraction(1, 2)),
    (2, Fraction(1, 2)),
    (2, Fraction(3, 4)),
    (4, Fraction(1, 2)),
    (4, Fraction(3, 4)),
    (6, Fraction(2, 3)),
    (6, Fraction(3, 4)),
    (6, Fraction(5, 6)),
    (8, Fraction(3, 4)),
    (8, Fraction(5, 6)),
    (10, Fraction(3, 4)),
    (10, Fraction(5, 6)),
)
#: the same of 802.11a/g, whose eight rates have no MCS of their own: 6, 9, 12, 18, 24, 36, 48, 54 Mbit/s
LEGACY_MODULATION = (
    (1, Fraction(1, 2)),
    (1, Fraction(3, 4)),
    (2, Fraction(1, 2)),
    (2, Fraction(3, 4)),
    (4, Fraction(1, 2)),
    (4, Fraction(3, 4)),
    (6, Fraction(2, 3)),
    (6, Fraction(3, 4)),
)
HIGHEST_MCS = {"legacy": 7, "ht": 7, "vht": 9, "he": 11}
MOST_STREAMS = {"legacy": 1, "ht": 4, "vht": 8, "he": 8}
#: width [MHz], MCS and streams of VHT whose bits a symbol are whole, but not those of each of its encoders
UNEVEN_ENCODERS = {(80, 6, 3), (80, 6, 7), (80, 9, 6), (160, 9, 3)}


@dataclass(frozen=True)
class PhyMode:
    """Data bits a symbol [bit] and duration of a symbol with its guard interval [s]."""

    bits_a_symbol: float
    symbol_time: float

    @property
    def rate(self) -> float:
        """PHY rate [bit/s]."""
        return self.bits_a_symbol / self.symbol_time


def phy_mode(standard: str, bandwidth: float, streams: int, mcs: int, guard_interval: float) -> PhyMode:
    """The PHY of a link.

    R = N_SD N_BPSCS r N_SS / (T_DFT + T_GI)

    Parameters
    ----------
    standard : "legacy" (802.11a/g), "ht" (802.11n), "vht" (802.11ac) or "he" (802.11ax)
    bandwidth : scalar, channel width [Hz]
    streams : scalar, spatial streams N_SS, 1 to 4 (ht) or 8 [1]
    mcs : scalar, modulation and coding scheme of one stream [1]
    guard_interval : scalar, T_GI [s]

    Returns
    -------
    Data bits a symbol [bit] and symbol time [s]

    Raises
    ------
    ValueError : a standard, bandwidth, stream count, MCS or guard interval that does not exist, or a VHT
        combination that the standard leaves out: an encoder would have a fraction of a bit a symbol

    Source
    ------
    IEEE Std 802.11-2020, clauses 17.3.2, 19.5 and 21.5; IEEE Std 802.11ax-2021, clause 27.5
    """
    widths = SUBCARRIERS.get(standard, {})
    width_mhz = round(bandwidth / 1e6)
    if width_mhz not in widths:
        raise ValueError(f"{standard} has no channel of {width_mhz} MHz")
    if not 0 <= mcs <= HIGHEST_MCS[standard] or not 1 <= streams <= MOST_STREAMS[standard]:
        raise ValueError(f"{standard} has no MCS {mcs} with {streams} streams")
    if not any(np.isclose(1e6 * guard_interval, allowed) for allowed in GUARD[standard]):
        raise ValueError(f"{standard} has no guard interval of {1e6 * guard_interval:g} us")
    coded_bits, code_rate = (LEGACY_MODULATION if standard == "legacy" else MODULATION)[mcs]
    bits = widths[width_mhz] * coded_bits * code_rate * streams
    uneven = bits.denominator != 1 or (width_mhz, mcs, streams) in UNEVEN_ENCODERS
    if standard == "vht" and uneven:
        raise ValueError(f"vht has no MCS {mcs} with {streams} streams at {width_mhz} MHz")
    return PhyMode(float(bits), SYMBOL[standard] + guard_interval)


def symbols(bits: ArrayLike, bits_a_symbol: float) -> np.ndarray:
    """Whole symbols that bits fill.

    Parameters
    ----------
    bits : any shape [bit]
    bits_a_symbol : scalar, above 0 [bit]

    Returns
    -------
    Same shape, number of symbols [1]
    """
    return np.ceil(np.asarray(bits) / bits_a_symbol - 1e-9)
