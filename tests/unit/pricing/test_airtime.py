import numpy as np
import pytest

from costbench.pricing.radio.airtime import WifiMac, frames_an_aggregate, message_airtime
from costbench.pricing.radio.exchange import segments
from costbench.pricing.radio.phy import phy_mode, symbols
from costbench.pricing.radio.wifi import mac_of
from costbench.pricing.uncertainty import Draws
from costbench.profile import load_profile

VHT80_MCS9 = phy_mode("vht", 80e6, 1, 9, 0.4e-6)
MICRO = 1e-6


@pytest.fixture(scope="module")
def mac() -> WifiMac:
    return mac_of(Draws(load_profile("phone"), 1), "radios.wifi.link")


def test_a_mode_of_the_phy():
    # 234 subcarriers x 8 bits x 5/6 = 1560 bits in 3.2 + 0.4 us: 433.3 Mbit/s
    assert VHT80_MCS9.bits_a_symbol == 1560
    assert VHT80_MCS9.rate == pytest.approx(433.333e6, rel=1e-6)


@pytest.mark.parametrize(
    ("standard", "width", "streams", "mcs"),
    [("vht", 25e6, 1, 5), ("ht", 80e6, 1, 5), ("vht", 80e6, 1, 10), ("ht", 20e6, 1, 8), ("he", 80e6, 9, 1)],
)
def test_a_mode_that_does_not_exist(standard, width, streams, mcs):
    with pytest.raises(ValueError, match="has no"):
        phy_mode(standard, width, streams, mcs, 0.8e-6)


def test_whole_symbols():
    assert symbols([1, 1560, 1561], 1560).tolist() == [1, 1, 2]


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
