"""Every shipped profile is priced on each of its radios, and each of its numbers is used by some price."""

import numpy as np
import pytest

from costbench.cli.trials import trial_counts, unpriceable
from costbench.errors import UsageError
from costbench.pricing import uncertainty
from costbench.pricing.fleet import device_of
from costbench.pricing.price import price, price_fleet
from costbench.pricing.scenario import Place, Scenario
from costbench.profile import HardwareProfile, list_profiles, load_profile
from costbench.profile.environment import list_environments, load_environment

COUNTS = trial_counts()
DISTANCE = np.array([[0.0, 3.0], [3.0, 0.0]])
INDOORS = Place(load_environment("indoor-los"), DISTANCE)
RADIOS = [(profile, radio) for profile in list_profiles() for radio in load_profile(profile).radios]


@pytest.fixture(autouse=True)
def no_places(monkeypatch):
    """Lines of files are not looked up: that would take most of the time here."""
    monkeypatch.setattr(HardwareProfile, "places", lambda self: {})


@pytest.fixture
def asked(monkeypatch):
    """Sets of the keys that prices ask for, by id of what they ask."""
    made = {}
    prepare = uncertainty.Draws.__post_init__

    def remembered(self):
        prepare(self)
        self.used = made.setdefault(self.described.id, self.used)

    monkeypatch.setattr(uncertainty.Draws, "__post_init__", remembered)
    return made


@pytest.mark.parametrize(("profile", "radio"), RADIOS)
def test_every_radio_is_priced(profile, radio):
    priced = price(COUNTS, load_profile(profile), radio, samples=20)
    nodes = priced.per_node
    assert (nodes["total_j"] > nodes["above_idle_j"]).all()
    assert (nodes["above_idle_j"] > 0).all()
    assert (nodes["total_j_p10"] < nodes["total_j_p90"]).all()
    assert np.isfinite(nodes["total_s"]).all()


@pytest.mark.parametrize("profile", list_profiles())
def test_every_number_of_a_profile_is_used_by_some_price(profile, asked):
    loaded = load_profile(profile)
    scenarios = [Scenario(power_save=True, boundary="end-to-end"), Scenario(place=INDOORS)]
    for radio in loaded.radios:
        for scenario in (Scenario(), *scenarios):
            device = device_of(loaded, radio)
            try:
                price_fleet(COUNTS, [device, device], 2, 0, scenario)
            except UsageError as error:
                assert scenario.place and not radio.startswith("wifi"), error
    for mode in loaded.modes:
        price_fleet(COUNTS, [device_of(loaded, None, mode)] * 2, 2, 0, Scenario())
    assert set(loaded.numbers()) == asked[profile]


@pytest.mark.parametrize("environment", list_environments())
def test_every_number_of_an_environment_is_used_by_some_price(environment, asked):
    device, loaded = device_of(load_profile("phone"), "wifi"), load_environment(environment)
    for rates in ("sensitivity", "shannon"):
        around = Place(loaded.model_copy(update={"rates": rates}), DISTANCE, 5.0)
        price_fleet(COUNTS, [device, device], 2, 0, Scenario(place=around))
    assert set(loaded.numbers()) == asked[environment]


def test_modes_are_clocks():
    """MAXN_SUPER is 1018 MHz beside 625 MHz: less time, and more power above idle."""
    loaded = load_profile("jetson-orin-nano")
    slow, fast = (
        price_fleet(COUNTS, [device_of(loaded, "wifi", mode)] * 2, 2, 0, Scenario()).per_node
        for mode in ("15W", "MAXN_SUPER")
    )
    assert slow["compute_s"][0] / fast["compute_s"][0] == pytest.approx(1018 / 625, rel=0.01)
    reference = price(COUNTS, loaded, "wifi", samples=2).per_node
    assert slow["total_j"][0] == pytest.approx(reference["total_j"][0], rel=1e-12)


@pytest.mark.parametrize("profile", list_profiles())
def test_a_trial_refuses_no_shipped_profile(profile, tmp_path):
    assert unpriceable(load_profile(profile), tmp_path) == []
