"""Airtime of a message over Wi-Fi: segments, aggregation, preambles, acknowledgements, gaps and broadcast."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from costbench.pricing.radio.exchange import segments
from costbench.pricing.radio.phy import PhyMode, symbols

#: PLCP service field and tail bits around the payload of a frame [bit], IEEE Std 802.11-2020, clause 17.3.5
SERVICE_AND_TAIL_BITS = 22
ROUNDING = 1e-9


@dataclass(frozen=True)
class WifiMac:
    """What the MAC and the headers above it add; times [s], rates [bit/s], the rest [B] or counts [1]."""

    preamble: float
    sifs: float
    slot: float
    aifs_slots: int
    cw_min: int
    cw_max: int
    retry_limit: int
    basic_rate: float
    control_rate: float
    control_preamble: float
    control_symbol: float
    ack: int
    block_ack: int
    mac_header: int
    encryption: int
    llc_header: int
    frame_check: int
    delimiter: int
    subframes: int
    longest_ppdu: float
    mtu: int
    ip_header: int
    transport_header: int

    @property
    def segment_bytes(self) -> int:
        """Payload of a full segment [B]."""
        return self.mtu - self.ip_header - self.transport_header

    @property
    def frame_overhead(self) -> int:
        """Bytes of a frame that are not payload [B]."""
        mac = self.mac_header + self.encryption + self.llc_header + self.frame_check
        return mac + self.ip_header + self.transport_header

    @property
    def access_gap(self) -> float:
        """Mean silence before a transmission, arbitration and backoff without collisions [s]."""
        return self.sifs + self.aifs_slots * self.slot + self.cw_min / 2 * self.slot


@dataclass(frozen=True)
class Airtime:
    """Times of each message on one hop, [M]; `aggregates` and `lone` are counts [1], the rest [s].

    `payload` is the payload bits at the PHY rate, `frames` the frames with headers and preambles (payload
    included), `control` the acknowledgements, `gaps` the silences that belong to the transfer, of which the
    sender is awake for `sensed`. `aggregates` counts transmissions, `lone` those of a single frame that waits
    for an acknowledgement.
    """

    payload: np.ndarray
    frames: np.ndarray
    control: np.ndarray
    gaps: np.ndarray
    sensed: np.ndarray
    aggregates: np.ndarray
    lone: np.ndarray

    @property
    def channel(self) -> np.ndarray:
        """Time for which the message occupies the channel on one hop [M], [s]."""
        return self.frames + self.control + self.gaps


def frames_an_aggregate(mode: PhyMode, mac: WifiMac) -> int:
    """Full frames that fit in one aggregate.

    Parameters
    ----------
    mode : rate of the PHY
    mac : headers and limits

    Returns
    -------
    Number of frames, at least 1 and at most `subframes` [1]

    Source
    ------
    IEEE Std 802.11-2020, clause 9.7 (A-MPDU) and Table 21-29 (aPPDUMaxTime)
    """
    room = np.floor((mac.longest_ppdu - mac.preamble) / mode.symbol_time + ROUNDING) * mode.bits_a_symbol
    fitting = int((room - SERVICE_AND_TAIL_BITS) // (8 * _subframe(mac.segment_bytes, mac)))
    return max(1, min(mac.subframes, fitting))


def message_airtime(payload_bytes: np.ndarray, mode: PhyMode, mac: WifiMac) -> Airtime:
    """Airtime of messages on one hop, each sent by itself.

    A message is cut into segments; up to `subframes` of them form one aggregate, answered by one block
    acknowledgement; a lone frame is sent without delimiter and answered by an acknowledgement.

    Parameters
    ----------
    payload_bytes : int [M], bytes handed to the transport [B]
    mode : rate of the PHY
    mac : headers, gaps and limits

    Returns
    -------
    Airtime with arrays [M], [s]; all zero for an empty message

    Raises
    ------
    ValueError : headers that leave no room for payload

    Validity
    --------
    No collisions, no losses, no acknowledgement segments of the transport; 5 GHz

    Source
    ------
    IEEE Std 802.11-2020, clauses 10.3, 10.12 and 10.13
    """
    payload_bytes = np.asarray(payload_bytes, dtype=np.int64)
    n_segments = segments(payload_bytes, mac.segment_bytes)
    each = frames_an_aggregate(mode, mac)
    full = np.maximum(n_segments - 1, 0) // each
    in_last = n_segments - full * each
    last_payload = payload_bytes - np.maximum(n_segments - 1, 0) * mac.segment_bytes
    exists = n_segments > 0
    gaps = (full + exists) * (mac.access_gap + mac.sifs)
    full_frames = _ppdu_time(_full_bytes(each, mac), mode, mac)
    last_frames = np.where(exists, _ppdu_time(_last_bytes(in_last, last_payload, mac), mode, mac), 0.0)
    return Airtime(
        payload=8 * payload_bytes / mode.rate,
        frames=full * full_frames + last_frames,
        control=full * _answer_time(each, mac) + exists * _answer_time(in_last, mac),
        gaps=gaps,
        sensed=gaps,
        aggregates=full + exists,
        lone=(in_last == 1) + (full if each == 1 else 0 * full),
    )


def reply_airtime(payload_bytes: np.ndarray, ack_ratio: float, mode: PhyMode, mac: WifiMac) -> Airtime:
    """Airtime of the transport's acknowledgement segments, which go the other way on one hop.

    Those of the segments of an aggregate form one aggregate; each is all headers.

    Parameters
    ----------
    payload_bytes : int [M], bytes of the messages that are acknowledged [B]
    ack_ratio : scalar, acknowledgements a segment, 0 (UDP) to 1 [1]
    mode : rate of the PHY
    mac : headers, gaps and limits

    Returns
    -------
    Airtime with arrays [M], [s]; all zero for an empty message and at a ratio of 0

    Raises
    ------
    ValueError : a ratio outside 0 to 1, headers that leave no room for payload

    Source
    ------
    RFC 5681, section 4.2: an acknowledgement for every second segment
    """
    if not 0 <= ack_ratio <= 1:
        raise ValueError(f"{ack_ratio:g} acknowledgements a segment: from 0 to 1 are possible")
    replies = np.ceil(ack_ratio * segments(payload_bytes, mac.segment_bytes) - ROUNDING)
    each = max(1.0, np.ceil(ack_ratio * frames_an_aggregate(mode, mac) - ROUNDING))
    full = np.maximum(replies - 1, 0) // each
    in_last = replies - full * each
    exists = replies > 0
    gaps = (full + exists) * (mac.access_gap + mac.sifs)
    return Airtime(
        payload=np.zeros(len(replies)),
        frames=full * _reply_time(each, mode, mac) + exists * _reply_time(in_last, mode, mac),
        control=full * _answer_time(each, mac) + exists * _answer_time(in_last, mac),
        gaps=gaps,
        sensed=gaps,
        aggregates=full + exists,
        lone=(in_last == 1) + full * (each == 1),
    )


def broadcast_airtime(payload_bytes: np.ndarray, mac: WifiMac) -> Airtime:
    """Airtime of messages that are broadcast: frame by frame at the basic rate, without acknowledgement.

    Parameters
    ----------
    payload_bytes : int [M], bytes handed to the transport [B]
    mac : headers, gaps and limits

    Returns
    -------
    Airtime with arrays [M], [s]; all zero for an empty message

    Source
    ------
    IEEE Std 802.11-2020, clauses 10.6.5.2 (rate of group addressed frames) and 10.3.6 (no acknowledgement)
    """
    payload_bytes = np.asarray(payload_bytes, dtype=np.int64)
    n_segments = segments(payload_bytes, mac.segment_bytes)
    full = np.maximum(n_segments - 1, 0)
    last_payload = payload_bytes - full * mac.segment_bytes
    full_frame, last_frame = (
        _basic_time(mac.frame_overhead + n, mac) for n in (mac.segment_bytes, last_payload)
    )
    exists = n_segments > 0
    return Airtime(
        payload=8 * payload_bytes / mac.basic_rate,
        frames=full * full_frame + exists * last_frame,
        control=np.zeros(len(n_segments)),
        gaps=n_segments * mac.access_gap,
        sensed=n_segments * mac.access_gap,
        aggregates=n_segments,
        lone=np.zeros(len(n_segments)),
    )


def _answer_time(frames: float | np.ndarray, mac: WifiMac) -> np.ndarray:
    """Time of what the receiver answers to an aggregate of so many frames [s]."""
    return np.where(np.asarray(frames) > 1, _control_time(mac.block_ack, mac), _control_time(mac.ack, mac))


def _reply_time(replies: float | np.ndarray, mode: PhyMode, mac: WifiMac) -> np.ndarray:
    bare = np.where(np.asarray(replies) > 1, replies * _subframe(0, mac), mac.frame_overhead)
    return _ppdu_time(bare, mode, mac)


def _basic_time(n_bytes: int | np.ndarray, mac: WifiMac) -> np.ndarray:
    bits = 8 * np.asarray(n_bytes) + SERVICE_AND_TAIL_BITS
    whole = symbols(bits, mac.basic_rate * mac.control_symbol)
    return np.asarray(mac.control_preamble + mac.control_symbol * whole)


def _subframe(payload_bytes: int | np.ndarray, mac: WifiMac) -> int | np.ndarray:
    """Bytes of one frame inside an aggregate, padded to a multiple of the delimiter."""
    unpadded = mac.delimiter + mac.frame_overhead + payload_bytes
    return -(-unpadded // mac.delimiter) * mac.delimiter


def _full_bytes(each: int, mac: WifiMac) -> int | np.ndarray:
    if each == 1:
        return mac.frame_overhead + mac.segment_bytes
    return each * _subframe(mac.segment_bytes, mac)


def _last_bytes(in_last: np.ndarray, last_payload: np.ndarray, mac: WifiMac) -> np.ndarray:
    aggregate = (in_last - 1) * _subframe(mac.segment_bytes, mac) + _subframe(last_payload, mac)
    return np.where(in_last > 1, aggregate, mac.frame_overhead + last_payload)


def _ppdu_time(n_bytes: int | np.ndarray, mode: PhyMode, mac: WifiMac) -> np.ndarray:
    bits = 8 * np.asarray(n_bytes) + SERVICE_AND_TAIL_BITS
    return mac.preamble + mode.symbol_time * symbols(bits, mode.bits_a_symbol)


def _control_time(n_bytes: int, mac: WifiMac) -> float:
    bits = 8 * n_bytes + SERVICE_AND_TAIL_BITS
    bits_a_symbol = mac.control_rate * mac.control_symbol
    return float(mac.control_preamble + mac.control_symbol * symbols(bits, bits_a_symbol))
