import numpy as np
import pytest

from costbench.errors import UsageError
from costbench.pricing.propagation import (
    air_to_ground_loss,
    free_space_loss,
    log_distance_loss,
    mcs_by_rate,
    mcs_by_sensitivity,
    noise_level,
    shannon_rate,
)
from costbench.profile.environment import list_environments, load_environment

#: of MCS 0 to 9 at 20 MHz [dBm], IEEE Std 802.11-2020, Table 21-25
AT_20_MHZ = [-82, -79, -77, -74, -70, -66, -65, -64, -59, -57]


def test_free_space_by_hand():
    # 4 pi x 100 m x 2.4 GHz / c = 10,060.3: 80.05 dB; ten times as far is 20 dB more
    assert free_space_loss(100, 2.4e9) == pytest.approx(80.052, abs=5e-3)
    assert free_space_loss(1000, 2.4e9) - free_space_loss(100, 2.4e9) == pytest.approx(20, rel=1e-12)


def test_log_distance_by_hand():
    # 1 m at 5.25 GHz: 20 log10(4 pi x 5.25e9 / c) = 46.85 dB; n = 4 over 10 m adds 40 dB
    assert log_distance_loss(10, 5.25e9, 4.0, 1.0) == pytest.approx(86.85, abs=5e-3)


def test_with_exponent_two_a_distance_is_free_space():
    distances = np.array([0.2, 1.0, 3.0, 250.0])
    found = log_distance_loss(distances, 5.5e9, 2.0, 1.0)
    assert found == pytest.approx(free_space_loss(distances, 5.5e9), rel=1e-12)


def test_the_loss_is_continuous_at_the_reference_distance():
    below, above = log_distance_loss(np.array([1 - 1e-9, 1 + 1e-9]), 5.5e9, 4.0, 1.0)
    assert above == pytest.approx(below, rel=1e-8)


def test_draws_of_an_exponent_move_all_links():
    found = log_distance_loss(
        np.array([10.0, 100.0]), 5.5e9, np.array([[2.0], [3.0]]), np.array([[1.0], [1.0]])
    )
    assert found.shape == (2, 2)
    assert (found[1] - found[0]).tolist() == pytest.approx([10, 20], rel=1e-12)


def test_air_to_ground_by_hand():
    # Urban, 100 m high and 100 m away: 45 degrees. P = 1 / (1 + 9.61 exp(-0.16 x 35.39)) = 0.96769,
    # so 0.96769 x 1 + 0.03231 x 20 = 1.6139 dB above free space over 141.42 m
    found = air_to_ground_loss(100, 100, 2.4e9, 9.61, 0.16, 1.0, 20.0)
    assert found - free_space_loss(np.hypot(100, 100), 2.4e9) == pytest.approx(1.614, abs=1e-3)


def test_straight_above_nothing_is_in_the_way():
    # 90 degrees, suburban: P_LoS = 1 to 15 digits, so only eta_LoS is left
    found = air_to_ground_loss(0, 50, 2.4e9, 4.88, 0.43, 0.1, 21.0)
    assert found - free_space_loss(50, 2.4e9) == pytest.approx(0.1, rel=1e-9)


def test_noise_of_a_channel():
    # -173.98 dBm/Hz at 290 K, 80 MHz: + 79.03, noise figure 7: -87.9 dBm
    assert noise_level(1.0, 0.0) == pytest.approx(-173.975, abs=5e-4)
    assert noise_level(80e6, 7.0) == pytest.approx(-87.944, abs=5e-4)


def test_shannon_by_hand():
    # SNR 15 dB less a gap of 5 dB: factor 10. 0.5 x 20 MHz x log2(11) = 34.594 Mbit/s
    assert shannon_rate(15.0, 20e6, 0.5, 5.0) == pytest.approx(34.594e6, rel=1e-5)


def test_modulation_by_sensitivity():
    levels = [-82.01, -82.0, -79.5, -57.0, 0.0]
    assert mcs_by_sensitivity(levels, AT_20_MHZ, 0.0).tolist() == [-1, 0, 0, 9, 9]
    assert mcs_by_sensitivity(levels, AT_20_MHZ, 5.0).tolist() == [1, 2, 2, 9, 9]


def test_modulation_by_rate():
    assert mcs_by_rate([6e6, 6.5e6, 70e6], [6.5e6, 13e6, 65e6]).tolist() == [-1, 0, 2]


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.nan])
def test_a_distance_that_is_none(wrong):
    with pytest.raises(ValueError, match="above 0"):
        free_space_loss(wrong, 2.4e9)
    with pytest.raises(ValueError, match="above 0"):
        log_distance_loss(wrong, 2.4e9, 2.0, 1.0)
    with pytest.raises(ValueError, match="above 0"):
        air_to_ground_loss(10, wrong, 2.4e9, 4.88, 0.43, 0.1, 21.0)
    with pytest.raises(ValueError, match="above 0"):
        free_space_loss(10, wrong)


def test_an_aircraft_is_not_at_a_negative_distance():
    with pytest.raises(ValueError, match="must not be negative"):
        air_to_ground_loss(-1.0, 10, 2.4e9, 4.88, 0.43, 0.1, 21.0)


def test_every_environment_is_shipped():
    on_the_ground = {"free-space", "indoor-los", "indoor-obstructed", "urban"}
    in_the_air = {f"air-to-ground-{kind}" for kind in ("suburban", "urban", "dense-urban", "high-rise")}
    found = {name: load_environment(name).needs_altitude for name in list_environments()}
    assert found == dict.fromkeys(on_the_ground, False) | dict.fromkeys(in_the_air, True)


def test_an_environment_that_is_not_shipped():
    with pytest.raises(UsageError, match="no environment 'moon': give a YAML file or one of air-to-ground"):
        load_environment("moon")
