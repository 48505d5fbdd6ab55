"""`costbench profiles` as a user runs it."""

import json
import subprocess
import sys
from types import SimpleNamespace

import pytest
import yaml

from costbench.cli import main
from costbench.profile import FOLDER, list_profiles
from costbench.shipped import shipped


@pytest.fixture
def costbench(tmp_path, monkeypatch, capsys):
    """Runs `costbench profiles` in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def ran(*arguments):
        monkeypatch.setattr(sys, "argv", ["costbench", "profiles", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        printed = capsys.readouterr()
        return SimpleNamespace(returncode=end.value.code, stdout=printed.out, stderr=printed.err)

    return ran


def test_the_command_runs_as_a_program(tmp_path):
    command = [sys.executable, "-m", "costbench", "profiles", "diff", "phone", "phone"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, "phone and phone do not differ\n")


@pytest.fixture
def mine(tmp_path):
    """A file of one's own; `mine(name, lambda document: ...)` changes the shipped phone first."""

    def written(name, change):
        document = yaml.safe_load((shipped(FOLDER) / "phone.yaml").read_text())
        change(document)
        (tmp_path / name).write_text(yaml.safe_dump(document, sort_keys=False))
        return name

    return written


def test_list_names_every_profile_with_kind_tier_radios_and_modes(costbench):
    shown = costbench("list")
    assert shown.returncode == 0
    assert all(profile in shown.stdout for profile in list_profiles())
    for word in ("single-board-computer", "ieee802154", "nr-mmwave", "MAXN_SUPER", "tier C"):
        assert word in shown.stdout or word.removeprefix("tier ") in shown.stdout


def test_show_tells_number_kind_source_file_and_line(costbench):
    shown = costbench("show", "drone")
    assert shown.returncode == 0
    lines = shown.stdout.splitlines()
    here = lines.index("idle.power = 6 (4 to 6.2) W")
    assert lines[here + 1].strip().startswith("drone.yaml:")
    assert "measured: github.com/hokwangchoi" in lines[here + 1]
    assert "wifi-m2-card.yaml:" in shown.stdout


def test_show_as_json_is_the_profile(costbench):
    document = json.loads(costbench("show", "phone", "--json").stdout)
    assert document["radios"]["lte"]["uplink"]["slope"]["value"] == 80.21


def test_check_goes_on_after_a_bad_file_and_names_everything(costbench, mine):
    def spoil(document):
        del document["supply"]
        document["idle"]["power"]["low"] = 900.0
        document["radios"]["ble"] = "ble-fone"

    checked = costbench("check", "phone", mine("bad.yaml", spoil), "fone", "drone")
    assert checked.returncode == 3
    assert [line.split(":")[0] for line in checked.stdout.splitlines()] == ["phone", "drone"]
    wrong = checked.stderr.splitlines()
    assert sum("bad.yaml" in line for line in wrong) == 3
    for word in ("supply: found nothing", "idle.power.low: found 900.0", "radios.ble: found 'ble-fone'"):
        assert sum(word in line for line in wrong) == 1
    assert any("no profile 'fone'" in line for line in wrong)
    assert wrong[-1] == "2 of 4 profiles are sound"
    assert "Traceback" not in checked.stderr


def test_check_refuses_numbers_for_which_a_model_does_not_hold(costbench, mine):
    """Each number is sound, but one stream of 802.11ac at 20 MHz has no MCS 9."""

    def spoil(document):
        link = yaml.safe_load((shipped(FOLDER) / "links" / "vht80-access-point.yaml").read_text())
        link["bandwidth"] |= dict.fromkeys(("value", "low", "high"), 20.0)
        link["mcs"] |= {"value": 9, "low": 8, "high": 9}
        radio = yaml.safe_load((shipped(FOLDER) / "radios" / "wifi-phone.yaml").read_text())
        document["radios"]["wifi"] = {**radio, "link": link}

    checked = costbench("check", mine("vht20.yaml", spoil))
    assert checked.returncode == 3
    assert "vht20.yaml: radios.wifi: found" in checked.stderr
    assert len(checked.stderr.splitlines()) == 1


def test_check_says_what_is_assumed_in_one_line(costbench):
    checked = costbench("check", "phone")
    assert checked.returncode == 0
    assert len(checked.stdout.splitlines()) == 1
    assert "numbers are assumed" in checked.stdout
    assert checked.stderr == ""


def test_diff_prints_what_differs_and_nothing_else(costbench):
    shown = costbench("diff", "raspberry-pi-4", "raspberry-pi-5")
    assert shown.returncode == 0
    assert "compute.peak_rate" in shown.stdout
    assert "supply.efficiency" not in shown.stdout
    assert shown.stdout.splitlines()[-1].startswith("7 keys differ, 0 only in raspberry-pi-4")


def test_diff_as_json(costbench):
    document = json.loads(costbench("diff", "phone", "phone-midrange", "--json").stdout)
    assert (document["schema"], document["first"], document["second"]) == (1, "phone", "phone-midrange")
    assert document["differ"]["compute.launch_time"]["first"]["value"] == 20.0
    assert "compute.power.train_power" in document["only_first"]
    assert "compute.power.voltage" in document["only_second"]
    assert "idle.power" in document["differ"], "of equal range, from another source"
    assert "radios.wifi.tail.power" not in document["differ"]


def test_diff_of_a_profile_and_itself(costbench):
    shown = costbench("diff", "phone", "phone")
    assert (shown.returncode, shown.stdout) == (0, "phone and phone do not differ\n")


POWER_FILE = """<device name="Android">
<item name="battery.capacity">3000</item>
<array name="cpu.clusters.cores"><value>4</value><value>2</value></array>
<item name="cpu.suspend">5</item><item name="cpu.idle">5</item><item name="cpu.active">20</item>
<item name="cpu.cluster_power.cluster0">1</item><item name="cpu.cluster_power.cluster1">5</item>
<array name="cpu.core_speeds.cluster0"><value>300000</value><value>1800000</value></array>
<array name="cpu.core_power.cluster0"><value>5</value><value>25</value></array>
<array name="cpu.core_speeds.cluster1"><value>800000</value><value>2600000</value></array>
<array name="cpu.core_power.cluster1"><value>30</value><value>250</value></array>
<item name="wifi.controller.rx">100</item><item name="wifi.controller.tx">300</item>
</device>"""


def test_import_writes_a_profile_that_check_passes_and_says_what_came_from_where(costbench, tmp_path):
    (tmp_path / "power_profile.xml").write_text(POWER_FILE)
    order = ["import", "power_profile.xml", "--base", "phone", "--out", "mine.yaml", "--voltage", "4"]
    imported = costbench(*order)
    assert (imported.returncode, imported.stdout) == (0, "mine.yaml\n")
    told = imported.stderr.splitlines()
    assert told[0].startswith("from the file: battery.energy, idle.power")
    assert "radios.wifi.transmit_power" in told[0]
    assert "compute.peak_rate" not in told[0]
    assert told[1].startswith("from phone: the other ")
    assert costbench("check", "mine.yaml").stdout.startswith("mine.yaml: ok, mine;")
    again = costbench(*order)
    assert again.returncode == 2
    assert "--out mine.yaml: found a file" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["diff", "phone", "fone"], 2, "no profile 'fone'"),
        (["diff", "phone", "none.yaml"], 3, "no such file"),
        (["diff", "phone"], 2, "Missing argument"),
        (["check", "."], 2, "no profile '.'"),
        (["check", "folder/"], 3, "folder"),
        (["show", "none.yaml"], 3, "no such file"),
        (["import", "none.xml", "--base", "phone", "--out", "o.yaml"], 3, "none.xml: found no such file"),
        (["import", "none.xml", "--base", "phone", "--out", "o.txt"], 2, "ends in .yaml"),
        (["import", "none.xml", "--base", "phone", "--out", "o.yaml", "--voltage", "0"], 2, "above 0"),
    ],
)
def test_mistakes_end_in_one_sentence(costbench, tmp_path, arguments, code, words):
    (tmp_path / "folder" / "deep").mkdir(parents=True)
    ended = costbench(*(word.replace("folder/", "folder/deep") for word in arguments))
    assert ended.returncode == code
    assert words in ended.stderr
    assert "Traceback" not in ended.stderr
