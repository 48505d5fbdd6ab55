"""Cellular radio: power against rate, promotion and tail; every node transfers on its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from costbench.pricing.radio.exchange import Exchange, Spent, segments, state
from costbench.pricing.rounds import RoundKinds, per_kind_and_node
from costbench.pricing.uncertainty import Draws
from costbench.profile import CellularRadio


def transfer_power(
    rate: ArrayLike, base_power: ArrayLike, slope: ArrayLike, fitted_from: float, fitted_to: float
) -> np.ndarray:
    """Power of a transfer in one direction.

    P = beta + alpha R

    Parameters
    ----------
    rate : [S], throughput R [bit/s]
    base_power : [S], intercept beta above the idle device [W]
    slope : [S], alpha [J/bit]
    fitted_from, fitted_to : scalars, the rates between which the line was fitted [bit/s]

    Returns
    -------
    [S], power above the idle device [W]

    Raises
    ------
    ValueError : a rate outside the fitted range: the line is not extrapolated

    Source
    ------
    J. Huang et al., MobiSys 2012, section 4.3, for the form; A. Narayanan et al., SIGCOMM 2021, Fig. 11
    """
    rate = np.asarray(rate)
    if ((rate < fitted_from) | (rate > fitted_to)).any():
        outside = rate[(rate < fitted_from) | (rate > fitted_to)].flat[0]
        raise ValueError(
            f"rate {outside:g} bit/s lies outside the fit, {fitted_from:g} to {fitted_to:g} bit/s"
        )
    return np.asarray(base_power) + np.asarray(slope) * rate


def exchange(kinds: RoundKinds, radio: CellularRadio, draws: Draws, key: str) -> Exchange:
    """Communication of a run over a cellular network.

    A node uploads its messages, then downloads those addressed to it, at its own rates and beside the other
    nodes. Lost messages are uploaded and not downloaded.

    Parameters
    ----------
    kinds : kinds of round with their messages
    radio : the radio of the profile
    draws : numbers of the device
    key : dotted key of the radio, such as "radios.lte"

    Returns
    -------
    Times [s] and energies above idle [J] of the run, and windows of each kind of round [s]

    Raises
    ------
    ValueError : a rate outside the range in which its power was fitted

    Validity
    --------
    Rates inside the fits of the profile; a network that forwards without delay

    Source
    ------
    J. Huang et al., MobiSys 2012, section 4; A. Narayanan et al., SIGCOMM 2021
    """
    rows = kinds.messages
    headers = _header_bits(kinds, radio, draws, key)
    sent = _summed(kinds, rows.bits, rows.sender), _summed(kinds, headers, rows.sender)
    arriving = rows.bits * rows.delivered, headers * rows.delivered
    received = _summed(kinds, arriving[0], rows.receiver), _summed(kinds, arriving[1], rows.receiver)
    up_rate, up_power = _direction(draws, key, "uplink")
    down_rate, down_power = _direction(draws, key, "downlink")
    transmit, upload_overhead = (_over_run(kinds, bits) / up_rate for bits in sent)
    receive, download_overhead = (_over_run(kinds, bits) / down_rate for bits in received)
    overhead = upload_overhead + download_overhead
    return Exchange(
        shared=False,
        active=(sent[0] + received[0]) > 0,
        window=sum(sent) / up_rate[:, :, None] + sum(received) / down_rate[:, :, None],
        terms={
            "transmit": Spent(transmit, up_power * transmit),
            "receive": Spent(receive, down_power * receive),
            "listen": Spent(np.zeros_like(overhead), np.zeros_like(overhead)),
            "overhead_frames": Spent(overhead, up_power * upload_overhead + down_power * download_overhead),
        },
        promotion=state(draws, f"{key}.promotion"),
        tail=state(draws, f"{key}.tail"),
    )


def _over_run(kinds: RoundKinds, bits: np.ndarray) -> np.ndarray:
    """Bits of one round of each kind [U, N] over the run [N]."""
    return np.asarray(kinds.repeats @ bits)


def _header_bits(kinds: RoundKinds, radio: CellularRadio, draws: Draws, key: str) -> np.ndarray:
    """Bits of the network and transport headers of each message [M]."""
    names = ("mtu", "ip_header", "transport_header")
    mtu, ip_header, transport_header = (int(draws.nominal(f"{key}.{name}")) for name in names)
    each = ip_header + transport_header
    return 8 * each * segments(-(-kinds.messages.bits // 8), mtu - each)


def _summed(kinds: RoundKinds, bits: np.ndarray, node: np.ndarray) -> np.ndarray:
    return per_kind_and_node(
        bits.astype(np.float64), kinds.messages.round_kind, node, kinds.kinds, kinds.nodes
    )


def _direction(draws: Draws, key: str, way: str) -> tuple[np.ndarray, np.ndarray]:
    """Rate [bit/s] and power [W] of a direction, each [S, 1]."""
    rate = draws(f"{key}.{way}.rate")
    power = transfer_power(
        rate,
        draws(f"{key}.base_power"),
        draws(f"{key}.{way}.slope"),
        draws.nominal(f"{key}.{way}.fitted_from"),
        draws.nominal(f"{key}.{way}.fitted_to"),
    )
    return rate[:, None], power[:, None]
