"""Bluetooth Low Energy, IEEE 802.15.4, LoRa and an energy a bit, by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from costbench.errors import UsageError
from costbench.pricing.price import price
from costbench.pricing.radio.ble import BlePacket, goodput, packet_cycle
from costbench.pricing.radio.cellular import state_energy, transfer_power
from costbench.pricing.radio.ieee802154 import Ieee802154Frame, frame_airtime
from costbench.pricing.radio.lora import LoraFrame, lora_airtime
from costbench.pricing.scenario import Scenario
from costbench.profile import load_profile

BROADCAST = Scenario(cast="broadcast")
LE_1M = BlePacket(1e6, 1, 4, 2, 4, 3, 251, 7, 150e-6)
FRAME = Ieee802154Frame(250e3, 6, 127, 9, 2, 5, 5, 192e-6, 640e-6)
LORA = LoraFrame(7, 125e3, 1, 8, 1, 0, 255, 13, 0.01)


def joules(priced, node):
    row = priced.per_node.iloc[node]
    return {name.removesuffix("_j"): row[name] for name in row.index if name.endswith("_j")}


def test_a_bluetooth_cycle():
    # 8 x (1 + 4 + 2 + 27 + 4 + 3) = 328 us, 150, an empty packet of 80, 150 us
    assert packet_cycle(27, LE_1M) == pytest.approx(708e-6, rel=1e-12)
    # 244 B in 8 x (1 + 4 + 2 + 251 + 4 + 3) + 380 = 2500 us
    assert goodput(LE_1M) == pytest.approx(8 * 244 / 2500e-6, rel=1e-12)


def test_a_message_over_bluetooth_in_events(counts):
    phone = load_profile("phone")
    # 2440 B are ten packets of 244 B: two events of four packets, 30 ms each, and two packets of 2.5 ms.
    row = price(counts(2, 1, [(0, 0, 1, 2440)]), phone, "ble", samples=1)
    assert row.per_node["total_s"].iloc[0] == pytest.approx(2 * 30e-3 + 2 * 2.5e-3, rel=1e-9)
    sender, receiver = joules(row, 0), joules(row, 1)
    # 2440 x 8 us on the air at 23.1 + 100 mW of processor; received at 29.7 + 100 mW
    assert sender["transmit"] == pytest.approx(19_520e-6 * 0.1231, rel=1e-9)
    assert receiver["receive"] == pytest.approx(19_520e-6 * 0.1297, rel=1e-9)
    # Ten times 21 B of headers, 168 us, sent and ten empty packets of 80 us received; the other way there.
    assert sender["overhead_frames"] == pytest.approx(1680e-6 * 0.1231 + 800e-6 * 0.1297, rel=1e-9)
    assert receiver["overhead_frames"] == pytest.approx(1680e-6 * 0.1297 + 800e-6 * 0.1231, rel=1e-9)
    # Spaces of 20 x 150 us awake, and what is left of 65 ms asleep at 0.033 mW, the processor on throughout.
    left = 65e-3 - 19_520e-6 - 1680e-6 - 800e-6 - 3e-3
    assert sender["listen"] == pytest.approx(3e-3 * 0.1297 + left * 0.100033, rel=1e-6)
    assert sender["promotion"] == sender["tail"] == sender["overhear"] == 0


def test_what_bluetooth_and_cellular_cannot_do(counts):
    for radio in ("ble", "lte"):
        with pytest.raises(UsageError, match=r"--cast broadcast.*unicast"):
            price(counts(2, 1, [(0, 0, 1, 8)]), load_profile("phone"), radio, samples=1, scenario=BROADCAST)


def test_a_frame_of_ieee_802_15_4():
    # 111 B fit a frame of 127 B. 8 x (6 + 127) / 250 kbit/s = 4.256 ms, of which 111 B are 3.552 ms.
    air = frame_airtime(np.array([111]), FRAME, 1.12e-3, True)
    assert air.payload[0, 0] == pytest.approx(3.552e-3, rel=1e-12)
    assert air.frames[0, 0] == pytest.approx(4.256e-3, rel=1e-12)
    assert air.control[0, 0] == pytest.approx(352e-6, rel=1e-12)  # 8 x 11 / 250 kbit/s
    assert air.gaps[0, 0] == pytest.approx(1.12e-3 + 0.64e-3 + 0.192e-3, rel=1e-12)
    # 135 kbit/s of goodput
    assert 8 * 111 / air.channel[0, 0] == pytest.approx(135_366, rel=1e-3)
    without_answer = frame_airtime(np.array([0, 112]), FRAME, 1.12e-3, False)
    assert without_answer.control.tolist() == [[0, 0]]
    assert without_answer.aggregates.tolist() == [[0, 2]]


def test_broadcast_over_ieee_802_15_4_is_sent_once(counts):
    board = load_profile("raspberry-pi-4")
    run = counts(3, 1, [(0, 0, 1, 111), (0, 0, 2, 111)])
    each, once = (price(run, board, "ieee802154", 1, scenario=s) for s in (Scenario(), BROADCAST))
    tries = (1 - 0.02**4) / (1 - 0.02)
    assert joules(once, 0)["transmit"] == pytest.approx(joules(each, 0)["transmit"] / 2 / tries, rel=1e-9)
    for node in (1, 2):
        assert joules(once, node)["receive"] == pytest.approx(joules(each, node)["receive"] / tries, rel=1e-9)
    assert once.per_node["total_s"].iloc[0] < each.per_node["total_s"].iloc[0]


def test_airtime_of_lora():
    # SF7, 125 kHz: a symbol is 1.024 ms; ceil((160 - 28 + 28 + 16) / 28) = 7 blocks of 5, and 8: 43 symbols;
    # (8 + 4.25 + 43) x 1.024 ms = 56.576 ms, the figure of Semtech's calculator.
    assert lora_airtime(20, LORA) == pytest.approx(56.576e-3, rel=1e-12)
    # SF12: a symbol of 32.768 ms asks for low data rate optimisation: 10 bits a symbol.
    slow = replace(LORA, spreading_factor=12)
    # ceil((160 - 48 + 28 + 16) / 40) = 4 blocks of 5, and 8: 28 symbols and 12.25 of preamble
    assert lora_airtime(20, slow) == pytest.approx(40.25 * 32.768e-3, rel=1e-12)
    with pytest.raises(ValueError, match="255"):
        lora_airtime(256, LORA)


def test_a_model_over_lora_is_called_impractical(counts):
    board = load_profile("raspberry-pi-4")
    small = price(counts(2, 1, [(0, 0, 1, 20)]), board, "lora", samples=1)
    assert small.notes == []
    # 33 B with the frame's header: ceil((264 - 28 + 28 + 16) / 28) = 10 blocks: 58 symbols and 12.25
    assert small.per_node["total_s"].iloc[0] == pytest.approx(70.25 * 1.024e-3 / 0.01, rel=1e-9)
    large = price(counts(2, 1, [(0, 0, 1, 1_000_000)]), board, "lora", samples=1)
    assert large.notes[0].startswith("a model exchange over LoRa is impractical: one round takes")
    assert large.per_node["total_s"].iloc[0] > 3600


def test_a_fixed_energy_a_bit(counts):
    # 1 Mbit at 20 uJ: 20 J at the sender, nothing at the receiver, 0.1 s at 10 Mbit/s.
    row = price(counts(2, 1, [(0, 0, 1, 125_000)]), load_profile("phone"), "per-bit", samples=1)
    assert joules(row, 0)["transmit"] == pytest.approx(20.0, rel=1e-12)
    assert joules(row, 1)["receive"] == 0
    assert row.per_node["total_s"].iloc[0] == pytest.approx(0.1, rel=1e-12)


def test_a_fixed_energy_a_bit_is_broadcast_once(counts):
    run = counts(3, 1, [(0, 0, 1, 125_000), (0, 0, 2, 125_000)])
    phone = load_profile("phone")
    assert joules(price(run, phone, "per-bit", 1, scenario=BROADCAST), 0)["transmit"] == pytest.approx(20.0)
    assert joules(price(run, phone, "per-bit", 1), 0)["transmit"] == pytest.approx(40.0)


def test_cellular_acknowledgements_go_the_other_way(counts, device):
    def half(document):
        document["radios"]["lte"]["transport_ack_ratio"].update(value=0.5, low=0.5, high=0.5)

    run = counts(2, 1, [(0, 0, 1, 125_000)])
    without, with_acks = price(run, device(), "lte", 1), price(run, device(half), "lte", 1)
    # 125 segments: 62.5 acknowledgements of 50 B = 25,000 bit, down at 20 and up at 10 Mbit/s, both at 2 W
    assert joules(with_acks, 0)["overhead_frames"] - joules(without, 0)["overhead_frames"] == pytest.approx(
        2 * 25_000 / 20e6
    )
    assert joules(with_acks, 1)["overhead_frames"] - joules(without, 1)["overhead_frames"] == pytest.approx(
        2 * 25_000 / 10e6
    )


def test_base_stations_and_networks_are_paid_only_beyond_the_device(counts, device):
    run = counts(2, 1, [(0, 0, 1, 125_000)])
    bits = 1e6 + 125 * 50 * 8
    found = {
        boundary: price(run, device(), "lte", 1, scenario=Scenario(boundary=boundary))
        for boundary in ("device", "device+access-point", "end-to-end")
    }
    infrastructure = {
        boundary: (joules(row, 0)["access_point"], joules(row, 0)["network"])
        for boundary, row in found.items()
    }
    assert infrastructure["device"] == (0, 0)
    assert infrastructure["device+access-point"] == pytest.approx((1e-6 * bits, 0))
    assert infrastructure["end-to-end"] == pytest.approx((1e-6 * bits, 0.2e-6 * bits))
    # The battery pays for the device alone.
    assert len({row.per_node["battery_percent"].iloc[0] for row in found.values()}) == 1
    assert found["end-to-end"].per_node["total_j"].iloc[0] > found["device"].per_node["total_j"].iloc[0]


def test_energy_of_states():
    assert state_energy([0.2601, 11.576], [1.2107, 1.06]) == pytest.approx(0.31490 + 12.27056, rel=1e-5)


def test_a_rate_outside_its_fit_is_not_extrapolated():
    assert transfer_power([1e6, 2e6], 1.0, 1e-7, 1e6, 2e6).tolist() == [1.1, 1.2]
    with pytest.raises(ValueError, match="outside the fit"):
        transfer_power([3e6], 1.0, 1e-7, 1e6, 2e6)
