"""IEEE 802.15.4 at 2.4 GHz: short frames on a channel that a collision domain shares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from costbench.pricing.fleet import Fleet
from costbench.pricing.radio.airtime import Airtime
from costbench.pricing.radio.exchange import Exchange, segments
from costbench.pricing.radio.framed import exchange_of, trips_on_air
from costbench.pricing.radio.retransmission import expected_tries
from costbench.pricing.rounds import RoundKinds
from costbench.pricing.scenario import Scenario


@dataclass(frozen=True)
class Ieee802154Frame:
    """What a frame is made of: rate [bit/s], turnaround and space [s], the rest [B]."""

    phy_rate: float
    synchronisation: float
    payload: float
    mac_header: float
    checksum: float
    fragment_header: float
    ack: float
    turnaround: float
    frame_space: float

    @property
    def room(self) -> int:
        """Bytes of a message that a full frame carries [B]."""
        return int(self.payload - self.mac_header - self.checksum - self.fragment_header)

    @property
    def overhead(self) -> float:
        """Time of a frame that is not a message's bits [s]."""
        headers = self.synchronisation + self.mac_header + self.checksum + self.fragment_header
        return 8 * headers / self.phy_rate

    @property
    def acknowledgement(self) -> float:
        """Time of an acknowledgement [s]."""
        return 8 * (self.synchronisation + self.ack) / self.phy_rate


def frame_airtime(
    payload_bytes: np.ndarray, frame: Ieee802154Frame, backoff: float, acknowledged: bool
) -> Airtime:
    """Airtime of messages.

    A message is cut into frames of up to 127 bytes; each is sent after a back-off, and answered after a
    turnaround.

    Parameters
    ----------
    payload_bytes : int [M], bytes handed to the transport [B]
    frame : by name of its numbers
    backoff : scalar, mean wait for a clear channel [s]
    acknowledged : bool, whether a frame is answered, as int [1]

    Returns
    -------
    Airtime with arrays [1, M], [s]; all zero for an empty message

    Source
    ------
    IEEE Std 802.15.4-2020, clauses 6.2.5 (CSMA-CA), 6.7.4 (acknowledgement) and 12 (O-QPSK PHY)
    """
    n_frames = segments(payload_bytes, frame.room)
    payload = 8 * np.asarray(payload_bytes) / frame.phy_rate
    answer = acknowledged * n_frames
    gaps = n_frames * (backoff + frame.frame_space) + answer * frame.turnaround
    parts = (payload, payload + n_frames * frame.overhead, answer * frame.acknowledgement, gaps, gaps)
    return Airtime(*(np.asarray(part, dtype=float)[None] for part in (*parts, n_frames, 0 * n_frames)))


def exchange(kinds: RoundKinds, fleet: Fleet, scenario: Scenario) -> Exchange:
    """Communication of a run over IEEE 802.15.4, from device to device.

    Parameters
    ----------
    kinds : kinds of round with their messages
    fleet : numbers of the devices
    scenario : how the devices exchange

    Returns
    -------
    Times [s] and energies above idle [J] of the run

    Validity
    --------
    The mean back-off is nominal in all draws; no collisions; fragments as in 6LoWPAN, addresses short

    Source
    ------
    IEEE Std 802.15.4-2020; RFC 4944, section 5.3, for fragments
    """
    frame = Ieee802154Frame(**{name: fleet.exact(name) for name in Ieee802154Frame.__dataclass_fields__})
    acknowledged = scenario.cast == "unicast"
    backoff = fleet.exact("mean_backoff")

    def airtime(octets: np.ndarray) -> Airtime:
        return frame_airtime(octets, frame, backoff, acknowledged)

    tries = expected_tries(fleet.radio("packet_error_rate")[:, 0], int(fleet.exact("retry_limit")))
    trips = trips_on_air(kinds, airtime, scenario, acknowledged, tries)
    return exchange_of(kinds, fleet, scenario, trips)
