"""Laws of Wi-Fi and of propagation: monotone, additive, the same for arrays and for numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from costbench.pricing.counts import Counts
from costbench.pricing.fleet import Fleet, device_of, fleet_of
from costbench.pricing.price import price
from costbench.pricing.propagation import (
    air_to_ground_loss,
    free_space_loss,
    log_distance_loss,
    mcs_by_rate,
    mcs_by_sensitivity,
    shannon_rate,
)
from costbench.pricing.radio.airtime import broadcast_airtime, message_airtime, reply_airtime
from costbench.pricing.radio.phy import phy_mode
from costbench.pricing.radio.retransmission import expected_tries, extra_backoff
from costbench.pricing.radio.wifi import exchange, mac_of
from costbench.pricing.rounds import group_rounds
from costbench.pricing.scenario import Place, Scenario
from costbench.pricing.uncertainty import Draws
from costbench.profile import load_profile
from costbench.profile.environment import list_environments, load_environment

SETTINGS = settings(max_examples=60, deadline=None)
FEW = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
PHONE = load_profile("phone")
MAC = mac_of(Draws(PHONE, 1), "radios.wifi.link")
MODES = [phy_mode("vht", 80e6, 1, mcs, 0.4e-6) for mcs in range(10)]
NODES = 4

modes = st.sampled_from(MODES)
macs = st.sampled_from([MAC, replace(MAC, subframes=1), replace(MAC, subframes=4, basic_rate=24e6)])
lengths = st.lists(st.integers(0, 500_000), min_size=1, max_size=6)
error_rates = st.floats(0, 0.99)
distances = st.floats(0.1, 1e5)
frequencies = st.sampled_from([2.437e9, 5.5e9])
edges = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 100_000), st.booleans()), max_size=8
).map(lambda rows: [row for row in rows if row[0] != row[1]])
scenarios = st.builds(
    Scenario,
    cast=st.sampled_from(["unicast", "broadcast"]),
    boundary=st.sampled_from(["device", "device+access-point"]),
    domain_of_node=st.sampled_from([None, np.array([0, 0, 1, 1]), np.arange(NODES)]),
)
radios = st.sampled_from(["wifi", "wifi-direct"])


def counts(edges, rounds=2) -> Counts:
    """The same messages (sender, receiver, bytes, delivered) in every round, each of another content."""
    rows = [(r, s, t, c, 8 * b, d) for r in range(rounds) for c, (s, t, b, d) in enumerate(edges)]
    columns = ["round", "sender", "receiver", "content", "value_bits", "delivered"]
    frame = pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(columns[:5], int) | {"delivered": bool})
    zeros = dict.fromkeys(("elements", "index_bits", "side_bits", "padding_bits", "header_bits"), 0)
    keys = ["round_start", "round_stop", "node", "phase", "dtype", "flop", "bytes_read", "bytes_written"]
    compute = pd.DataFrame(columns=[*keys, "launches"])
    return Counts("0123456789ab", "laws", NODES, rounds, frame.assign(**zeros), compute)


def fleet(radio, samples=20, environment=None) -> Fleet:
    return fleet_of([device_of(PHONE, radio)] * NODES, samples, 0, environment)


def exchanged(edges, radio, scenario, rounds=2):
    return exchange(group_rounds(counts(edges, rounds)), fleet(radio), scenario)


@given(lengths, modes, macs, st.sampled_from([0.0, 0.25, 0.5, 1.0]))
@SETTINGS
def test_many_messages_take_what_each_takes_alone(lengths, mode, mac, ratio):
    for airtime_of in (
        lambda n: message_airtime(n, mode, mac),
        lambda n: reply_airtime(n, ratio, mode, mac),
        lambda n: broadcast_airtime(n, mac),
    ):
        together = airtime_of(np.array(lengths))
        alone = [airtime_of(np.array([n])) for n in lengths]
        for part in ("payload", "frames", "control", "gaps", "sensed", "aggregates", "lone"):
            assert getattr(together, part).tolist() == [getattr(one, part)[0] for one in alone], part


@given(st.integers(0, 500_000), st.integers(1, 5000), modes, macs)
@SETTINGS
def test_more_bytes_take_no_less_of_the_channel(length, more, mode, mac):
    for airtime_of in (
        lambda n: message_airtime(n, mode, mac),
        lambda n: reply_airtime(n, 0.5, mode, mac),
        lambda n: broadcast_airtime(n, mac),
    ):
        few, many = airtime_of(np.array([length, length + more])).channel
        # A lone frame has no delimiter, so two short segments may end a symbol earlier than they began
        assert many >= few * (1 - 1e-12)


@given(st.integers(1, 500_000), modes, macs)
@SETTINGS
def test_payload_is_the_least_part_and_zero_at_zero(length, mode, mac):
    airtime = message_airtime(np.array([length, 0]), mode, mac)
    assert airtime.payload[0] <= airtime.frames[0] < airtime.channel[0]
    assert airtime.channel[1] == 0
    assert airtime.lone[0] <= airtime.aggregates[0]


@given(st.integers(1, 500_000), macs, st.integers(0, 8))
@SETTINGS
def test_a_higher_modulation_takes_no_longer(length, mac, mcs):
    slow, quick = (message_airtime(np.array([length]), MODES[m], mac).channel[0] for m in (mcs, mcs + 1))
    assert quick <= slow


@given(error_rates, error_rates, st.integers(0, 10))
@SETTINGS
def test_more_errors_mean_more_tries_up_to_the_limit(one, other, limit):
    low, high = sorted((one, other))
    for law in (expected_tries, lambda p, m: extra_backoff(p, m, 15, 1023)):
        assert law(low, limit) <= law(high, limit) + 1e-12
    assert 1 <= expected_tries(high, limit) <= limit + 1
    # A frame arrives in the end or does not: a try succeeds, or all of them are lost
    assert (1 - high) * expected_tries(high, limit) + high ** (limit + 1) == pytest.approx(1, rel=1e-9)


@given(distances, distances, frequencies, st.floats(1.6, 6), st.floats(1, 500))
@SETTINGS
def test_loss_grows_with_distance(one, other, frequency, exponent, altitude):
    near, far = sorted((one, other))
    for loss in (
        lambda d: free_space_loss(d, frequency),
        lambda d: log_distance_loss(d, frequency, exponent, 1.0),
        lambda d: air_to_ground_loss(d, altitude, frequency, 9.61, 0.16, 1.0, 20.0),
    ):
        assert loss(near) <= loss(far) + 1e-9
        assert loss(np.array([near, far])).tolist() == pytest.approx([float(loss(near)), float(loss(far))])


@given(st.floats(-120, 0), st.floats(0, 30), st.floats(0, 10))
@SETTINGS
def test_a_stronger_signal_is_no_slower(level, more, margin):
    sensitivity = PHONE.radios["wifi"].link.sensitivity.si
    assert mcs_by_sensitivity(level, sensitivity, margin) <= mcs_by_sensitivity(
        level + more, sensitivity, margin
    )
    assert mcs_by_sensitivity(level, sensitivity, 0) <= mcs_by_sensitivity(level, sensitivity, margin)
    weak, strong = (shannon_rate(snr, 80e6, 0.7, 6.0) for snr in (level + 100, level + 100 + more))
    assert 0 <= weak <= strong
    rates = [mode.rate for mode in MODES]
    assert mcs_by_rate(weak, rates) <= mcs_by_rate(strong, rates)


@given(edges, radios, scenarios)
@FEW
def test_what_a_radio_does_fills_the_windows_in_which_it_takes_part(edges, radio, scenario):
    run = group_rounds(counts(edges))
    found = exchange(run, fleet(radio), scenario)
    seconds = sum(found.terms[term].seconds for term in ("transmit", "receive", "overhead_frames"))
    seconds = seconds + sum(found.terms[term].seconds for term in ("listen", "overhear"))
    times = run.repeats[:, None] * found.active
    for node, column in enumerate(found.window.column_of_node):
        awake = found.window.summed(int(column), times[:, node])
        if scenario.domain_of_node is None:
            assert seconds[:, node] == pytest.approx(awake, rel=1e-9)
        else:
            # In another domain than the sender a node may hear what its own channel does not carry
            assert (seconds[:, node] >= awake * (1 - 1e-9)).all()


@given(edges, radios, st.booleans())
@FEW
def test_power_times_time_is_energy(edges, radio, power_save):
    found = exchanged(edges, radio, Scenario(power_save=power_save))
    numbers = fleet(radio)
    powers = {
        "transmit": numbers.radio("transmit_power") + numbers.radio("host_power"),
        "receive": numbers.radio("receive_power") + numbers.radio("host_power"),
    }
    if not power_save:
        powers |= {"listen": numbers.radio("listen_power"), "overhear": numbers.radio("overhear_power")}
    for term, power in powers.items():
        assert found.terms[term].joules == pytest.approx(power * found.terms[term].seconds, rel=1e-9)


@given(edges, radios, scenarios, st.integers(2, 5))
@FEW
def test_as_many_rounds_cost_as_many_times(edges, radio, scenario, times):
    one, many = (exchanged(edges, radio, scenario, rounds=2 * k) for k in (1, times))
    for term, spent in one.terms.items():
        assert many.terms[term].joules == pytest.approx(times * spent.joules, rel=1e-9), term


@given(edges, radios, st.sampled_from(["unicast", "broadcast"]))
@FEW
def test_power_save_never_costs_more(edges, radio, cast):
    saving, awake = (
        exchanged(edges, radio, Scenario(cast=cast, power_save=saves)) for saves in (True, False)
    )
    spent = [sum(part.joules for part in found.terms.values()) for found in (saving, awake)]
    assert (spent[0][0] <= spent[1][0] * (1 + 1e-12)).all()


@given(edges, st.sampled_from(list_environments()), st.floats(1, 6), st.floats(0, 4))
@FEW
def test_a_longer_way_is_no_cheaper(edges, name, distance, more):
    environment = load_environment(name)
    altitude = 20.0 if environment.needs_altitude else None
    energies = []
    for apart in (distance, distance + more):
        place = Place(environment, np.full((NODES, NODES), apart), altitude)
        found = exchange(group_rounds(counts(edges)), fleet("wifi", 20, environment), Scenario(place=place))
        energies.append(sum(part.joules for part in found.terms.values()))
    assert (energies[1] >= energies[0] * (1 - 1e-9)).all()


@given(edges, radios)
@FEW
def test_domains_apart_take_no_longer_than_one(edges, radio):
    together, apart = (
        price(counts(edges), PHONE, radio, samples=1, scenario=Scenario(domain_of_node=domains))
        for domains in (None, np.array([0, 0, 1, 1]))
    )
    assert apart.per_node["total_s"].max() <= together.per_node["total_s"].max() * (1 + 1e-9)
