"""Bluetooth Low Energy: packets and their empty answers in connection events, one link after another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from costbench.errors import UsageError
from costbench.pricing.fleet import Fleet
from costbench.pricing.radio.exchange import Exchange, Spent, Window, state
from costbench.pricing.radio.traffic import Traffic, traffic_of
from costbench.pricing.rounds import RoundKinds
from costbench.pricing.scenario import Scenario


@dataclass(frozen=True)
class BlePacket:
    """What a packet is made of: rate [bit/s], space between packets [s], the rest [B]."""

    phy_rate: float
    preamble: float
    access_address: float
    header: float
    integrity_check: float
    checksum: float
    payload: float
    upper_header: float
    frame_space: float

    @property
    def room(self) -> float:
        """Bytes of a message that a full packet carries [B]."""
        return self.payload - self.upper_header

    @property
    def empty(self) -> float:
        """Time of a packet without payload [s]."""
        return 8 * (self.preamble + self.access_address + self.header + self.checksum) / self.phy_rate

    @property
    def overhead(self) -> float:
        """Time of a packet that is not a message's bits [s]."""
        return self.empty + 8 * (self.integrity_check + self.upper_header) / self.phy_rate


def packet_cycle(payload_bytes: ArrayLike, packet: BlePacket) -> np.ndarray:
    """Time of a packet, of the empty packet that answers it, and of the spaces after both.

    T = T_pkt + T_IFS + T_empty + T_IFS, T_pkt = 8 (preamble + 4 + 2 + L + MIC + 3) / R

    Parameters
    ----------
    payload_bytes : any shape, L, payload of the link layer with the headers above it, above 0 [B]
    packet : by name of its numbers

    Returns
    -------
    Same shape, time [s]

    Source
    ------
    Bluetooth Core Specification 5.4, vol. 6, part B, sections 2.1 and 4.1.1
    """
    carrying = 8 * (np.asarray(payload_bytes) + packet.integrity_check) / packet.phy_rate
    return np.asarray(carrying + 2 * packet.empty + 2 * packet.frame_space)


def goodput(packet: BlePacket) -> float:
    """Bits of messages a second when full packets follow one another.

    Parameters
    ----------
    packet : by name of its numbers

    Returns
    -------
    Rate [bit/s]

    Source
    ------
    Bluetooth Core Specification 5.4, vol. 6, part B, section 4.5
    """
    return float(8 * packet.room / packet_cycle(packet.payload, packet))


def exchange(kinds: RoundKinds, fleet: Fleet, scenario: Scenario) -> Exchange:
    """Communication of a run over Bluetooth Low Energy.

    A message is cut into packets; a connection event carries some of them, and the radio sleeps until the
    next event. The transfers of a node follow one another; links hop over channels and do not disturb each
    other. The processor is awake for the whole of a transfer.

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
    UsageError : broadcast, which connections do not have

    Validity
    --------
    No retransmissions; that both ends of a link must be free at the same time is not scheduled, so that
    windows are lower bounds

    Source
    ------
    Bluetooth Core Specification 5.4, vol. 6, part B, sections 2.1, 4.1 and 4.5
    """
    if scenario.cast == "broadcast":
        raise UsageError("--cast broadcast: a Bluetooth connection has one receiver; give unicast")
    packet = BlePacket(**{name: fleet.exact(name) for name in BlePacket.__dataclass_fields__})
    rows = kinds.messages
    payload = -(-rows.bits // 8)
    packets = np.ceil(payload / packet.room)
    on_air = traffic_of(kinds, 8 * payload / packet.phy_rate, rows.delivered)
    counted = traffic_of(kinds, packets, rows.delivered)
    window = _window(kinds, fleet, packet, payload, packets)
    return Exchange(
        shared=False,
        active=on_air.active,
        window=window,
        terms=_terms(kinds, fleet, packet, on_air, counted, window),
        promotion=state(fleet, "promotion"),
        tail=state(fleet, "tail"),
    )


def _window(
    kinds: RoundKinds, fleet: Fleet, packet: BlePacket, payload: np.ndarray, packets: np.ndarray
) -> Window:
    """Transfers of every node: whole events, then the packets of the last one."""
    rows = kinds.messages
    weights, features = [], []
    for number, draws in enumerate(fleet.draws):
        key = f"radios.{fleet.devices[number].radio}"
        mine = fleet.device_of_node[rows.sender] == number
        an_event = draws(f"{key}.packets_an_event").astype(int)
        full_event = an_event * packet_cycle(packet.payload, packet)
        every = np.maximum(draws(f"{key}.connection_interval"), full_event)
        for each in np.unique(an_event):
            drawn = (an_event == each) * 1.0
            events = np.maximum(np.ceil(packets / each) - 1, 0.0) * mine
            last = (packets - events * each) * mine
            bits = 8 * (payload - events * each * packet.room) * mine
            cycle = packet.overhead + packet.empty + 2 * packet.frame_space
            weights += [drawn * every, drawn]
            features += [_both_ends(kinds, part) for part in (events, cycle * last + bits / packet.phy_rate)]
    return Window(np.stack(weights, axis=1)[:, :, None], np.stack(features), np.arange(kinds.nodes))


def _both_ends(kinds: RoundKinds, amounts: np.ndarray) -> np.ndarray:
    """Amounts of messages at the nodes that send and at those that receive them [U, N]."""
    traffic = traffic_of(kinds, amounts, kinds.messages.delivered)
    return traffic.sent + traffic.received


def _terms(
    kinds: RoundKinds, fleet: Fleet, packet: BlePacket, on_air: Traffic, counted: Traffic, window: Window
) -> dict[str, Spent]:
    host = fleet.radio("host_power")
    transmit, receive = (fleet.radio(f"{way}_power") + host for way in ("transmit", "receive"))
    sent, received = on_air.over_run(kinds)
    packets_out, packets_in = counted.over_run(kinds)
    sending = packets_out * packet.overhead + packets_in * packet.empty
    hearing = packets_in * packet.overhead + packets_out * packet.empty
    spaces = 2 * packet.frame_space * (packets_out + packets_in)
    awake = np.stack([window.summed(node, kinds.repeats) for node in range(kinds.nodes)], axis=1)
    between = np.maximum(awake - sent - received - sending - hearing - spaces, 0.0)
    asleep = fleet.radio("sleep_power") + host
    return {
        "transmit": Spent(sent, transmit * sent),
        "receive": Spent(received, receive * received),
        "listen": Spent(between + spaces, asleep * between + receive * spaces),
        "overhead_frames": Spent(sending + hearing, transmit * sending + receive * hearing),
    }
