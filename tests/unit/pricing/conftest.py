"""A device of round numbers, and counts of small runs, so that prices can be worked by hand."""

from __future__ import annotations

import pandas as pd
import pytest
import yaml

from costbench.pricing.counts import Counts
from costbench.profile import FOLDER, HardwareProfile, check_profile
from costbench.shipped import shipped


def number(value, unit, low=None, high=None, kind="derived"):
    return {
        "value": value,
        "low": value if low is None else low,
        "high": value if high is None else high,
        "unit": unit,
        "source": "made up for a test",
        "kind": kind,
    }


def state(duration, power):
    return {"duration": number(duration, "s"), "power": number(power, "W")}


def direction(rate, slope):
    return {
        "rate": number(rate, "Mbps"),
        "base_power": number(1, "W"),
        "slope": number(slope, "mW/Mbps"),
        "fitted_from": number(1, "Mbps"),
        "fitted_to": number(25, "Mbps"),
    }


def document():
    link = yaml.safe_load((shipped(FOLDER) / "links" / "vht80-access-point.yaml").read_text())
    link["mcs"] = number(9, "count")
    link["packet_error_rate"] = link["transport_ack_ratio"] = number(0, "-")
    link["access_point"] = {"transmit_power": number(2, "W"), "receive_power": number(1, "W")}
    return {
        "id": "round-numbers",
        "title": "A device of round numbers",
        "kind": "drone",
        "battery": {"energy": number(1000, "J"), "usable_fraction": number(0.8, "-")},
        "supply": {"efficiency": number(0.5, "-")},
        "idle": {"power": number(1, "W")},
        "compute": {
            "peak_rate": number(100, "GFLOP/s"),
            "rate_utilisation": number(0.5, "-"),
            "memory_bandwidth": number(10, "GB/s"),
            "bandwidth_utilisation": number(0.5, "-"),
            "launch_time": number(1, "ms"),
            "step_time": number(0, "s"),
            "power": {"model": "constant", "train_power": number(3, "W")},
            "clock": None,
        },
        "radios": {
            "lte": {
                "model": "cellular",
                "uplink": direction(10, 100),
                "downlink": direction(20, 50),
                "promotion": state(0.5, 1),
                "tail": state(2, 0.5),
                "mtu": number(1050, "B"),
                "ip_header": number(20, "B"),
                "transport_header": number(30, "B"),
                "transport_ack_ratio": number(0, "-"),
                "base_station_energy": number(1000, "nJ/bit"),
                "network_energy": number(200, "nJ/bit"),
            },
            "wifi": {
                "model": "wifi-airtime",
                "link": link,
                "transmit_power": number(1.5, "W"),
                "receive_power": number(0.5, "W"),
                "listen_power": number(0.4, "W"),
                "overhear_power": number(0.4, "W"),
                "sleep_power": number(0.01, "W"),
                "output_power": number(20, "dBm"),
                "host_power": number(0.5, "W"),
                "aggregate_energy": number(0.1, "mJ"),
                "promotion": state(0.08, 0.1),
                "tail": state(0.2, 0.1),
            },
        },
        "flight": {
            "mean_power": number(100, "W"),
            "takeoff_mass": number(1, "kg"),
            "companion_mass": number(0.21, "kg"),
            "induced_share": number(0.5, "-"),
        },
    }


@pytest.fixture
def device(tmp_path):
    """Profile of round numbers; `device(lambda document: ...)` changes it first."""

    def made(change=None) -> HardwareProfile:
        content = document()
        if change is not None:
            change(content)
        path = tmp_path / "round-numbers.yaml"
        path.write_text(yaml.safe_dump(content, sort_keys=False))
        return check_profile(path)

    return made


@pytest.fixture
def counts():
    """Counts of a run from (round, sender, receiver, bytes) and (node, phase, flop, launches) rows."""

    def made(nodes, rounds, messages=(), compute=(), lost=()) -> Counts:
        rows = [
            {"round": r, "sender": s, "receiver": t, "content": 0, "elements": b // 4, "value_bits": 8 * b}
            | {"index_bits": 0, "side_bits": 0, "padding_bits": 0, "header_bits": 0}
            | {"delivered": (r, s, t) not in lost}
            for r, s, t, b in messages
        ]
        work = [
            {"round_start": 0, "round_stop": rounds, "node": n, "phase": p, "dtype": "float32", "flop": f}
            | {"bytes_read": 0, "bytes_written": 0, "launches": k}
            for n, p, f, k in compute
        ]
        return Counts("0123456789ab", "small", nodes, rounds, table(rows, MESSAGES), table(work, COMPUTE))

    return made


MESSAGES = ["round", "sender", "receiver", "content", "elements", "value_bits", "index_bits", "side_bits"]
MESSAGES += ["padding_bits", "header_bits", "delivered"]
COMPUTE = ["round_start", "round_stop", "node", "phase", "dtype", "flop", "bytes_read", "bytes_written"]
COMPUTE += ["launches"]


def table(rows, columns):
    frame = pd.DataFrame(rows, columns=columns)
    kinds = {"delivered": bool, "phase": object, "dtype": object}
    return frame.astype({column: kinds.get(column, "int64") for column in columns})
