import pytest

from costbench.pricing.radio.phy import HIGHEST_MCS, phy_mode, symbols

MICRO = 1e-6


def rate_mbps(standard, width_mhz, streams, mcs, guard_us):
    return phy_mode(standard, width_mhz * 1e6, streams, mcs, guard_us * MICRO).rate / 1e6


def test_a_mode_of_the_phy():
    # 234 subcarriers x 8 bits x 5/6 = 1560 bits in 3.2 + 0.4 us: 433.3 Mbit/s
    mode = phy_mode("vht", 80e6, 1, 9, 0.4 * MICRO)
    assert mode.bits_a_symbol == 1560
    assert mode.rate == pytest.approx(433.333e6, rel=1e-6)


def test_the_eight_rates_of_802_11a_and_g():
    found = [rate_mbps("legacy", 20, 1, mcs, 0.8) for mcs in range(8)]
    assert found == pytest.approx([6, 9, 12, 18, 24, 36, 48, 54], rel=1e-12)


@pytest.mark.parametrize("streams", [1, 2, 3, 4])
def test_streams_multiply_the_rate_of_ht(streams):
    # MCS 7 of one stream: 52 x 6 x 5/6 = 260 bits in 4 us, 65 Mbit/s
    assert rate_mbps("ht", 20, streams, 7, 0.8) == pytest.approx(65 * streams, rel=1e-12)


@pytest.mark.parametrize(("guard_us", "mbps"), [(0.8, 600.490), (1.6, 567.130), (3.2, 510.417)])
def test_guard_intervals_of_he(guard_us, mbps):
    # 980 x 10 x 5/6 = 8166.67 bits in 12.8 us and the guard interval
    assert rate_mbps("he", 80, 1, 11, guard_us) == pytest.approx(mbps, abs=5e-4)


@pytest.mark.parametrize(
    ("standard", "guard_us"), [("legacy", 0.4), ("ht", 1.6), ("vht", 3.2), ("he", 0.4), ("vht", 0.0)]
)
def test_a_guard_interval_that_a_standard_lacks(standard, guard_us):
    with pytest.raises(ValueError, match="has no guard interval"):
        phy_mode(standard, 20e6, 1, 0, guard_us * MICRO)


@pytest.mark.parametrize(
    ("standard", "width", "streams", "mcs"),
    [
        ("vht", 25e6, 1, 5),
        ("ht", 80e6, 1, 5),
        ("legacy", 40e6, 1, 5),
        ("vht", 80e6, 1, 10),
        ("ht", 20e6, 1, 8),
        ("ht", 20e6, 5, 7),
        ("he", 80e6, 9, 1),
        ("legacy", 20e6, 2, 1),
        ("vht", 80e6, 0, 1),
        ("wimax", 20e6, 1, 1),
    ],
)
def test_a_mode_that_does_not_exist(standard, width, streams, mcs):
    with pytest.raises(ValueError, match="has no"):
        phy_mode(standard, width, streams, mcs, 0.8 * MICRO)


# IEEE Std 802.11-2020, clause 21.5: what its tables leave out, by width, MCS and streams
LEFT_OUT = {(20, 9, n) for n in (1, 2, 4, 5, 7, 8)} | {(80, 6, 3), (80, 6, 7), (80, 9, 6), (160, 9, 3)}


def test_vht_leaves_out_ten_modes():
    refused = set()
    for width in (20, 40, 80, 160):
        for mcs in range(HIGHEST_MCS["vht"] + 1):
            for streams in range(1, 9):
                try:
                    phy_mode("vht", width * 1e6, streams, mcs, 0.4 * MICRO)
                except ValueError:
                    refused.add((width, mcs, streams))
    assert refused == LEFT_OUT


def test_whole_symbols():
    assert symbols([1, 1560, 1561], 1560).tolist() == [1, 1, 2]
    assert symbols(24, 24.0) == 1
