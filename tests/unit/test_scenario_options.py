"""The options of `price` and `report` that say how devices exchange, and those that do not go together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from costbench.cli.scenarios import Request
from costbench.cli.targets import parse_targets
from costbench.errors import UsageError
from costbench.pricing.counts import Counts
from costbench.pricing.price import price_fleet

DEFAULTS = {
    "profile": "phone",
    "samples": 4,
    "runs": Path("runs"),
    "sync": "barrier",
    "cast": "unicast",
    "power_save": False,
    "boundary": "device",
    "distance": None,
    "positions": False,
    "altitude": None,
    "environment": None,
    "domains": 1,
    "carbon": None,
    "compatibility": None,
}


@pytest.fixture
def run():
    """Two nodes that exchange a message of 10 kB each in every one of two rounds, 30 m apart."""
    rows = [(r, s, 1 - s, 0, 2500, 80_000, 0, 0, 0, 0, True) for r in range(2) for s in range(2)]
    names = "round sender receiver content elements value_bits index_bits side_bits padding_bits header_bits"
    messages = pd.DataFrame(rows, columns=[*names.split(), "delivered"])
    work = [(0, 2, n, "optimizer", "float32", 10**8, 10**6, 10**6, 10) for n in range(2)]
    columns = [
        *["round_start", "round_stop", "node", "phase", "dtype"],
        *["flop", "bytes_read", "bytes_written", "launches"],
    ]
    compute = pd.DataFrame(work, columns=columns)
    places = np.array([[0.0, 0.0], [18.0, 24.0]])
    return Counts("0123456789ab", "two", 2, 2, messages, compute, places, 2500, 8)


def scenario(run, **options):
    return Request(**{**DEFAULTS, **options}).scenario(run)


def test_the_defaults_are_what_profiles_say(run):
    found = scenario(run).to_json()
    assert (found["cast"], found["sync"]) == ("unicast", "barrier")
    assert found["environment"] is found["carbon_g_per_kwh"] is found["compatibility"] is None
    assert found["collision_domains"] == 1


def test_places(run):
    by_distance = scenario(run, environment="indoor-los", distance=12.0).place
    assert by_distance.distance[0, 1] == 12
    by_position = scenario(run, environment="free-space", positions=True).place
    assert by_position.distance[0, 1] == pytest.approx(30)
    above = scenario(run, environment="air-to-ground-urban", distance=12.0, altitude=40.0).place
    assert above.altitude == 40


def test_domains_and_carbon(run):
    assert scenario(run, domains=2).domain_of_node.tolist() == [0, 1]
    exact, ranged = (scenario(run, carbon=text).carbon for text in ("300", "200:300:500"))
    assert (exact.low, exact.value, exact.high) == (300, 300, 300)
    assert (ranged.low, ranged.value, ranged.high) == (200, 300, 500)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sync": "gossip"}, "--sync gossip: found 'gossip'; allowed: barrier, neighbourhood"),
        ({"cast": "anycast"}, "allowed: unicast, broadcast"),
        ({"boundary": "planet"}, "allowed: device, device+access-point, end-to-end"),
        ({"distance": 10.0}, "--distance needs --environment: a YAML file or one of air-to-ground"),
        ({"positions": True}, "--positions needs --environment"),
        ({"altitude": 10.0}, "--altitude needs --environment"),
        ({"environment": "moon", "distance": 1.0}, "no environment 'moon': give a YAML file or one of"),
        ({"environment": "urban"}, "needs either --distance METRES or --positions"),
        ({"environment": "urban", "distance": 1.0, "positions": True}, "needs either --distance METRES or"),
        ({"environment": "urban", "distance": 1.0, "altitude": 9.0}, "--environment urban has no --altitude"),
        ({"environment": "air-to-ground-urban", "distance": 1.0}, "needs --altitude METRES"),
        ({"environment": "urban", "distance": 0.0}, "--distance 0: a finite number above 0 is needed"),
        ({"environment": "urban", "distance": float("inf")}, "a finite number above 0 is needed"),
        ({"domains": 3}, "--domains 3: from 1 to the 2 nodes of the run"),
        ({"carbon": "much"}, "--carbon much: found 'much'; allowed: grams a kWh"),
        ({"carbon": "1:2"}, "as VALUE or LOW:VALUE:HIGH"),
        ({"compatibility": "skiptrain/nokia"}, "allowed: skiptrain/xiaomi-12-pro"),
    ],
)
def test_options_that_do_not_go_together(run, options, words):
    with pytest.raises(UsageError) as caught:
        scenario(run, **options)
    assert words in str(caught.value)


@pytest.mark.parametrize("text", ["300:200:500", "-1", "nan"])
def test_carbon_that_is_no_intensity(run, text):
    with pytest.raises(UsageError, match=f"--carbon {text}: .*found .*; allowed: "):
        scenario(run, carbon=text)


def test_a_run_without_positions(run):
    nowhere = Counts(**{**vars(run), "positions_m": None})
    with pytest.raises(UsageError, match="only the topology geometric records them"):
        scenario(nowhere, environment="urban", positions=True)


def test_a_link_beyond_reach_names_distance_and_reach(run):
    devices = parse_targets("phone/wifi")[0].devices(2)
    far = scenario(run, environment="urban", distance=900.0)
    with pytest.raises(
        UsageError, match=r"900 m is beyond the reach of phone/wifi: found -\d+.* dBm; allowed: at"
    ):
        price_fleet(run, devices, 4, 0, far)


def test_farther_costs_more(run):
    devices = parse_targets("phone/wifi")[0].devices(2)
    near, far = (
        price_fleet(run, devices, 4, 0, scenario(run, environment="indoor-los", distance=metres))
        for metres in (2.0, 60.0)
    )
    assert far.per_node["communicate_s"].sum() > near.per_node["communicate_s"].sum()
    assert {"indoor-los"} <= {entry.profile for entry in far.inputs}


def test_targets():
    one, other, mixed = parse_targets("phone/lte, jetson-orin-nano@MAXN_SUPER/wifi, phone*1+drone*2")
    assert [(d.name, d.radio) for d in one.devices(2)] == [("phone", "lte")] * 2
    assert other.devices(1)[0].name == "jetson-orin-nano@MAXN_SUPER"
    assert [device.name for device in mixed.devices(3)] == ["phone", "drone", "drone"]
    with pytest.raises(UsageError, match="a fleet of 3 devices for a run of 4 nodes"):
        mixed.devices(4)
