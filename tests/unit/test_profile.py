"""Profiles from YAML: what is refused, in which words, and how everything that is wrong is named."""

import copy

import pytest
import yaml

from costbench.errors import InputError, UsageError
from costbench.profile import FOLDER, check_profile, list_profiles, load_profile
from costbench.profile.checking import faults, standing
from costbench.profile.differences import differences, entries
from costbench.profile.flight import load_airframe
from costbench.shipped import shipped

PROFILE_IDS = ["drone", "drone-mini", "jetson-agx-orin", "jetson-nano", "jetson-orin-nano", "jetson-orin-nx"]
PROFILE_IDS += ["jetson-xavier-nx", "phone", "phone-midrange", "raspberry-pi-4", "raspberry-pi-5"]


def shipped_document(profile_id):
    return yaml.safe_load((shipped(FOLDER) / f"{profile_id}.yaml").read_text())


def with_own_radio(document, name):
    """The document with the content of the shipped radio in place of its name."""
    radio = yaml.safe_load((shipped(FOLDER) / "radios" / f"{document['radios'][name]}.yaml").read_text())
    document["radios"][name] = radio
    return document


@pytest.fixture
def document():
    return with_own_radio(shipped_document("jetson-nano"), "wifi")


@pytest.fixture
def write(tmp_path):
    def written(content):
        path = tmp_path / "mine.yaml"
        path.write_text(content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False))
        return path

    return written


def changed(document, path, entry):
    """A copy in which something else stands at a dotted key; without the key for None."""
    mine = copy.deepcopy(document)
    *parents, leaf = path.split(".")
    here = mine
    for parent in parents:
        here = here[parent]
    if entry is None:
        del here[leaf]
    else:
        here[leaf] = entry
    return mine


def test_the_shipped_profiles():
    assert list_profiles() == PROFILE_IDS
    phone = load_profile("phone")
    assert {"wifi", "lte", "lte-2012", "nr-low", "nr-mmwave", "ble", "per-bit"} <= set(phone.radios)
    assert all(load_profile(one).default_radio == "wifi" for one in PROFILE_IDS)
    assert all("per-bit" in load_profile(one).radios for one in PROFILE_IDS)
    assert [one for one in PROFILE_IDS if load_profile(one).flight] == ["drone", "drone-mini"]
    assert load_profile("jetson-orin-nano").modes == ("15W", "MAXN_SUPER")
    assert load_profile("jetson-orin-nx").modes == ("25W", "40W", "MAXN_SUPER")


def test_every_model_of_power_is_used_by_a_shipped_profile():
    models = {load_profile(one).compute.power.model for one in PROFILE_IDS}
    assert models == {"constant", "roofline", "cpu-table"}


@pytest.mark.parametrize(("drone", "airframe"), [("drone", "mavic-2"), ("drone-mini", "mavic-mini")])
def test_drones_fly_as_long_as_the_makers_say(drone, airframe):
    profile, craft = load_profile(drone), load_airframe(airframe)
    assert profile.battery.energy.si == craft.battery.si
    assert profile.flight.takeoff_mass.si == pytest.approx(craft.takeoff_mass.si, rel=1e-12)
    mean = craft.battery.si / craft.flight_time.si
    assert profile.flight.mean_power.si == pytest.approx(mean, rel=2e-3)


def test_shipped_folders():
    assert (shipped(FOLDER) / "README.md").is_file()
    with pytest.raises(InputError, match="no such folder"):
        shipped("no-such-folder")


def test_numbers_by_dotted_key():
    numbers = load_profile("phone").numbers()
    assert numbers["radios.lte.uplink.slope"].si == pytest.approx(80.21e-9, rel=1e-15)
    assert numbers["radios.wifi.link.mtu"].si == 1500
    assert "flight.mean_power" not in numbers


def test_places_follow_radios_and_links_into_their_files():
    places = load_profile("phone").places()
    lines = (shipped(FOLDER) / "phone.yaml").read_text().splitlines()
    file, line = places["idle.power"].split(":")
    assert file == "phone.yaml"
    assert lines[int(line) - 1].strip() == "power:"
    assert places["radios.lte.uplink.slope"].startswith("lte.yaml:")
    assert places["radios.wifi.link.mtu"].startswith("vht80-access-point.yaml:")


def test_an_unknown_id_lists_the_known_ones():
    with pytest.raises(UsageError, match=r"no profile 'fone'.*jetson-nano.*phone"):
        load_profile("fone")


def test_a_missing_file(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        load_profile(tmp_path / "none.yaml")


def test_a_profile_of_ones_own(write, document):
    mine = changed(changed(document, "id", "mine"), "idle.power.value", 2.6)
    assert check_profile(write(mine)).idle.power.si == 2.6


BAD = [
    ("idle.power.unit", "J", ["idle.power.unit", "'J'", "W, mW"]),
    ("idle.power.low", 9.0, ["idle.power.low", "9.0", "at most the value 2.5"]),
    ("idle.power.low", -1.0, ["idle.power.low", "-1.0", "at least 0"]),
    ("idle.power.value", float("nan"), ["idle.power.value", "nan", "finite"]),
    ("idle.power.high", float("inf"), ["idle.power.high", "inf", "finite"]),
    ("idle.power.source", "TBD", ["idle.power.source", "'TBD'", "placeholder"]),
    ("compute.launch_time.value", "fast", ["compute.launch_time.value", "'fast'"]),
    ("compute.rate_utilisation.high", 1.2, ["compute.rate_utilisation.high", "at most 1"]),
    ("compute.power.train_power.low", 2.8, ["compute.power.train_power.low", "2.8", "2.9 W"]),
    ("compute.power.model", "guess", ["compute.power.model", "'guess'", "constant, cpu-table, roofline"]),
    ("radios.wifi.link", "vht81", ["radios.wifi.link", "'vht81'", "vht80-access-point"]),
    ("radios.wifi", "wifi-fone", ["radios.wifi", "'wifi-fone'", "wifi-phone"]),
    ("radios.wifi.tail.power.unit", "ms", ["radios.wifi.tail.power.unit", "'ms'"]),
    ("radios.wifi.model", "zigbee", ["radios.wifi", "'zigbee'", "wifi-airtime"]),
    ("radios", {}, ["radios", "not empty"]),
    ("kind", "toaster", ["kind", "'toaster'", "phone"]),
    ("compute.step_overhead", {}, ["compute.step_overhead", "step_time"]),
    ("compute.launch_time", None, ["compute.launch_time", "required"]),
    ("supply", None, ["supply", "required"]),
    ("radios.wifi.promotion", None, ["radios.wifi.promotion", "required"]),
    ("idle.power.value", None, ["idle.power.value", "required"]),
]


@pytest.mark.parametrize(("path", "entry", "words"), BAD)
def test_one_sentence_names_file_key_found_and_allowed(write, document, path, entry, words):
    file = write(changed(document, path, entry))
    with pytest.raises(InputError) as error:
        check_profile(file)
    message = str(error.value)
    assert "\n" not in message
    for word in ["mine.yaml", *words]:
        assert word in message
    assert str(faults(file)[0]) == message


def test_everything_that_is_wrong_is_named_once(write, document):
    mine = document
    wrong = [("idle.power.unit", "J"), ("compute.launch_time", None), ("compute.power.train_power.low", 9.0)]
    wrong += [("radios.wifi", "wifi-fone"), ("radios.ble", "blue"), ("radios.lora.x", 1), ("colour", "red")]
    mine["radios"]["lora"] = {"model": "lora"}
    for path, entry in wrong:
        mine = changed(mine, path, entry)
    found = faults(write(mine))
    keys = [fault.key for fault in found]
    assert len(set(keys)) == len(keys)
    assert {"idle.power.unit", "compute.launch_time", "compute.power.train_power.low", "radios.wifi"} <= set(
        keys
    )
    assert {"radios.ble", "radios.lora.x", "radios.lora.bandwidth", "colour"} <= set(keys)
    assert not any("more error" in str(fault) for fault in found)


def test_further_errors_are_counted_where_only_the_first_is_told(write, document):
    mine = changed(changed(document, "idle.power.unit", "J"), "compute.launch_time.unit", "J")
    with pytest.raises(InputError, match="1 more error"):
        check_profile(write(mine))
    assert len(faults(write(mine))) == 2


def test_numbers_that_do_not_go_together_are_all_named(write):
    mine = with_own_radio(shipped_document("phone-midrange"), "lte")
    mine["radios"]["lte"]["uplink"]["rate"]["high"] = 80.0
    mine["radios"]["lte"]["downlink"]["rate"]["low"] = 0.5
    gold = mine["compute"]["power"]["clusters"]["gold"]
    gold["core_currents"]["values"].pop()
    gold["frequencies"]["values"][:2] = [940.8, 652.8]
    prime = mine["compute"]["power"]["clusters"]["prime"]
    prime["frequency"] |= dict.fromkeys(("value", "low", "high"), 2800.0)
    mine["idle"]["power"]["high"] = 5000.0
    keys = [fault.key for fault in faults(write(mine))]
    power = "compute.power"
    assert keys == [
        power,
        f"{power}.clusters.gold.core_currents.values",
        f"{power}.clusters.gold.frequencies.values",
        f"{power}.clusters.prime.frequency",
        "radios.lte.uplink.rate",
        "radios.lte.downlink.rate",
    ]


def test_a_cap_on_power_below_idle_is_refused(write):
    mine = changed(shipped_document("jetson-agx-orin"), "compute.power.highest_power.low", 15.0)
    with pytest.raises(InputError, match=r"highest_power\.low: found 15\.0; allowed: at least .* 16 W"):
        check_profile(write(mine))


def test_a_cellular_rate_stays_inside_its_fit(write):
    mine = with_own_radio(shipped_document("phone"), "lte")
    mine["radios"]["lte"]["uplink"]["rate"]["high"] = 80.0
    with pytest.raises(InputError, match=r"radios\.lte\.uplink\.rate.*fitted"):
        check_profile(write(mine))


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "a: [1,\n", "id: \0", "id: a\nid: b\n"])
def test_no_yaml_mapping(write, text):
    path = write(text)
    with pytest.raises(InputError):
        check_profile(path)
    assert len(faults(path)) == 1


@pytest.mark.parametrize("profile_id", PROFILE_IDS)
def test_shipped_profiles_have_no_faults(profile_id):
    assert faults(shipped(FOLDER) / f"{profile_id}.yaml") == []


def test_what_a_profile_leaves_to_assumptions():
    numbers = load_profile("drone").numbers().values()
    assumed = sum(number.kind == "assumed" for number in numbers)
    assert standing(load_profile("drone")).startswith(f"{assumed} of {len(numbers)} numbers are assumed")
    assert standing(load_profile("drone")).endswith("beyond the device: wifi")
    assert "wifi-udp, lte, lte-2012" in standing(load_profile("phone"))


def test_a_profile_does_not_differ_from_itself():
    assert differences(load_profile("phone"), load_profile("phone")).none


def test_differences_are_keys_with_both_numbers(write, document):
    mine = changed(document, "idle.power.source", "my own meter, 2026-01-01")
    mine = changed(changed(mine, "compute.launch_time.low", 90.0), "radios.ble", None)
    mine["idle"]["power"]["note"] = "a note says more and counts for nothing"
    found = differences(load_profile("jetson-nano"), check_profile(write(mine)))
    assert set(found.both) == {"idle.power", "compute.launch_time"}
    first, second = found.both["compute.launch_time"]
    assert (first["low"], second["low"]) == (100.0, 90.0)
    assert found.both["idle.power"][1]["source"].startswith("my own")
    assert found.only_second == {}
    assert found.only_first
    assert all(key.startswith("radios.ble.") for key in found.only_first)


def test_entries_hold_every_number_and_the_tables():
    profile = load_profile("phone-midrange")
    found = entries(profile)
    assert set(profile.numbers()) < set(found)
    assert len(found["compute.power.clusters.gold.core_currents"]["values"]) == 8
    assert found["radios.wifi.link.path"] == "access-point"
    assert "id" not in found
