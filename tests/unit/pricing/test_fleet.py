"""Fleets of different devices, who waits for whom, collision domains, and where numbers come from."""

from __future__ import annotations

import numpy as np
import pytest

from costbench.errors import UsageError
from costbench.pricing.fleet import device_of
from costbench.pricing.price import price, price_fleet
from costbench.pricing.scenario import AS_IS, Place, Scenario
from costbench.pricing.sensitivity import variance_shares
from costbench.profile import load_profile
from costbench.profile.environment import load_environment

STEPS = [(n, "forward", 2_500_000_000, 100) for n in range(4)]
PHONE, NANO = load_profile("phone"), load_profile("jetson-nano")


def fleet_price(run, names, scenario=AS_IS, samples=1, radio="wifi"):
    devices = [device_of({"phone": PHONE, "nano": NANO}[name], radio) for name in names]
    return price_fleet(run, devices, samples, 0, scenario)


@pytest.fixture
def ring(counts):
    """Each of four nodes sends 100,000 B to the next in three rounds."""
    return counts(4, 3, [(r, n, (n + 1) % 4, 100_000) for r in range(3) for n in range(4)], STEPS)


def test_a_mixed_fleet_is_named_and_each_node_pays_its_own(ring):
    mixed = fleet_price(ring, ["phone", "phone", "nano", "nano"])
    assert (mixed.profile, mixed.radio) == ("phone*2+jetson-nano*2", "wifi")
    alone = {name: fleet_price(ring, [name] * 4) for name in ("phone", "nano")}
    for node, name in enumerate(["phone", "phone", "nano", "nano"]):
        for term in ("compute_active", "compute_static", "transmit"):
            assert mixed.per_node[f"{term}_j"][node] == pytest.approx(
                alone[name].per_node[f"{term}_j"][node], rel=1e-9
            )
    assert list(mixed.per_node["device"]) == ["phone", "phone", "jetson-nano", "jetson-nano"]


def test_the_fast_wait_for_the_slow(ring):
    mixed = fleet_price(ring, ["phone", "nano", "phone", "nano"])
    slowest = int(mixed.per_node["compute_s"].argmax())
    assert mixed.bottleneck() == slowest
    assert mixed.per_node["wait_s"][slowest] == 0
    faster = mixed.per_node["compute_s"] < mixed.per_node["compute_s"].max() * 0.99
    assert faster.any()
    assert (mixed.per_node["wait_s"][faster] > 0).all()


def test_devices_that_cannot_talk_to_one_another(ring):
    with pytest.raises(UsageError, match="4 nodes, and the fleet 3 devices"):
        fleet_price(ring, ["phone"] * 3)
    mixed = [device_of(PHONE, "wifi"), device_of(PHONE, "lte")] * 2
    with pytest.raises(UsageError, match="phone/wifi and phone/lte cannot talk"):
        price_fleet(ring, mixed, 1, 0, Scenario())
    ways = [device_of(PHONE, "wifi"), device_of(PHONE, "wifi-direct")] * 2
    with pytest.raises(UsageError, match="one link is direct"):
        price_fleet(ring, ways, 1, 0, Scenario())
    bluetooth = [device_of(PHONE, "ble"), device_of(NANO, "ble")] * 2
    with pytest.raises(UsageError, match="their phy_rate differs"):
        price_fleet(ring, bluetooth, 1, 0, Scenario())


def test_nobody_waits_for_those_it_does_not_hear(counts):
    # 0 and 1 exchange, 2 and 3 exchange; only 3 is slow.
    pairs = [(0, 1), (1, 0), (2, 3), (3, 2)]
    run = counts(4, 5, [(r, s, t, 10_000) for r in range(5) for s, t in pairs], STEPS)
    names = ["phone", "phone", "phone", "nano"]
    apart = Scenario(domain_of_node=np.array([0, 0, 1, 1]))
    few = Scenario(sync="neighbourhood", domain_of_node=np.array([0, 0, 1, 1]))
    barrier, neighbourhood = (fleet_price(run, names, scenario) for scenario in (apart, few))
    slow = int(barrier.per_node["compute_s"].argmax())
    quick = [0, 1] if slow in (2, 3) else [2, 3]
    assert barrier.per_node["total_s"].nunique() == 1
    assert (neighbourhood.per_node["total_s"][quick] < barrier.per_node["total_s"][quick]).all()
    assert neighbourhood.per_node["waiting_j"][quick].sum() < barrier.per_node["waiting_j"][quick].sum()


def test_with_everybody_in_earshot_both_synchronisations_agree(counts):
    every = [(r, s, t, 50_000) for r in range(4) for s in range(4) for t in range(4) if s != t]
    run = counts(4, 4, every, STEPS)
    one, other = (
        price(run, PHONE, "per-bit", samples=20, scenario=Scenario(sync=sync))
        for sync in ("barrier", "neighbourhood")
    )
    assert other.per_node["total_j"].to_numpy() == pytest.approx(one.per_node["total_j"].to_numpy(), rel=1e-9)
    assert other.draws["time_s"] == pytest.approx(one.draws["time_s"], rel=1e-9)


def test_domains_apart_use_their_channels_at_once(ring):
    together = price(ring, PHONE, "wifi-direct", 1)
    apart = price(ring, PHONE, "wifi-direct", 1, scenario=Scenario(domain_of_node=np.array([0, 0, 1, 1])))
    spent = [row.per_node["communicate_s"].iloc[0] for row in (together, apart)]
    promotion = PHONE.radios["wifi-direct"].promotion.duration.si
    # Two of four transmissions instead of all, in each round; the wake-up is the same.
    assert spent[1] - promotion == pytest.approx((spent[0] - promotion) / 2, rel=1e-6)


def test_power_save_sleeps_where_it_would_listen(ring):
    awake, asleep = (
        price(ring, PHONE, "wifi", 1, scenario=Scenario(power_save=saves)).per_node for saves in (False, True)
    )
    radio = PHONE.radios["wifi"]
    ratio = asleep["overhear_j"] / awake["overhear_j"]
    assert ratio.to_numpy() == pytest.approx(radio.sleep_power.si / radio.overhear_power.si, rel=1e-9)
    kept = asleep["listen_j"] / awake["listen_j"]
    assert (kept > 1.5 * radio.sleep_power.si / radio.listen_power.si).all()
    assert (kept < 0.5).all()
    assert (asleep["transmit_j"] == awake["transmit_j"]).all()


@pytest.mark.parametrize(("radio", "notes"), [("wifi", 0), ("wifi-direct", 1)])
def test_power_save_without_an_access_point_is_a_lower_bound(ring, radio, notes):
    assert len(price(ring, PHONE, radio, 1, scenario=Scenario(power_save=True)).notes) == notes


@pytest.mark.parametrize(("radio", "unused"), [("wifi", 0), ("lte", 1), ("ble", 1), ("per-bit", 1)])
def test_what_a_radio_does_not_have_is_said(ring, radio, unused):
    place = Place(load_environment("free-space"), np.full((4, 4), 5.0))
    scenario = Scenario(power_save=True, place=place, domain_of_node=np.array([0, 0, 1, 1]))
    notes = price(ring, PHONE, radio, 1, scenario=scenario).notes
    said = [note for note in notes if "distances, power save, collision domains" in note]
    assert len(said) == len(notes) == unused
    assert not price(ring, PHONE, radio, 1).notes


@pytest.mark.parametrize("radio", ["wifi", "lte", "ble", "per-bit", "wifi-direct"])
def test_energies_are_powers_times_the_times_of_the_clock(ring, radio):
    priced = price(ring, PHONE, radio, 1)
    times, joules = (
        {term: rows[column].to_numpy() for term, rows in priced.terms.groupby("term")}
        for column in ("time_s", "energy_j")
    )
    total, communicate = (priced.per_node[f"{name}_s"].to_numpy() for name in ("total", "communicate"))
    idle, train = PHONE.idle.power.si, PHONE.compute.power.train_power.si
    assert joules["compute_active"] == pytest.approx((train - idle) * times["compute_active"], rel=1e-9)
    assert joules["compute_static"] == pytest.approx(idle * times["compute_static"], rel=1e-9)
    assert joules["waiting"] == pytest.approx(idle * times["waiting"], rel=1e-9)
    assert times["compute_static"] + times["waiting"] == pytest.approx(total, rel=1e-9)
    radio_of = PHONE.radios[radio]
    if hasattr(radio_of, "tail"):
        assert joules["tail"] == pytest.approx(radio_of.tail.power.si * times["tail"], rel=1e-9)
        assert joules["promotion"] == pytest.approx(
            radio_of.promotion.power.si * times["promotion"], rel=1e-9
        )
    if radio.startswith("wifi"):
        # On a shared channel the radio is awake for the windows: all its times but waking up add up to them.
        on_air = sum(times[term] for term in ("transmit", "receive", "listen", "overhear", "overhead_frames"))
        assert on_air == pytest.approx(communicate - times["promotion"], rel=1e-9)
        assert joules["listen"] == pytest.approx(radio_of.listen_power.si * times["listen"], rel=1e-9)


def test_shares_of_a_sum_are_those_of_its_variances():
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(0, 1, 4000), rng.normal(0, 2, 4000), np.ones(4000)
    shares = variance_shares(a + b, {"a": a, "b": b, "c": c})
    # Var 1 + 4: a fifth and four fifths
    assert [one.key for one in shares] == ["b", "a"]
    assert [one.share for one in shares] == pytest.approx([0.8, 0.2], abs=0.03)
    assert variance_shares(a[:5], {"a": a[:5], "b": b[:5]}) is None
    assert variance_shares(c, {"c": c}) == []


def test_every_number_of_a_price_says_where_it_stands(ring):
    priced = price(ring, PHONE, "wifi", samples=400)
    entries = {entry.key: entry for entry in priced.inputs}
    launch = entries["compute.launch_time"]
    place = PHONE._path.parent / launch.place.partition(":")[0]
    line = int(launch.place.partition(":")[2])
    assert place.read_text().splitlines()[line - 1].strip() == "launch_time:"
    assert entries["radios.wifi.transmit_power"].place.startswith("wifi-phone.yaml:")
    assert entries["radios.wifi.link.mcs"].place.startswith("vht80-access-point.yaml:")
    assert all(entry.source and entry.place for entry in priced.inputs)
    assert sum(entry.share for entry in priced.inputs) == pytest.approx(1, abs=0.2)
    shares = [entry.share for entry in priced.inputs]
    assert shares == sorted(shares, reverse=True)
    # A number that no term uses is not among them.
    assert "radios.lte.promotion.power" not in entries
