"""Android's power_profile.xml: currents become sourced numbers; what is no measurement is refused."""

import pytest
import yaml

from costbench.errors import InputError
from costbench.profile import FOLDER, check_profile
from costbench.profile.android import import_power_profile, read_power_file
from costbench.shipped import shipped

CORES = '<array name="cpu.clusters.cores"><value>4</value><value>2</value></array>'
ITEMS = {"battery.capacity": 3000, "cpu.suspend": 5, "cpu.idle": 6, "cpu.active": 20}
ITEMS |= {"cpu.cluster_power.cluster0": 1, "cpu.cluster_power.cluster1": 4}
ITEMS |= {"wifi.controller.idle": 1, "wifi.controller.rx": 100, "wifi.controller.tx": 300}
ITEMS |= {"wifi.controller.voltage": 3700, "bluetooth.controller.rx": 9, "bluetooth.controller.tx": 7}
ARRAYS = {"cpu.core_speeds.cluster0": [300000, 1800000], "cpu.core_power.cluster0": [5, 25]}
ARRAYS |= {"cpu.core_speeds.cluster1": [800000, 2600000], "cpu.core_power.cluster1": [30, 250]}


def shipped_document(profile):
    return yaml.safe_load((shipped(FOLDER) / f"{profile}.yaml").read_text())


@pytest.fixture
def write(tmp_path):
    def written(items=ITEMS, arrays=ARRAYS, cores=CORES):
        lines = [f'<item name="{name}">{number}</item>' for name, number in items.items()]
        for name, column in arrays.items():
            values = "".join(f"<value>{number}</value>" for number in column)
            lines.append(f'<array name="{name}">{values}</array>')
        path = tmp_path / "power_profile.xml"
        path.write_text(f'<device name="Android">{cores}{"".join(lines)}</device>')
        return path

    return written


@pytest.fixture
def imported(tmp_path):
    """The profile of a file, with a battery of 4 V and tables that are right to a half."""

    def made(path):
        table = shipped_document("phone-midrange")["compute"]["power"]
        table["voltage"] |= {"value": 4.0, "low": 4.0, "high": 4.0}
        document = import_power_profile(path, shipped_document("phone"), table)
        out = tmp_path / "mine.yaml"
        out.write_text(yaml.safe_dump(document, sort_keys=False))
        return check_profile(out)

    return made


def test_currents_times_volts(write, imported):
    profile = imported(write())
    # 3000 mAh at 4 V are 12 Wh; suspend and idle 11 mA at 4 V 44 mW; 300 mA at 3.7 V 1110 mW
    # and 100 mA 370 mW; 7 mA at 4 V 28 mW
    assert profile.battery.energy.value == 12.0
    assert profile.idle.power.value == 44.0
    assert profile.idle.power.high == 150.0
    assert profile.radios["wifi"].transmit_power.value == 1110.0
    assert profile.radios["wifi"].receive_power.value == 370.0
    assert profile.radios["ble"].transmit_power.value == 28.0
    assert "wifi.controller.tx, 300 mA at 3.7 V" in profile.radios["wifi"].transmit_power.source


def test_the_faster_cores_train(write, imported):
    power = imported(write()).compute.power
    assert list(power.clusters) == ["cluster1"]
    cluster = power.clusters["cluster1"]
    assert cluster.cores.value == 2
    assert cluster.frequency.si == 2.6e9
    assert cluster.core_currents.values == [30, 250]
    assert cluster.frequencies.values == [800, 2600]


def test_what_the_file_lacks_is_that_of_the_base(write, imported):
    phone = check_profile(shipped(FOLDER) / "phone.yaml")
    sparse = {name: ITEMS[name] for name in ("cpu.active",)}
    profile = imported(write(items=sparse))
    assert profile.battery == phone.battery
    assert profile.idle == phone.idle
    assert profile.radios == phone.radios
    assert profile.compute.peak_rate == phone.compute.peak_rate
    assert profile.compute.power.clusters["cluster1"].cluster_current.value == 0


@pytest.mark.parametrize(
    "arrays",
    [
        {"cpu.speeds.cluster0": [3e5, 2e6], "cpu.active.cluster0": [50, 200]},
        {"cpu.speeds": [3e5, 2e6], "cpu.active": [50, 200]},
    ],
)
def test_names_of_older_versions(write, imported, arrays):
    one = '<array name="cpu.clusters.cores"><value>4</value></array>'
    items = {"wifi.active": 120, "wifi.on": 3, "cpu.idle": 3, "cpu.awake": 10}
    profile = imported(write(items, arrays, one))
    assert profile.compute.power.clusters["cluster0"].core_currents.values == [50, 200]
    assert profile.compute.power.active_current.value == 0
    # 120 mA at 4 V; 13 mA at 4 V
    assert profile.radios["wifi"].transmit_power.value == 480.0
    assert profile.idle.power.value == 52.0


@pytest.mark.parametrize(
    ("items", "arrays", "name"),
    [
        (ITEMS | {"battery.capacity": 1000}, ARRAYS, "battery.capacity"),
        (ITEMS | {"wifi.controller.tx": 0.1}, ARRAYS, "wifi.controller.tx"),
        (ITEMS | {"cpu.active": 0.1}, ARRAYS, "cpu.active"),
        (ITEMS, ARRAYS | {"cpu.core_power.cluster1": [0.1, 0.1]}, "cpu.core_power.cluster1"),
    ],
)
def test_placeholders_of_the_default_file_are_refused(write, items, arrays, name):
    with pytest.raises(InputError, match="placeholder of Android's default file") as error:
        read_power_file(write(items, arrays))
    assert error.value.key == name


@pytest.mark.parametrize(
    ("items", "arrays", "cores", "words"),
    [
        (ITEMS, ARRAYS | {"cpu.core_power.cluster1": [30]}, CORES, "found 1; allowed: as many currents as"),
        (ITEMS, {}, CORES, "cpu.core_power.cluster0: found nothing"),
        (ITEMS, ARRAYS, "", "cpu.clusters.cores: found nothing"),
        (ITEMS | {"cpu.idle": "much"}, ARRAYS, CORES, "cpu.idle: found 'much'"),
        (ITEMS | {"cpu.idle": "nan"}, ARRAYS, CORES, "cpu.idle: found 'nan'"),
        (ITEMS | {"cpu.idle": -1}, ARRAYS, CORES, "cpu.idle: found '-1'"),
    ],
)
def test_one_sentence_says_what_is_wrong(write, imported, items, arrays, cores, words):
    with pytest.raises(InputError) as error:
        imported(write(items, arrays, cores))
    assert words in str(error.value)
    assert "power_profile.xml: " in str(error.value)


@pytest.mark.parametrize("text", ["", "<device>", "<html></html>", "<!DOCTYPE device><device/>"])
def test_what_is_no_power_profile(tmp_path, text):
    path = tmp_path / "file.xml"
    path.write_text(text)
    with pytest.raises(InputError):
        read_power_file(path)
    with pytest.raises(InputError, match="no such file"):
        read_power_file(tmp_path / "none.xml")
