"""Files of measurements that cannot be used are refused in one sentence: file, key, found, allowed."""

from __future__ import annotations

import copy

import pytest
import yaml

from costbench.errors import InputError
from costbench.validation.measures import largest_error, mean_error, ordering_error
from costbench.validation.validate import SHIPPED, load_measurements, validate

DOCUMENT = yaml.safe_load(SHIPPED.read_text(encoding="utf-8"))
ENTRIES = {entry["id"]: entry for entry in DOCUMENT["entries"]}


@pytest.fixture
def file_with(tmp_path):
    """A file with one entry, or with some keys of the document changed."""

    def made(*entries, **change):
        path = tmp_path / "mine.yaml"
        document = {"schema": DOCUMENT["schema"], "entries": list(entries), **change}
        path.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
        return path

    return made


def changed(name, *steps, to):
    """The shipped entry of a name with one value replaced, or removed where `to` is None."""
    entry = copy.deepcopy(ENTRIES[name])
    here = entry
    for step in steps[:-1]:
        here = here[step]
    if to is None:
        del here[steps[-1]]
    else:
        here[steps[-1]] = to
    return entry


MISTAKES = [
    (changed("huang2012-packet-lte", "measured_j", to=0.0), ["entries.0.measured_j", "0.0", "above 0"]),
    (changed("huang2012-packet-lte", "measured_j", to=float("nan")), ["measured_j", "nan"]),
    (changed("huang2012-packet-lte", "states", 0, 1, to=-1.0), ["states.0.1", "-1.0", "at least 0"]),
    (changed("huang2012-packet-lte", "source", to=None), ["source", "nothing", "required"]),
    (
        changed("huang2012-packet-lte", "kind", to="cellular_pocket"),
        ["kind", "cellular_pocket", "wifi_frame"],
    ),
    (changed("huang2012-packet-lte", "colour", to="red"), ["colour", "measured_j"]),
    (changed("narayanan2021-power-lte-dl", "points", to=[[1.0, 2.0]]), ["points", "at least 3 points"]),
    (changed("eneafl-sent140", "rows", 2, "use", to="predict"), ["rows.0", "jetson_nano, cpu", "calibrate"]),
    (changed("eneafl-sent140", "rows", 0, "steps", to=0), ["rows.0.steps", "0", "at least 1"]),
    (changed("pagoda-orin-agx-3-models", "rows", to=[]), ["rows", "0 models", "2 models"]),
    (changed("orin-nano-yolo-clock-pytorch", "idle_w", to=10.0), ["power_w", "9.42", "at least idle_w"]),
    (changed("hpl-bcm2711", "rows", 1, "family", to="bcm2712"), ["family", "bcm2712", "calibrate"]),
    (changed("serrano2015-frame", "rows", 0, "rate_mbps", to=24), ["rate_mbps", "leaves out"]),
    (changed("ieee80211-rates", "rows", 0, "name", to="WLAN"), ["rows.0.name", "WLAN"]),
    (changed("zeng2019-rotary-wing", "measured", to={"P40_W": 1.0}), ["measured"]),
    (changed("mlperf-orin-spread", "tolerance_pct", to=5), ["tolerance_pct", "5"]),
]


@pytest.mark.parametrize(
    ("entry", "words"), MISTAKES, ids=lambda part: part[0] if isinstance(part, list) else ""
)
def test_one_sentence_names_what_is_wrong(entry, words, file_with):
    with pytest.raises(InputError) as caught:
        validate(file_with(entry))
    assert "\n" not in str(caught.value)
    for word in ("mine.yaml", *words):
        assert word in str(caught.value)


def test_entries_that_no_model_covers(file_with):
    with pytest.raises(InputError, match=r"mine.yaml: dji-endurance.*mavic-4.*mavic-mini"):
        validate(file_with(changed("dji-endurance", "rows", 0, "airframe", to="mavic_4")))
    with pytest.raises(InputError, match=r"mine.yaml: skiptrain-traces.*galaxy.*xiaomi-12-pro"):
        validate(file_with(changed("skiptrain-traces", "mwh_per_round", to={"cifar10": {"galaxy": 1.0}})))
    with pytest.raises(InputError, match=r"ieee80211-rates.*no MCS 12"):
        validate(file_with(changed("ieee80211-rates", "rows", 0, "name", to="HE80_MCS12_1SS_0.8")))
    with pytest.raises(InputError, match=r"eneafl-sent140.tolerance_pct.*speed"):
        bounds = {"power": 15, "time": 40, "energy": 45, "speed": 1}
        validate(file_with(changed("eneafl-sent140", "tolerance_pct", to=bounds)))


def test_files_that_are_none(tmp_path, file_with):
    with pytest.raises(InputError, match="no such file"):
        load_measurements(tmp_path / "none.yaml")
    with pytest.raises(InputError, match=r"schema.*measurements/2"):
        load_measurements(file_with(ENTRIES["hpl-bcm2711"], schema="costbench/measurements/2"))
    with pytest.raises(InputError, match="entries"):
        load_measurements(file_with())
    with pytest.raises(InputError, match=r"hpl-bcm2711.*no other entry"):
        load_measurements(file_with(ENTRIES["hpl-bcm2711"], ENTRIES["hpl-bcm2711"]))


def test_an_unbounded_entry_is_predicted_and_passes(file_with):
    entry = {**ENTRIES["hpl-bcm2711"], "tolerance_pct": None}
    found = validate(file_with(entry))[0]
    assert found.ok
    assert [check.tolerance_pct for check in found.checks] == [None, None]


def test_a_transfer_is_predicted_by_a_line_of_other_points(file_with):
    # The line through (1, 2.1) and (11, 3.1) is 2 + 0.1 R: 2.5 W at 5 Mbps against 2.0 W, 25 % off.
    entry = {
        **{
            key: ENTRIES["narayanan2021-power-lte-ul"][key]
            for key in ("source", "independent", "bearer", "direction")
        },
        "id": "transfer",
        "kind": "cellular_transfer",
        "tolerance_pct": 30,
        "fit_points": [[1.0, 2.1], [11.0, 3.1]],
        "points": [[5.0, 2.0]],
    }
    found = validate(file_with(entry))[0]
    assert found.checks[0].prediction.predicted == pytest.approx([2.5])
    assert found.checks[0].prediction.error_pct == pytest.approx(25)


def test_errors_by_hand():
    # |9 - 10| / 10 = 10 %, |24 - 20| / 20 = 20 %
    assert mean_error("x", [9, 24], [10, 20]).error_pct == pytest.approx(15)
    assert largest_error("x", [9, 24], [10, 20]).error_pct == pytest.approx(20)
    # Of the pairs (1,2), (1,3), (2,3) one is in the wrong order.
    assert ordering_error("x", [1, 3, 2], [10, 20, 30]).error_pct == pytest.approx(100 / 3)
