"""Exchanges over Wi-Fi worked by hand: one frame of 1,448 B at VHT80 MCS 9, as in `test_wifi_by_hand`.

Its payload takes 26.7323 us, the frame 68.8 us, the acknowledgement 28 us, the silences 126.5 us.
"""

import numpy as np
import pytest
import yaml

from costbench.errors import UsageError
from costbench.pricing.fleet import device_of
from costbench.pricing.price import price, price_fleet
from costbench.pricing.radio.wifi import frame_energy
from costbench.pricing.scenario import Place, Scenario
from costbench.profile import FOLDER, LINKS, check_profile
from costbench.profile.environment import load_environment
from costbench.shipped import shipped

MICRO = 1e-6
PAYLOAD, FRAME, ACK, GAPS = 11_584 * 3.6 / 1560, 68.8, 28.0, 126.5
HOP = FRAME + ACK + GAPS
PROMOTION = 0.08
ONE = [(0, 0, 1, 1448)]
#: 1448 + 106 B at 6 Mbit/s: 12,454 bits, 519 symbols of 4 us, 20 us first, and 110.5 us of silence before
BROADCAST_FRAME, BROADCAST_GAP = 2096.0, 110.5


def wifi(**changes):
    """A change of the device of round numbers: keys of its link, and of its radio."""

    def change(document):
        radio = document["radios"]["wifi"]
        for key, new in changes.items():
            section = radio if key in radio else radio["link"]
            same = {**dict.fromkeys(("value", "low", "high"), new), "kind": "derived"}
            section[key] = {**section[key], **same}

    return change


def direct(document):
    document["radios"]["wifi"]["link"]["path"] = "direct"


def another(folder, change):
    """The device that was made last, changed, as another one."""
    document = yaml.safe_load((folder / "round-numbers.yaml").read_text())
    document["id"] = "another"
    change(document)
    path = folder / "another.yaml"
    path.write_text(yaml.safe_dump(document, sort_keys=False))
    return check_profile(path)


def node(priced, number):
    return priced.per_node.iloc[number]


def channel_us(priced, number=0):
    """Time that a node communicates, without waking up [us]."""
    return (node(priced, number)["communicate_s"] - PROMOTION) / MICRO


def place(distance, environment="free-space", nodes=2):
    between = np.broadcast_to(np.asarray(distance, dtype=float), (nodes, nodes))
    return Scenario(place=Place(load_environment(environment), between))


def test_energy_of_a_measured_frame():
    # Galaxy Note 10.1, 1,500 B at 48 Mbit/s and 15 dBm: 0.70858 W x 276 us + 0.088 mJ = 0.2836 mJ
    assert frame_energy(0.70858, 276e-6, 0.088e-3) == pytest.approx(0.28357e-3, rel=1e-4)


def test_acknowledgements_of_tcp_are_frames_on_the_way_back(counts, device):
    # One segment, one acknowledgement of 106 B: 870 bits, 1 symbol, 43.6 us, answered in 28 us.
    priced = price(counts(2, 1, ONE), device(wifi(transport_ack_ratio=0.5)), "wifi", samples=1)
    reply = 43.6
    assert channel_us(priced) == pytest.approx(2 * HOP + 2 * (reply + ACK + GAPS), rel=1e-9)
    sender, receiver = node(priced, 0), node(priced, 1)
    # 2 W to send and 1 W to receive, the host included; 0.1 mJ for each aggregate sent
    sends, receives = FRAME - PAYLOAD + ACK, ACK + reply
    assert sender["overhead_frames_j"] == pytest.approx((2 * sends + receives) * MICRO + 1e-4, rel=1e-9)
    sends, receives = ACK + reply, FRAME - PAYLOAD + ACK
    assert receiver["overhead_frames_j"] == pytest.approx((2 * sends + receives) * MICRO + 1e-4, rel=1e-9)
    assert sender["transmit_j"] == pytest.approx(2 * PAYLOAD * MICRO, rel=1e-9)


def test_lost_frames_are_sent_again_after_a_longer_silence(counts, device):
    # p = 1/2 and one repetition: 1.5 tries; half the time (31 - 15) / 2 = 8 slots of 9 us more: 36 us a hop
    change = wifi(packet_error_rate=0.5, retry_limit=1)
    priced = price(counts(2, 1, ONE), device(change), "wifi", samples=1)
    assert channel_us(priced) == pytest.approx(2 * (1.5 * HOP + 36), rel=1e-9)
    assert node(priced, 0)["transmit_j"] == pytest.approx(1.5 * 2 * PAYLOAD * MICRO, rel=1e-9)
    assert node(priced, 1)["receive_j"] == pytest.approx(1.5 * 1 * PAYLOAD * MICRO, rel=1e-9)


def test_a_node_overhears_what_is_for_others_and_listens_to_silence(counts, device):
    # Node 2 takes part with a message of its own; of the messages of the others it hears four frames (two
    # hops each) and their acknowledgements.
    run = counts(4, 1, [*ONE, (0, 1, 0, 1448), (0, 2, 3, 1448)])
    priced = price(run, device(wifi(overhear_power=0.3)), "wifi", samples=1)
    # Its own: frame and acknowledgement on the first hop. The second hop to node 3 is overheard as well.
    busy, own = 6 * (FRAME + ACK), FRAME + ACK
    assert node(priced, 2)["overhear_j"] == pytest.approx(0.3 * (busy - own) * MICRO, rel=1e-9)
    assert node(priced, 2)["listen_j"] == pytest.approx(0.4 * 6 * GAPS * MICRO, rel=1e-9)


def test_with_power_save_a_radio_sleeps_through_what_is_not_its_own(counts, device):
    run = counts(4, 1, [*ONE, (0, 2, 3, 1448)])
    saving = price(run, device(), "wifi", samples=1, scenario=Scenario(power_save=True))
    awake = price(run, device(), "wifi", samples=1)
    same = ["transmit_j", "receive_j", "overhead_frames_j", "promotion_j", "tail_j", "total_s"]
    assert saving.per_node[same].equals(awake.per_node[same])
    quiet = [saving.per_node[term] for term in ("listen_j", "overhear_j")]
    loud = [awake.per_node[term] for term in ("listen_j", "overhear_j")]
    assert (sum(quiet) < 0.5 * sum(loud)).all()
    # Asleep at 10 mW while the other pair has the channel: 2 x 96.8 us busy, and its own second hop
    assert node(saving, 0)["overhear_j"] == pytest.approx(0.01 * 3 * (FRAME + ACK) * MICRO, rel=1e-9)
    # It senses the channel before its own frame and until it is answered; a receiver waits for nothing
    assert node(saving, 0)["listen_j"] == pytest.approx((0.4 + 3 * 0.01) * GAPS * MICRO, rel=1e-9)
    assert node(saving, 1)["listen_j"] == pytest.approx(4 * 0.01 * GAPS * MICRO, rel=1e-9)


def test_with_power_save_a_sender_hears_the_longer_silence_of_a_repeated_frame(counts, device):
    change = wifi(packet_error_rate=0.5, retry_limit=1)
    priced = price(counts(2, 1, ONE), device(change), "wifi", 1, scenario=Scenario(power_save=True))
    sensed, silent = 1.5 * GAPS + 36, 2 * (1.5 * GAPS + 36)
    assert node(priced, 0)["listen_j"] == pytest.approx(
        (0.4 * sensed + 0.01 * (silent - sensed)) * MICRO, rel=1e-9
    )


def test_a_broadcast_from_device_to_device_goes_out_once(counts, device):
    run = counts(3, 1, [*ONE, (0, 0, 2, 1448)])
    priced = price(run, device(direct), "wifi", samples=1, scenario=Scenario(cast="broadcast"))
    assert channel_us(priced) == pytest.approx(BROADCAST_FRAME + BROADCAST_GAP, rel=1e-9)
    payload = 11_584 / 6
    assert node(priced, 0)["transmit_j"] == pytest.approx(2 * payload * MICRO, rel=1e-9)
    for receiver in (1, 2):
        assert node(priced, receiver)["receive_j"] == pytest.approx(payload * MICRO, rel=1e-9)
        assert node(priced, receiver)["overhear_j"] == pytest.approx(0, abs=1e-15)


def test_an_access_point_takes_a_broadcast_once_and_sends_it_once(counts, device):
    run = counts(3, 1, [*ONE, (0, 0, 2, 1448)])
    priced = price(run, device(), "wifi", samples=1, scenario=Scenario(cast="broadcast"))
    assert channel_us(priced) == pytest.approx(HOP + BROADCAST_FRAME + BROADCAST_GAP, rel=1e-9)
    assert node(priced, 0)["transmit_j"] == pytest.approx(2 * PAYLOAD * MICRO, rel=1e-9)


def test_an_access_point_sends_a_broadcast_once_in_every_domain_that_has_receivers(counts, device):
    run = counts(6, 1, [*ONE, (0, 0, 2, 1448), (0, 0, 3, 1448)])
    scenario = Scenario(
        cast="broadcast", boundary="device+access-point", domain_of_node=np.array([0, 0, 1, 1, 2, 2])
    )
    priced = price(run, device(), "wifi", samples=1, scenario=scenario)
    once = BROADCAST_FRAME + BROADCAST_GAP
    assert channel_us(priced, 0) == channel_us(priced, 1) == pytest.approx(HOP + once, rel=1e-9)
    assert channel_us(priced, 2) == channel_us(priced, 3) == pytest.approx(once, rel=1e-9)
    assert priced.per_node["communicate_s"].iloc[4] == 0
    for receiver in (2, 3):
        assert node(priced, receiver)["overhear_j"] == pytest.approx(0, abs=1e-15)
    # The sender accounts for one reception of the access point and for two of its broadcasts
    seconds = priced.terms.query("term == 'access_point'").set_index("node")["time_s"]
    assert seconds[0] == pytest.approx((FRAME + 2 * BROADCAST_FRAME) * MICRO, rel=1e-9)
    assert (seconds[1:] == 0).all()


def test_contents_that_differ_are_not_one_broadcast(counts, device):
    run = counts(3, 1, [*ONE, (0, 0, 2, 1448)])
    run.messages["content"] = [0, 1]
    priced = price(run, device(direct), "wifi", samples=1, scenario=Scenario(cast="broadcast"))
    assert channel_us(priced) == pytest.approx(2 * (BROADCAST_FRAME + BROADCAST_GAP), rel=1e-9)


def test_a_broadcast_over_several_distances_goes_out_once(counts, device):
    run = counts(3, 1, [*ONE, (0, 0, 2, 1448)])
    between = [[1, 5, 60], [5, 1, 60], [60, 60, 1]]
    scenario = Scenario(
        cast="broadcast", place=Place(load_environment("free-space"), np.array(between, float))
    )
    priced = price(run, device(direct), "wifi", samples=1, scenario=scenario)
    assert channel_us(priced) == pytest.approx(BROADCAST_FRAME + BROADCAST_GAP, rel=1e-9)


def test_domains_have_their_own_channels(counts, device):
    run = counts(4, 1, [*ONE, (0, 2, 3, 1448)])
    apart = Scenario(domain_of_node=np.array([0, 0, 1, 1]))
    together = price(run, device(), "wifi", samples=1)
    assert channel_us(together) == pytest.approx(4 * HOP, rel=1e-9)
    assert channel_us(price(run, device(), "wifi", samples=1, scenario=apart)) == pytest.approx(
        2 * HOP, rel=1e-9
    )


def test_between_domains_each_hop_uses_one_channel(counts, device):
    between = Scenario(domain_of_node=np.array([0, 1]))
    priced = price(counts(2, 1, ONE), device(), "wifi", samples=1, scenario=between)
    assert [channel_us(priced, n) for n in (0, 1)] == pytest.approx([HOP, HOP], rel=1e-9)


def test_beyond_the_device_the_access_point_is_paid_too(counts, device):
    # 2 W to forward and 1 W to receive, each for one frame of 68.8 us
    run = counts(2, 1, ONE)
    own, both = (
        price(run, device(), "wifi", samples=1, scenario=Scenario(boundary=boundary))
        for boundary in ("device", "device+access-point")
    )
    assert own.per_node["access_point_j"].sum() == 0
    assert both.per_node["access_point_j"].sum() == pytest.approx((2 + 1) * FRAME * MICRO, rel=1e-9)
    # It hears a broadcast once, at MCS 9, and sends it on once at the basic rate
    once = Scenario(cast="broadcast", boundary="device+access-point")
    spread = price(run, device(), "wifi", samples=1, scenario=once)
    heard_and_sent = (1 * FRAME + 2 * BROADCAST_FRAME) * MICRO
    assert spread.per_node["access_point_j"].sum() == pytest.approx(heard_and_sent, rel=1e-9)
    ad_hoc = price(run, device(direct), "wifi", samples=1, scenario=Scenario(boundary="device+access-point"))
    assert ad_hoc.per_node["access_point_j"].sum() == 0


def test_a_message_goes_out_with_the_link_of_its_sender(counts, device, tmp_path):
    # At MCS 0 (117 bits a symbol) the frame has 107 symbols: 40 + 385.2 us.
    quick = device(direct)
    slow = another(tmp_path, wifi(mcs=0))
    devices = [device_of(quick, "wifi"), device_of(slow, "wifi")]
    there, back = (
        price_fleet(counts(2, 1, [message]), devices, 1, 0, Scenario())
        for message in ((0, 0, 1, 1448), (0, 1, 0, 1448))
    )
    assert channel_us(there) == pytest.approx(HOP, rel=1e-9)
    assert channel_us(back) == pytest.approx(HOP - FRAME + 425.2, rel=1e-9)


def test_links_of_different_paths_cannot_talk(counts, device, tmp_path):
    devices = [device_of(device(), "wifi"), device_of(another(tmp_path, direct), "wifi")]
    with pytest.raises(UsageError, match="cannot talk to one another"):
        price_fleet(counts(2, 1, ONE), devices, 1, 0, Scenario())


def test_a_mode_that_the_standard_lacks_is_no_price(counts, device):
    change = wifi(bandwidth=20, mcs=9)
    with pytest.raises(UsageError, match=r"radios.wifi.link: vht has no MCS 9 with 1 streams at 20 MHz"):
        price(counts(2, 1, ONE), device(change), "wifi", samples=1)


def test_the_modulation_follows_from_the_distance(counts, device):
    # 20 dBm less 47.25 dB over 1 m at 5.5 GHz leaves -27.2 dBm: MCS 9. Over 200 m free space takes 93.3 dB:
    # -73.3 dBm, with a margin of 5 dB as good as -68.3: MCS 2 needs -71 and MCS 3 -68.
    change = wifi(output_power=20, sensitivity_margin=5, frequency=5500)
    near, far = (
        price(counts(2, 1, ONE), device(change), "wifi", samples=1, scenario=place(distance))
        for distance in (1, 200)
    )
    assert channel_us(near) == pytest.approx(2 * HOP, rel=1e-9)
    # MCS 2: 234 x 2 x 3/4 = 351 bits; 12,454 bits are 36 symbols of 3.6 us: 169.6 us
    assert channel_us(far) == pytest.approx(2 * (HOP - FRAME + 169.6), rel=1e-9)


def test_a_link_beyond_reach_is_no_price(counts, device):
    # MCS 0 needs -76 - 5 = -81 dBm; at 1 km free space leaves 20 - 107.3 = -87.3 dBm
    change = wifi(output_power=20, sensitivity_margin=5, frequency=5500)
    with pytest.raises(
        UsageError, match=r"1000 m is beyond the reach .* -87\.3 dBm; allowed: at least -81\.0 dBm"
    ):
        price(counts(2, 1, ONE), device(change), "wifi", samples=1, scenario=place(1000))


def test_sensitivities_are_those_of_the_standard_at_the_bandwidth():
    # IEEE Std 802.11-2020, Table 21-25: 3 dB more for each doubling of the width
    at_20 = [-82, -79, -77, -74, -70, -66, -65, -64, -59, -57, -54, -52]
    for path in sorted((shipped(FOLDER) / LINKS).glob("*.yaml")):
        link = yaml.safe_load(path.read_text())
        if link["standard"] == "legacy":
            continue
        more = 3 * np.log2(link["bandwidth"]["value"] / 20)
        found = link["sensitivity"]["values"]
        assert found == [level + more for level in at_20[: len(found)]], path.stem
