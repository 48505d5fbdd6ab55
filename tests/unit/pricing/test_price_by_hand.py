import json

import numpy as np
import pytest

from costbench.errors import UsageError
from costbench.pricing.price import price
from costbench.pricing.terms import TERMS

STEP = [(0, "forward", 2_500_000_000, 100), (1, "forward", 2_500_000_000, 100)]


@pytest.fixture
def push(counts):
    """Node 0 sends 125,000 B to node 1 in each of three rounds; both compute 0.15 s a round.

    0.15 s = 100 launches x 1 ms + 2.5 GFLOP / (0.5 x 100 GFLOP/s)
    """
    return counts(2, 3, [(r, 0, 1, 125_000) for r in range(3)], STEP)


def energies(priced, node):
    row = priced.per_node.iloc[node]
    return {term: row[f"{term}_j"] for term in TERMS}


def test_cellular_by_hand(push, device):
    # 125 segments of 1,000 B, 50 B of headers each: 1e6 payload bits and 50,000 header bits a message.
    # Upload 1.05e6 / 10e6 = 0.105 s at 1 W + 100 nJ/bit x 10e6 bit/s = 2 W; download 0.0525 s at 2 W.
    # First round 0.15 + 0.5 (promotion) + 0.105 = 0.755 s, then 2 x (0.15 + 0.105) s: 1.265 s in all.
    # Node 0 sends until the end of its round: gaps of 0.15 s, below the tail of 2 s; at the end all of it.
    priced = price(push, device(), "lte", samples=1)
    assert energies(priced, 0) == pytest.approx(
        {
            "compute_active": 2 * 0.45,  # (3 - 1) W x 3 x 0.15 s
            "compute_static": 1 * 0.45,
            "waiting": 1 * (1.265 - 0.45),
            "transmit": 2 * 3 * 0.1,
            "receive": 0,
            "listen": 0,
            "overhear": 0,
            "promotion": 1 * 0.5,
            "tail": 0.5 * (2 * 0.15 + 2),
            "overhead_frames": 2 * 3 * 0.005,
            "access_point": 0,
            "network": 0,
        },
        rel=1e-12,
    )
    # Node 1 is done 0.0525 s before the round ends: its gaps are 0.0525 + 0.15 s.
    receiver = energies(priced, 1)
    assert receiver["receive"] == pytest.approx(2 * 3 * 0.05, rel=1e-12)
    assert receiver["overhead_frames"] == pytest.approx(2 * 3 * 0.0025, rel=1e-12)
    assert receiver["tail"] == pytest.approx(0.5 * (2 * 0.2025 + 2), rel=1e-12)
    row = priced.per_node.iloc[0]
    assert row["total_j"] == pytest.approx(4.445, rel=1e-12)
    assert row["above_idle_j"] == pytest.approx(4.445 - 0.45 - 0.815, rel=1e-12)
    assert (row["compute_s"], row["communicate_s"], row["total_s"]) == pytest.approx(
        (0.45, 0.5 + 3 * 0.105, 1.265), rel=1e-12
    )
    assert priced.per_node["wait_s"].iloc[1] == pytest.approx(3 * 0.0525, rel=1e-12)


def test_battery_and_flight(push, device):
    # 4.445 J at the device = 8.89 J at the battery (efficiency 0.5); of 1000 J x 0.8: 1.11125 %.
    # 8.89 J / 100 W = 0.0889 s of flight.
    row = price(push, device(), "lte", samples=1).per_node.iloc[0]
    assert row["battery_percent"] == pytest.approx(1.11125, rel=1e-12)
    assert row["flight_time_lost_min"] == pytest.approx(0.0889 / 60, rel=1e-12)


def test_a_device_on_the_mains_that_does_not_fly(push, device):
    def grounded(document):
        document["battery"] = document["flight"] = None

    row = price(push, device(grounded), "lte", samples=1).to_json()["per_node"][0]
    assert row["battery_percent"] is None
    assert row["flight_time_lost_min"] is None


def test_the_radio_falls_asleep_in_a_long_gap(counts, device):
    # 3,000 launches: 3 s of computing, longer than the tail of 2 s: three promotions and three whole tails.
    run = counts(2, 3, [(r, 0, 1, 125_000) for r in range(3)], [(0, "forward", 0, 3000)])
    sender = energies(price(run, device(), "lte", samples=1), 0)
    assert sender["promotion"] == pytest.approx(3 * 0.5, rel=1e-12)
    assert sender["tail"] == pytest.approx(3 * 2 * 0.5, rel=1e-12)


def test_the_tail_is_continuous_where_the_radio_falls_asleep(counts, device):
    # 1,999 to 2,001 ms of computing about a tail of 2 s: a longer gap adds nothing, and wakes it twice more.
    rows = []
    for launches in (1999, 2000, 2001):
        run = counts(2, 3, [(r, 0, 1, 125_000) for r in range(3)], [(0, "forward", 0, launches)])
        rows.append(energies(price(run, device(), "lte", samples=1), 0))
    assert [row["tail"] for row in rows] == pytest.approx([0.5 * (2 * 1.999 + 2), 3, 3], rel=1e-12)
    assert [rows[0]["promotion"], rows[2]["promotion"]] == pytest.approx([0.5, 1.5], rel=1e-12)


def test_rounds_without_exchange_lengthen_the_gap(counts, device):
    # Exchange in rounds 0 and 3 only; gap = rounds 1 and 2 (0.15 s each) and the step of round 3: 0.45 s.
    run = counts(2, 4, [(0, 0, 1, 125_000), (3, 0, 1, 125_000)], STEP)
    sender = energies(price(run, device(), "lte", samples=1), 0)
    assert sender["tail"] == pytest.approx(0.5 * (0.45 + 2), rel=1e-12)


def test_wifi_by_hand(counts, device):
    # One frame of 1,448 B of payload and 106 B around it, VHT80 MCS 9: 1,560 bits a symbol of 3.6 us.
    # (8 x 1554 + 22) / 1560 = 7.98, so 8 symbols: frame 40 + 28.8 = 68.8 us.
    # Payload 11,584 bit at 1560 / 3.6 us = 26.7323 us; overhead 42.0677 us; acknowledgement 28 us.
    # Gaps: SIFS 16 + 3 slots 27 + mean backoff 67.5 + SIFS 16 = 126.5 us. Channel 223.3 us, twice: 446.6 us.
    run = counts(2, 1, [(0, 0, 1, 1448)])
    priced = price(run, device(), "wifi", samples=1)
    payload, frame, ack = 11_584 * 3.6 / 1560, 68.8, 28.0
    sender, receiver = energies(priced, 0), energies(priced, 1)
    micro = 1e-6
    assert sender["transmit"] == pytest.approx(2.0 * payload * micro, rel=1e-9)  # 1.5 W + 0.5 W of the host
    assert receiver["receive"] == pytest.approx(1.0 * payload * micro, rel=1e-9)
    assert sender["overhead_frames"] == pytest.approx(
        (2.0 * (frame - payload) + 1.0 * ack) * micro + 1e-4, rel=1e-9
    )
    assert receiver["overhead_frames"] == pytest.approx(
        (1.0 * (frame - payload) + 2.0 * ack) * micro, rel=1e-9
    )
    for node in (sender, receiver):
        assert node["listen"] == pytest.approx(0.4 * 2 * 126.5 * micro, rel=1e-9)
        assert node["overhear"] == pytest.approx(0.4 * (frame + ack) * micro, rel=1e-9)
        assert node["promotion"] == pytest.approx(0.08 * 0.1, rel=1e-12)
        assert node["tail"] == pytest.approx(0.2 * 0.1, rel=1e-12)
    assert priced.per_node["total_s"].iloc[0] == pytest.approx(0.08 + 446.6 * micro, rel=1e-9)


def test_without_an_access_point_a_frame_uses_the_channel_once(counts, device):
    def direct(document):
        document["radios"]["wifi"]["link"]["path"] = "direct"

    run = counts(2, 1, [(0, 0, 1, 1448)])
    priced = price(run, device(direct), "wifi", samples=1)
    assert priced.per_node["total_s"].iloc[0] == pytest.approx(0.08 + 223.3e-6, rel=1e-9)


def test_airtimes_of_a_round_add_up_and_bystanders_sleep(counts, device):
    run = counts(3, 1, [(0, 0, 1, 1448), (0, 1, 0, 1448)])
    priced = price(run, device(), "wifi", samples=1)
    assert priced.per_node["communicate_s"].iloc[0] == pytest.approx(0.08 + 2 * 446.6e-6, rel=1e-9)
    assert priced.per_node["communicate_s"].iloc[2] == 0
    bystander = energies(priced, 2)
    assert all(bystander[term] == 0 for term in TERMS if term != "waiting")


def test_a_lost_message_is_paid_by_its_sender(counts, device):
    messages = [(0, 0, 1, 1448)]
    whole, lost = (
        price(counts(2, 1, messages, lost=gone), device(), "wifi", samples=1) for gone in ([], [(0, 0, 1)])
    )
    assert energies(lost, 0) == pytest.approx(energies(whole, 0), rel=1e-12)
    assert energies(lost, 1)["receive"] == 0
    assert lost.per_node["total_s"].iloc[0] == whole.per_node["total_s"].iloc[0]


def test_the_slowest_node_sets_the_round(counts, device):
    run = counts(2, 10, (), [(0, "forward", 0, 100), (1, "forward", 0, 300)])
    priced = price(run, device(), samples=1)
    assert priced.per_node["total_s"].tolist() == pytest.approx([3.0, 3.0], rel=1e-12)
    assert priced.per_node["wait_s"].tolist() == pytest.approx([2.0, 0.0], abs=1e-12)
    assert priced.per_node["waiting_j"].tolist() == pytest.approx([2.0, 0.0], abs=1e-12)


def test_evaluation_is_ignored_by_name(counts, device):
    with_evaluation = counts(1, 1, (), [(0, "forward", 0, 100), (0, "evaluate", 10**12, 10**6)])
    without = counts(1, 1, (), [(0, "forward", 0, 100)])
    priced = price(with_evaluation, device(), samples=1)
    assert priced.ignored_actions == ["evaluate"]
    assert (
        priced.per_node["total_j"].iloc[0] == price(without, device(), samples=1).per_node["total_j"].iloc[0]
    )


def test_what_cannot_be_priced_is_an_error(push, counts, device):
    with pytest.raises(UsageError, match=r"no radio 'ble': it has lte, wifi"):
        price(push, device(), "ble")
    with pytest.raises(UsageError, match="phase 'dream'"):
        price(counts(1, 1, (), [(0, "dream", 1, 1)]), device())
    with pytest.raises(UsageError, match="samples"):
        price(push, device(), samples=0)


def test_the_shape_of_the_answer(push, device):
    priced = price(push, device(), samples=7)
    assert (priced.profile, priced.radio, priced.tier, priced.boundary) == (
        "round-numbers",
        "lte",
        "C",
        "device",
    )
    assert list(priced.terms) == ["round_start", "round_stop", "node", "term", "energy_j", "time_s"]
    assert len(priced.terms) == 2 * len(TERMS)
    assert {name: drawn.shape for name, drawn in priced.draws.items()} == dict.fromkeys(
        ("total_j", "above_idle_j", "communication_j", "time_s"), (7, 2)
    )
    by_node = priced.terms.groupby("node")["energy_j"].sum().to_numpy()
    assert np.array_equal(by_node, priced.per_node["total_j"].to_numpy())
    document = json.loads(json.dumps(priced.to_json()))
    assert set(document["per_node"][0]["energy_j"]) == {*TERMS, "total", "above_idle"}
    assert document["fleet"]["max_node_energy_j"] == max(n["energy_j"]["total"] for n in document["per_node"])


def test_assumed_inputs_are_those_that_were_used(push, device):
    def assume(document):
        for radio in ("lte", "wifi"):
            tail = document["radios"][radio]["tail"]["power"]
            tail.update(kind="assumed", high=tail["value"] * 2, source="a guess of this test")

    priced = price(push, device(assume), "lte", samples=3)
    assert priced.assumed_inputs == ["radios.lte.tail.power"]
    assert priced.sources == ["made up for a test"]


def test_a_run_without_any_message_or_step(counts, device):
    priced = price(counts(2, 5), device(), samples=3)
    assert priced.per_node["total_j"].tolist() == [0, 0]
    assert priced.per_node["total_s"].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("low", "high", "side"), [(1, 3, None), (2, 9, "below p10"), (0.1, 2, "above p90"), (2, 2, None)]
)
def test_a_one_sided_range_leaves_the_nominal_outside(push, device, low, high, side):
    def tail_power(document):
        document["radios"]["lte"]["tail"]["power"].update(value=2, low=low, high=high)

    assert price(push, device(tail_power), samples=200).nominal_outside() == side
