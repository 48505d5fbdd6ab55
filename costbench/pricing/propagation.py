"""Propagation: path loss over a distance, what a receiver gets, and the rate that it can use."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.constants import k as boltzmann
from scipy.constants import speed_of_light

#: temperature at which noise figures are defined [K], IEEE Std 145
REFERENCE_TEMPERATURE = 290.0


def free_space_loss(distance: ArrayLike, frequency: float) -> np.ndarray:
    """Path loss in free space.

    PL = 20 log10(4 pi d f / c)

    Parameters
    ----------
    distance : any shape, d, above 0 [m]
    frequency : scalar, f, above 0 [Hz]

    Returns
    -------
    Same shape, loss [dB]

    Raises
    ------
    ValueError : a distance or frequency that is not above 0

    Validity
    --------
    Beyond the near field: distances of some wavelengths and more

    Source
    ------
    H. Friis, A Note on a Simple Transmission Formula, Proc. IRE 34(5), 1946
    """
    d = np.asarray(distance, dtype=float)
    if not (d > 0).all() or not frequency > 0:
        raise ValueError("distance and frequency must be above 0")
    return np.asarray(20 * np.log10(4 * np.pi * d * frequency / speed_of_light))


def log_distance_loss(
    distance: ArrayLike, frequency: float, exponent: ArrayLike, reference_distance: ArrayLike
) -> np.ndarray:
    """Path loss that grows with a power of the distance beyond a reference.

    PL = PL_free(d0) + 10 n log10(d / d0), and free space up to d0

    Parameters
    ----------
    distance : [L], d, above 0 [m]
    frequency : scalar, f, above 0 [Hz]
    exponent : [S, 1] or scalar, n [1]
    reference_distance : [S, 1] or scalar, d0, above 0 [m]

    Returns
    -------
    [S, L] or [L], loss [dB]

    Raises
    ------
    ValueError : a distance or frequency that is not above 0

    Source
    ------
    T. Rappaport, Wireless Communications, 2nd ed., 2002, section 4.9.1
    """
    d, d0 = np.asarray(distance, dtype=float), np.asarray(reference_distance, dtype=float)
    beyond = 10 * np.asarray(exponent) * np.log10(np.maximum(d / d0, 1.0))
    return free_space_loss(np.minimum(d, d0), frequency) + beyond


def air_to_ground_loss(
    ground_distance: ArrayLike,
    altitude: float,
    frequency: float,
    a: ArrayLike,
    b: ArrayLike,
    eta_los: ArrayLike,
    eta_nlos: ArrayLike,
) -> np.ndarray:
    """Mean path loss between the ground and an aircraft above buildings.

    P_LoS = 1 / (1 + a exp(-b (theta - a))), theta the elevation in degrees
    PL = PL_free + P_LoS eta_LoS + (1 - P_LoS) eta_NLoS

    Parameters
    ----------
    ground_distance : [L], horizontal, 0 or more [m]
    altitude : scalar, above the ground station, above 0 [m]
    frequency : scalar, above 0 [Hz]
    a, b : [S, 1] or scalars, of the surroundings [1]
    eta_los, eta_nlos : [S, 1] or scalars, excess losses [dB]

    Returns
    -------
    [S, L] or [L], loss [dB]

    Raises
    ------
    ValueError : an altitude or frequency that is not above 0, a negative distance

    Source
    ------
    A. Al-Hourani, S. Kandeepan, S. Lardner, Optimal LAP Altitude for Maximum Coverage, IEEE WCL 3(6), 2014
    """
    if not altitude > 0:
        raise ValueError("altitude must be above 0")
    ground = np.asarray(ground_distance, dtype=float)
    if (ground < 0).any():
        raise ValueError("a distance on the ground must not be negative")
    elevation = np.degrees(np.arctan2(altitude, ground))
    in_sight = 1 / (1 + np.asarray(a) * np.exp(-np.asarray(b) * (elevation - np.asarray(a))))
    excess = in_sight * np.asarray(eta_los) + (1 - in_sight) * np.asarray(eta_nlos)
    return free_space_loss(np.hypot(ground, altitude), frequency) + excess


def noise_level(bandwidth: float, noise_figure: ArrayLike) -> np.ndarray:
    """Level of the noise in a receiver.

    N = 10 log10(k T0 B / 1 mW) + NF, which is -174 dBm + 10 log10 B + NF

    Parameters
    ----------
    bandwidth : scalar, B, above 0 [Hz]
    noise_figure : any shape, NF [dB]

    Returns
    -------
    Same shape, level [dBm]

    Source
    ------
    H. Friis, Noise Figures of Radio Receivers, Proc. IRE 32(7), 1944
    """
    thermal = 10 * np.log10(boltzmann * REFERENCE_TEMPERATURE * bandwidth / 1e-3)
    return np.asarray(thermal + np.asarray(noise_figure))


def shannon_rate(snr_db: ArrayLike, bandwidth: float, efficiency: ArrayLike, gap_db: ArrayLike) -> np.ndarray:
    """Rate that a channel carries at most, less what real codes lose.

    R = eta B log2(1 + SNR / Gamma)

    Parameters
    ----------
    snr_db : any shape, signal over noise [dB]
    bandwidth : scalar, B [Hz]
    efficiency : same shape or broadcasting, eta, share of the band that carries data [1]
    gap_db : same shape or broadcasting, Gamma [dB]

    Returns
    -------
    Broadcast shape, rate [bit/s]

    Source
    ------
    C. Shannon, Communication in the Presence of Noise, Proc. IRE 37(1), 1949; G. D. Forney, G. Ungerboeck,
    Modulation and Coding for Linear Gaussian Channels, IEEE TIT 44(6), 1998, for the gap
    """
    ratio = 10 ** ((np.asarray(snr_db) - np.asarray(gap_db)) / 10)
    return np.asarray(np.asarray(efficiency) * bandwidth * np.log2(1 + ratio))


def mcs_by_sensitivity(level: ArrayLike, sensitivity: Sequence[float], margin: ArrayLike) -> np.ndarray:
    """Highest modulation and coding whose minimum sensitivity a level reaches.

    Parameters
    ----------
    level : any shape, received [dBm]
    sensitivity : ascending, what each MCS needs by the standard, at the link's bandwidth [dBm]
    margin : same shape or broadcasting, by how much the receiver does better than the standard asks [dB]

    Returns
    -------
    Broadcast shape, int, MCS [1]; -1 out of reach

    Source
    ------
    IEEE Std 802.11-2020, Tables 17-18, 19-23 and 21-25
    """
    needs = np.asarray(sensitivity, dtype=float)
    return np.asarray(np.searchsorted(needs, np.asarray(level) + np.asarray(margin), side="right") - 1)


def mcs_by_rate(rate: ArrayLike, rates: Sequence[float]) -> np.ndarray:
    """Highest modulation and coding whose rate a bound allows.

    Parameters
    ----------
    rate : any shape, bound such as that of `shannon_rate` [bit/s]
    rates : ascending, PHY rate of each MCS [bit/s]

    Returns
    -------
    Same shape, int, MCS [1]; -1 out of reach
    """
    return np.asarray(np.searchsorted(np.asarray(rates), np.asarray(rate), side="right") - 1)
