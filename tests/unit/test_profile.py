import copy

import pytest
import yaml

from costbench.errors import InputError, UsageError
from costbench.profile import FOLDER, check_profile, list_profiles, load_profile
from costbench.shipped import shipped


@pytest.fixture
def document():
    return yaml.safe_load((shipped(FOLDER) / "jetson-nano.yaml").read_text())


@pytest.fixture
def check(tmp_path):
    def checked(content):
        path = tmp_path / "mine.yaml"
        path.write_text(content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False))
        return check_profile(path)

    return checked


def test_the_shipped_profiles():
    assert {"phone", "drone", "jetson-nano", "jetson-orin-nano", "raspberry-pi-4"} <= set(list_profiles())
    phone = load_profile("phone")
    assert list(phone.radios) == ["wifi", "lte"]
    assert phone.default_radio == "wifi"
    assert load_profile("drone").flight is not None
    assert phone.flight is None


def test_shipped_folders():
    assert (shipped(FOLDER) / "README.md").is_file()
    with pytest.raises(InputError, match="no such folder"):
        shipped("no-such-folder")


def test_numbers_by_dotted_key():
    numbers = load_profile("phone").numbers()
    assert numbers["radios.lte.uplink.slope"].si == pytest.approx(80.21e-9, rel=1e-15)
    assert numbers["radios.wifi.link.mtu"].si == 1500
    assert "flight.mean_power" not in numbers


def test_an_unknown_id_lists_the_known_ones():
    with pytest.raises(UsageError, match=r"no profile 'fone'.*jetson-nano.*phone"):
        load_profile("fone")


def test_a_missing_file(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        load_profile(tmp_path / "none.yaml")


def test_a_profile_of_ones_own(check, document):
    mine = copy.deepcopy(document)
    mine["id"] = "mine"
    mine["idle"]["power"]["value"] = 2.6
    assert check(mine).idle.power.si == 2.6


@pytest.mark.parametrize(
    ("path", "entry", "words"),
    [
        ("idle.power.unit", "J", ["idle.power.unit", "'J'", "W, mW"]),
        ("idle.power.low", 9.0, ["idle.power.low", "9.0", "at most the value 2.5"]),
        ("idle.power.source", "TBD", ["idle.power.source", "'TBD'", "placeholder"]),
        ("compute.launch_time.value", "fast", ["compute.launch_time.value", "'fast'"]),
        ("compute.rate_utilisation.high", 1.2, ["compute.rate_utilisation.high", "at most 1"]),
        ("compute.train_power.low", 2.8, ["compute.train_power.low", "2.8", "2.9 W"]),
        ("radios.wifi.link", "vht81", ["radios.wifi.link", "'vht81'", "vht80-access-point"]),
        ("radios.wifi.tail.power.unit", "ms", ["radios.wifi.tail.power.unit", "'ms'"]),
        ("radios", {}, ["radios"]),
        ("radios.wifi.model", "zigbee", ["radios.wifi", "'zigbee'", "wifi-airtime"]),
        ("kind", "toaster", ["kind", "'toaster'", "phone"]),
    ],
)
def test_one_sentence_names_file_key_found_and_allowed(check, document, path, entry, words):
    *parents, leaf = path.split(".")
    here = document
    for parent in parents:
        here = here[parent]
    here[leaf] = entry
    with pytest.raises(InputError) as error:
        check(document)
    message = str(error.value)
    assert "\n" not in message
    for word in ["mine.yaml", *words]:
        assert word in message


@pytest.mark.parametrize(
    "path", ["idle.power.value", "compute.launch_time", "supply", "radios.wifi.promotion"]
)
def test_a_missing_number_is_an_error_that_names_it(check, document, path):
    *parents, leaf = path.split(".")
    here = document
    for parent in parents:
        here = here[parent]
    del here[leaf]
    with pytest.raises(InputError) as error:
        check(document)
    assert error.value.key == path
    assert "required" in str(error.value)


def test_further_errors_are_counted(check, document):
    document["idle"]["power"]["unit"] = "J"
    document["compute"]["train_power"]["unit"] = "J"
    with pytest.raises(InputError, match="1 more error"):
        check(document)


def test_a_key_that_does_not_exist(check, document):
    document["compute"]["step_overhead"] = document["compute"]["launch_time"]
    with pytest.raises(InputError, match="step_overhead"):
        check(document)


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "a: [1,\n", "id: \0"])
def test_no_yaml_mapping(check, text):
    with pytest.raises(InputError):
        check(text)


def test_a_cellular_rate_stays_inside_its_fit(check):
    document = yaml.safe_load((shipped(FOLDER) / "phone.yaml").read_text())
    document["radios"]["lte"]["uplink"]["rate"]["high"] = 80.0
    with pytest.raises(InputError, match=r"radios\.lte\.uplink\.rate.*fitted"):
        check(document)
