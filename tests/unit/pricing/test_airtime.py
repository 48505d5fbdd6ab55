from dataclasses import replace

import numpy as np
import pytest
import yaml

from costbench.pricing.radio.airtime import (
    WifiMac,
    broadcast_airtime,
    frames_an_aggregate,
    message_airtime,
    reply_airtime,
)
from costbench.pricing.radio.exchange import segments
from costbench.pricing.radio.phy import phy_mode
from costbench.pricing.radio.wifi import mac_of
from costbench.pricing.uncertainty import Draws
from costbench.profile import FOLDER, LINKS, load_profile
from costbench.shipped import shipped

VHT80_MCS9 = phy_mode("vht", 80e6, 1, 9, 0.4e-6)
MICRO = 1e-6


@pytest.fixture(scope="module")
def mac() -> WifiMac:
    return mac_of(Draws(load_profile("phone"), 1), "radios.wifi.link")


def test_segments():
    assert segments(np.array([0, 1, 1448, 1449]), 1448).tolist() == [0, 1, 1, 2]
    with pytest.raises(ValueError, match="no room"):
        segments(np.array([1]), 0)


def test_gap_before_a_frame(mac):
    # SIFS 16 + 3 x 9 + 15/2 x 9 = 110.5 us
    assert mac.access_gap == pytest.approx(110.5e-6, rel=1e-12)


def test_two_segments_make_an_aggregate(mac):
    # Full subframe: 4 + 106 + 1448 = 1558, padded to 1560 B. The second holds 100 B: 210, padded to 212 B.
    # (8 x 1772 + 22) / 1560 = 9.10: 10 symbols of 3.6 us, 40 us first. Block ack: 278 bits, 3 symbols, 32 us.
    airtime = message_airtime(np.array([1548]), VHT80_MCS9, mac)
    assert airtime.frames[0] == pytest.approx(76e-6, rel=1e-12)
    assert airtime.control[0] == pytest.approx(32e-6, rel=1e-12)
    assert airtime.gaps[0] == pytest.approx(126.5e-6, rel=1e-12)
    assert airtime.payload[0] == pytest.approx(8 * 1548 / VHT80_MCS9.rate, rel=1e-12)
    assert airtime.channel[0] == pytest.approx(234.5e-6, rel=1e-12)


def test_a_long_message_is_sent_in_several_aggregates(mac):
    # 130 segments: two aggregates of 64 and one of 2.
    airtime = message_airtime(np.array([130 * 1448]), VHT80_MCS9, mac)
    assert airtime.aggregates[0] == 3
    # 64 x 1560 B: 798,742 bits, 513 symbols: 1886.8 us; 2 x 1560 B: 24,982 bits, 17 symbols: 101.2 us
    assert airtime.frames[0] == pytest.approx((2 * 1886.8 + 101.2) * MICRO, rel=1e-12)


def test_the_last_frame_alone_has_no_delimiter_and_a_plain_acknowledgement(mac):
    # 64 segments and one of 10 B: 8 x 116 + 22 = 950 bits, 1 symbol; acknowledgements 32 + 28 us.
    airtime = message_airtime(np.array([64 * 1448 + 10]), VHT80_MCS9, mac)
    assert airtime.frames[0] == pytest.approx((1886.8 + 43.6) * MICRO, rel=1e-12)
    assert airtime.control[0] == pytest.approx(60e-6, rel=1e-12)


def test_an_aggregate_ends_at_the_longest_frame(mac):
    # HT20 MCS 7: 260 bits in 4 us. (5484 - 40) / 4 = 1361 symbols = 353,860 bits; less 22, over 12,480: 28.
    assert frames_an_aggregate(phy_mode("ht", 20e6, 1, 7, 0.8e-6), mac) == 28
    assert frames_an_aggregate(VHT80_MCS9, mac) == 64


def test_an_empty_message_costs_nothing(mac):
    airtime = message_airtime(np.array([0]), VHT80_MCS9, mac)
    assert airtime.channel[0] == airtime.aggregates[0] == airtime.payload[0] == 0


def test_many_messages_are_priced_like_each_alone(mac):
    sizes = np.array([0, 1, 100, 1448, 1449, 92_672, 92_673, 1_000_000])
    together = message_airtime(sizes, VHT80_MCS9, mac).channel
    alone = [message_airtime(np.array([n]), VHT80_MCS9, mac).channel[0] for n in sizes]
    assert together.tolist() == alone


def test_a_frame_that_waits_alone_for_its_acknowledgement_is_counted(mac):
    # 1 segment: lone; 2: an aggregate; 65: an aggregate of 64 and a lone frame; 130: three aggregates.
    lengths = np.array([0, 1448, 2 * 1448, 65 * 1448, 130 * 1448])
    assert message_airtime(lengths, VHT80_MCS9, mac).lone.tolist() == [0, 1, 0, 1, 0]
    alone = replace(mac, subframes=1)
    assert message_airtime(lengths, VHT80_MCS9, alone).lone.tolist() == [0, 1, 2, 65, 130]


def test_acknowledgements_of_tcp_go_back_in_aggregates(mac):
    # 130 segments at one for two: 65 acknowledgements, 32 for each of two aggregates of 64, and one alone.
    # A bare subframe: 4 + 106, padded to 112 B. (8 x 32 x 112 + 22) / 1560 = 18.4: 19 symbols, 108.4 us.
    # The one alone: 8 x 106 + 22 = 870 bits, 1 symbol: 43.6 us. Answers: 2 x 32 + 28 us.
    reply = reply_airtime(np.array([130 * 1448]), 0.5, VHT80_MCS9, mac)
    assert (reply.aggregates[0], reply.lone[0], reply.payload[0]) == (3, 1, 0)
    assert reply.frames[0] == pytest.approx((2 * 108.4 + 43.6) * MICRO, rel=1e-12)
    assert reply.control[0] == pytest.approx(92e-6, rel=1e-12)
    assert reply.gaps[0] == pytest.approx(3 * 126.5e-6, rel=1e-12)


def test_without_aggregation_each_acknowledgement_of_tcp_is_a_frame(mac):
    # 5 segments at one for two: 3 acknowledgements, each 43.6 us and answered in 28 us.
    reply = reply_airtime(np.array([5 * 1448]), 0.5, VHT80_MCS9, replace(mac, subframes=1))
    assert reply.aggregates[0] == reply.lone[0] == 3
    assert reply.frames[0] == pytest.approx(3 * 43.6e-6, rel=1e-12)
    assert reply.control[0] == pytest.approx(3 * 28e-6, rel=1e-12)


def test_udp_and_empty_messages_are_not_acknowledged(mac):
    assert reply_airtime(np.array([10_000]), 0.0, VHT80_MCS9, mac).channel[0] == 0
    assert reply_airtime(np.array([0]), 0.5, VHT80_MCS9, mac).channel[0] == 0


@pytest.mark.parametrize("ratio", [-0.1, 1.5])
def test_no_segment_is_acknowledged_twice(mac, ratio):
    with pytest.raises(ValueError, match="from 0 to 1"):
        reply_airtime(np.array([10_000]), ratio, VHT80_MCS9, mac)


def test_a_broadcast_goes_out_frame_by_frame_at_the_basic_rate(mac):
    # 24 Mbit/s: 96 bits in 4 us. 1448 + 106 B: 12,454 bits, 130 symbols, 20 + 520 us. 100 + 106 B: 1,670
    # bits, 18 symbols, 92 us. Two gaps of 110.5 us, and nobody answers.
    airtime = broadcast_airtime(np.array([1548, 0]), replace(mac, basic_rate=24e6))
    assert airtime.frames[0] == pytest.approx(632e-6, rel=1e-12)
    assert airtime.gaps[0] == pytest.approx(221e-6, rel=1e-12)
    assert airtime.payload[0] == pytest.approx(1548 * 8 / 24e6, rel=1e-12)
    assert (airtime.control[0], airtime.lone[0], airtime.aggregates[0]) == (0, 0, 2)
    assert airtime.channel[1] == 0


def test_the_gaps_of_2_4_ghz():
    # DIFS = SIFS 10 + 2 x 9 = 28 us; best effort waits one slot more, and 15/2 slots of backoff: 104.5 us
    link = yaml.safe_load((shipped(FOLDER) / LINKS / "ht20-access-point.yaml").read_text())
    sifs, slot, waits, cw_min = (link[key]["value"] for key in ("sifs", "slot", "aifs_slots", "cw_min"))
    assert sifs + 2 * slot == 28
    assert sifs + (waits + cw_min / 2) * slot == 104.5
