"""Laws that hold for every price, whatever the counts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from costbench.pricing.compute import roofline_time
from costbench.pricing.counts import Counts
from costbench.pricing.price import price
from costbench.pricing.priced import Priced
from costbench.pricing.radio.cellular import transfer_power
from costbench.pricing.terms import COMMUNICATION_TERMS, IDLE_TERMS, TERMS
from costbench.profile import HardwareProfile, list_profiles, load_profile

DEVICES = [(name, radio) for name in list_profiles() for radio in load_profile(name).radios]
LINEAR = ("compute_active", "compute_static", "transmit", "receive", "overhead_frames")
ENDS = ("value", "low", "high")
SETTINGS = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])

device = st.sampled_from(DEVICES)
edges = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 200_000)), max_size=6).map(
    lambda rows: [row for row in rows if row[0] != row[1]]
)
steps = st.lists(st.tuples(st.integers(0, 10**10), st.integers(0, 2000)), min_size=4, max_size=4)


def counts(edges, steps, rounds=3, nodes=4) -> Counts:
    """The same exchange (sender, receiver, bytes) and steps (FLOP, launches) in every round."""
    messages = [(r, s, t, 8 * b, True) for r in range(rounds) for s, t, b in edges]
    frame = pd.DataFrame(messages, columns=["round", "sender", "receiver", "value_bits", "delivered"])
    zeros = dict.fromkeys(
        ("content", "elements", "index_bits", "side_bits", "padding_bits", "header_bits"), 0
    )
    frame = frame.astype({"round": int, "sender": int, "receiver": int, "value_bits": int, "delivered": bool})
    work = [(0, rounds, n, "forward", "float32", f, 10 * k, 10 * k, k) for n, (f, k) in enumerate(steps)]
    columns = ["round_start", "round_stop", "node", "phase", "dtype", "flop", "bytes_read", "bytes_written"]
    compute = pd.DataFrame(work, columns=[*columns, "launches"])
    return Counts("0123456789ab", "laws", nodes, rounds, frame.assign(**zeros), compute)


def priced(device, run, samples=20) -> Priced:
    return price(run, load_profile(device[0]), device[1], samples=samples)


def column(found: Priced, *terms) -> np.ndarray:
    return found.per_node[[f"{term}_j" for term in terms]].to_numpy()


@given(device, edges, steps)
@SETTINGS
def test_terms_add_up_and_none_is_negative(device, edges, steps):
    found = priced(device, counts(edges, steps))
    assert np.array_equal(column(found, *TERMS).sum(axis=1), column(found, "total")[:, 0])
    assert (column(found, *TERMS) >= 0).all()
    assert (found.terms["time_s"] >= 0).all()
    without_idle = [term for term in TERMS if term not in IDLE_TERMS]
    assert column(found, *without_idle).sum(axis=1) == pytest.approx(
        column(found, "above_idle")[:, 0], rel=1e-9
    )
    parts = found.per_node[["compute_s", "communicate_s", "wait_s"]].sum(axis=1)
    assert parts.to_numpy() == pytest.approx(found.per_node["total_s"].to_numpy(), rel=1e-9)


@given(device, edges, steps, st.integers(2, 5))
@SETTINGS
def test_linear_in_rounds_without_promotion_and_tail(device, edges, steps, times):
    one, many = (priced(device, counts(edges, steps, rounds=3 * k)) for k in (1, times))
    assert column(many, *LINEAR) == pytest.approx(times * column(one, *LINEAR), rel=1e-9)


@given(device, edges, steps, st.randoms(use_true_random=False))
@SETTINGS
def test_independent_of_row_order(device, edges, steps, random):
    run = counts(edges, steps)
    order = list(range(len(run.messages)))
    random.shuffle(order)
    shuffled = Counts(run.run_id, run.name, 4, run.rounds, run.messages.iloc[order], run.compute.iloc[::-1])
    one, other = priced(device, run), priced(device, shuffled)
    assert np.array_equal(column(one, *TERMS), column(other, *TERMS))
    assert np.array_equal(one.draws["total_j"], other.draws["total_j"])


@given(device, edges, steps)
@SETTINGS
def test_messages_of_a_node_are_priced_like_those_of_each_alone(device, edges, steps):
    whole = priced(device, counts(edges, steps))
    alone = [priced(device, counts([edge], steps)) for edge in edges]
    for term in ("transmit", "receive", "overhead_frames"):
        summed = sum((column(found, term) for found in alone), np.zeros((4, 1)))
        assert column(whole, term) == pytest.approx(summed, rel=1e-9)


@given(device, steps)
@SETTINGS
def test_zero_bits_cost_no_communication(device, steps):
    found = priced(device, counts([(0, 1, 0)], steps))
    assert not column(found, *COMMUNICATION_TERMS).any()


@given(device)
@SETTINGS
def test_zero_at_zero(device):
    found = priced(device, counts([], [(0, 0)] * 4))
    assert not found.per_node["total_j"].any()
    assert not found.draws["total_j"].any()


@given(device, edges, steps, st.floats(1.01, 5))
@SETTINGS
def test_more_power_costs_more(device, edges, steps, factor):
    profile = load_profile(device[0])
    dearer = with_train_power(profile, factor)
    run = counts(edges, steps)
    one, other = (price(run, p, device[1], samples=1) for p in (profile, dearer))
    worked = one.per_node["compute_s"] > 0
    assert (other.per_node["compute_active_j"] > one.per_node["compute_active_j"])[worked].all()
    assert (other.per_node["total_j"] >= one.per_node["total_j"]).all()


def with_train_power(profile: HardwareProfile, factor: float) -> HardwareProfile:
    """The same device, whose power while it computes is that much higher."""
    power = profile.compute.power
    scaled = {
        name: number.model_copy(update={end: factor * getattr(number, end) for end in ENDS})
        for name in ("train_power", "static_power", "highest_power", "voltage")
        if (number := getattr(power, name, None))
    }
    compute = profile.compute.model_copy(update={"power": power.model_copy(update=scaled)})
    return profile.model_copy(update={"compute": compute})


@given(device, edges, steps, st.integers(1, 3))
@SETTINGS
def test_more_bits_cost_no_less_airtime(device, edges, steps, times):
    more = [(s, t, b * times) for s, t, b in edges]
    one, other = (priced(device, counts(which, steps)) for which in (edges, more))
    assert (other.per_node["communicate_s"] >= one.per_node["communicate_s"] * (1 - 1e-12)).all()


@given(
    st.lists(st.floats(1e6, 25e6), min_size=1, max_size=5),
    st.lists(st.floats(0, 1e12), min_size=1, max_size=5),
)
@SETTINGS
def test_arrays_are_priced_like_scalars(rates, flop):
    together = transfer_power(rates, 1.4, 80e-9, 1e6, 25e6)
    assert together.tolist() == [float(transfer_power([r], 1.4, 80e-9, 1e6, 25e6)[0]) for r in rates]
    device = {"flop_per_s": 1e10, "bytes_per_s": 1e9, "launch_time": 1e-4}
    alone = [float(roofline_time(f, 1e6, 10, **device)) for f in flop]
    assert roofline_time(flop, 1e6, 10, **device).tolist() == alone


@given(device, edges, steps)
@SETTINGS
def test_the_nominal_price_does_not_depend_on_the_draws(device, edges, steps):
    few, many = (priced(device, counts(edges, steps), samples) for samples in (1, 33))
    assert column(few, *TERMS) == pytest.approx(column(many, *TERMS), rel=1e-12)
