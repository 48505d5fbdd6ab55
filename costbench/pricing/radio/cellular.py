"""Cellular radio: power against rate, promotion and tail; every node transfers on its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from costbench.errors import UsageError
from costbench.pricing.fleet import Fleet
from costbench.pricing.radio.exchange import Exchange, Spent, Window, segments, state
from costbench.pricing.radio.traffic import Traffic, traffic_of
from costbench.pricing.rounds import RoundKinds
from costbench.pricing.scenario import Scenario


def transfer_power(
    rate: ArrayLike, base_power: ArrayLike, slope: ArrayLike, fitted_from: ArrayLike, fitted_to: ArrayLike
) -> np.ndarray:
    """Power of a transfer in one direction.

    P = beta + alpha R

    Parameters
    ----------
    rate : [S], throughput R [bit/s]
    base_power : [S], intercept beta above the idle device [W]
    slope : [S], alpha [J/bit]
    fitted_from, fitted_to : [S] or scalars, the rates between which the line was fitted [bit/s]

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
    outside = (rate < fitted_from) | (rate > fitted_to)
    if outside.any():
        low, high = np.min(fitted_from), np.max(fitted_to)
        raise ValueError(
            f"rate {rate[outside].flat[0]:g} bit/s lies outside the fit, {low:g} to {high:g} bit/s"
        )
    return np.asarray(base_power) + np.asarray(slope) * rate


def state_energy(durations: ArrayLike, powers: ArrayLike) -> np.ndarray:
    """Energy of passing through the states of a radio.

    E = sum over states of P t

    Parameters
    ----------
    durations : [..., K], time in each state [s]
    powers : [..., K], power in each state [W]

    Returns
    -------
    [...], energy [J]

    Source
    ------
    J. Huang et al., MobiSys 2012, section 4.3 and Tables 3 and 4
    """
    return np.asarray((np.asarray(durations) * np.asarray(powers)).sum(axis=-1))


def exchange(kinds: RoundKinds, fleet: Fleet, scenario: Scenario) -> Exchange:
    """Communication of a run over a cellular network.

    A node uploads its messages, then downloads those addressed to it, at its own rates and beside the other
    nodes. Lost messages are uploaded and not downloaded. Acknowledgements of TCP go the other way. Distances
    play no part: rates are those of the profile.

    Parameters
    ----------
    kinds : kinds of round with their messages
    fleet : numbers of the devices
    scenario : how the devices exchange

    Returns
    -------
    Times [s] and energies above idle [J] of the run

    Raises
    ------
    UsageError : broadcast, or a rate outside the range in which its power was fitted

    Source
    ------
    J. Huang et al., MobiSys 2012, section 4; A. Narayanan et al., SIGCOMM 2021, section 4
    """
    if scenario.cast == "broadcast":
        raise UsageError("--cast broadcast: a cellular link carries a message to one receiver; give unicast")
    payload = traffic_of(kinds, kinds.messages.bits, kinds.messages.delivered)
    overhead = _overhead(kinds, fleet)
    up, down = (_direction(fleet, way) for way in ("uplink", "downlink"))
    sent, received = payload.over_run(kinds)
    extra_up, extra_down = overhead.over_run(kinds)
    overhead_s = extra_up / up[0] + extra_down / down[0]
    terms = {
        "transmit": Spent(sent / up[0], up[1] * sent / up[0]),
        "receive": Spent(received / down[0], down[1] * received / down[0]),
        "overhead_frames": Spent(overhead_s, up[1] * extra_up / up[0] + down[1] * extra_down / down[0]),
        **_infrastructure(fleet, scenario, sent + received + extra_up + extra_down),
    }
    return Exchange(
        shared=False,
        active=payload.active,
        window=_window(payload, overhead, up[0], down[0]),
        terms=terms,
        promotion=state(fleet, "promotion"),
        tail=state(fleet, "tail"),
    )


def _direction(fleet: Fleet, way: str) -> tuple[np.ndarray, np.ndarray]:
    """Rate [bit/s] and power [W] of a direction, each [S, 1] or [S, N]."""
    rate = fleet.radio(f"{way}.rate")
    bounds = (fleet.radio(f"{way}.{end}") for end in ("fitted_from", "fitted_to"))
    try:
        power = transfer_power(rate, fleet.radio(f"{way}.base_power"), fleet.radio(f"{way}.slope"), *bounds)
    except ValueError as error:
        raise UsageError(f"cannot price {way}.rate: {error}") from None
    return rate, power


def _window(payload: Traffic, overhead: Traffic, up_rate: np.ndarray, down_rate: np.ndarray) -> Window:
    """Upload and download of every node on its own channel."""
    bits = np.stack([payload.sent + overhead.sent, payload.received + overhead.received])
    weights = np.stack([1 / up_rate, 1 / down_rate], axis=1)
    return Window(weights, bits, np.arange(bits.shape[2]))


def _overhead(kinds: RoundKinds, fleet: Fleet) -> Traffic:
    """Bits of headers of each message, and of the acknowledgements that come back."""
    rows = kinds.messages
    mtu, *headers = (fleet.exact(name) for name in ("mtu", "ip_header", "transport_header"))
    each = int(sum(headers))
    packets = segments(-(-rows.bits // 8), int(mtu) - each)
    forth = traffic_of(kinds, 8 * each * packets, rows.delivered)
    acknowledged = fleet.exact("transport_ack_ratio") * 8 * each * packets * rows.delivered
    back = traffic_of(kinds, acknowledged, rows.delivered)
    return Traffic(forth.sent + back.received, forth.received + back.sent, forth.active)


def _infrastructure(fleet: Fleet, scenario: Scenario, bits: np.ndarray) -> dict[str, Spent]:
    """Energy of the base station and of the network for bits [N] that a node sends and receives."""
    nothing = np.zeros((1, 1))
    terms = {}
    if scenario.boundary != "device":
        terms["access_point"] = Spent(nothing, fleet.radio("base_station_energy") * bits)
    if scenario.boundary == "end-to-end":
        terms["network"] = Spent(nothing, fleet.radio("network_energy") * bits)
    return terms
