"""The shipped measurements are predicted within their tolerances, without a look at what is predicted."""

from __future__ import annotations

import copy

import pytest
import yaml

from costbench.validation.validate import SHIPPED, validate

DOCUMENT = yaml.safe_load(SHIPPED.read_text(encoding="utf-8"))
ENTRIES = {entry["id"]: entry for entry in DOCUMENT["entries"]}


@pytest.fixture
def predicted(tmp_path):
    """Validate one entry after a change of it."""

    def made(entry):
        path = tmp_path / "measurements.yaml"
        document = {"schema": DOCUMENT["schema"], "entries": [entry]}
        path.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
        return validate(path)[0]

    return made


def numbers(found) -> list[float]:
    return [number for check in found.checks for number in check.prediction.predicted]


def errors(found) -> dict[str, float]:
    return {check.prediction.quantity: check.prediction.error_pct for check in found.checks}


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=list(ENTRIES))
def test_every_entry_lies_within_its_tolerance(entry, predicted):
    found = predicted(entry)
    assert found.ok, errors(found)
    assert bool(found.checks) == (entry["kind"] != "information")


def test_errors_of_physics_are_what_was_found():
    found = {one.entry.id: errors(one) for one in validate(SHIPPED)}
    # Errors to two digits: a change of any model shows here.
    assert found["eneafl-sent140"] == pytest.approx({"power": 0.751, "time": 13.7, "energy": 13.0}, rel=0.01)
    assert found["pagoda-orin-agx-3-models"] == pytest.approx(
        {"lstm": 14.9, "yolov8n": 28.7, "mobilenet": 15.2}, rel=0.01
    )
    assert found["hpl-bcm2711"] == pytest.approx({"rate": 13.3, "power": 22.8}, rel=0.01)
    # idle 5.97 W + (9.42 - 5.97) W x 1020/625 = 11.600 W against 11.39 W
    assert found["orin-nano-yolo-clock-pytorch"]["power_w"] == pytest.approx(100 * 0.2104 / 11.39, rel=1e-3)


def perturbed_measurements(entry):
    """The entry with everything that is to be predicted a third higher, and nothing else changed."""
    changed = copy.deepcopy(entry)
    for row in changed.get("rows", []):
        for key in ("power_w", "epoch_s", "flop_per_s", "measured_mj", "mean_power_w", "goodput_bps", "mbps"):
            if (
                key in row
                and row.get("use", "predict") == "predict"
                and entry["kind"] != "roofline_inference"
            ):
                row[key] *= 4 / 3
    if entry["kind"] == "cellular_power":
        changed["points"] = [
            [rate, power * (4 / 3 if place % 2 else 1)] for place, (rate, power) in enumerate(entry["points"])
        ]
    for key in ("measured_j",):
        if key in changed:
            changed[key] *= 4 / 3
    return changed


@pytest.mark.parametrize(
    "entry",
    [e for e in ENTRIES.values() if e["kind"] not in ("information", "roofline_inference")],
    ids=lambda e: e["id"],
)
def test_nothing_is_fitted_on_what_is_predicted(entry, predicted):
    assert numbers(predicted(perturbed_measurements(entry))) == numbers(predicted(entry))


@pytest.mark.parametrize("model", ["lstm", "yolov8n", "mobilenet"])
def test_a_model_that_is_left_out_takes_no_part_in_its_fit(model, predicted):
    entry = ENTRIES["pagoda-orin-agx-3-models"]
    changed = copy.deepcopy(entry)
    for row in changed["rows"]:
        row["power_w"] *= 4 / 3 if row["model"] == model else 1
    before, after = (
        {c.prediction.quantity: c.prediction.predicted for c in predicted(e).checks} for e in (entry, changed)
    )
    assert after[model] == before[model]
    assert all(after[other] != before[other] for other in before if other != model)


#: entries that five per cent more in an input puts out of tolerance
TIGHTER_THAN_FIVE_PERCENT = {"ble-goodput", "ieee80211-rates", "zeng2019-rotary-wing", "skiptrain-traces"}


def perturbed_inputs(entry):
    changed = copy.deepcopy(entry)
    if "states" in changed:
        changed["states"] = [[1.05 * seconds, watts] for seconds, watts in changed["states"]]
    if changed["kind"] == "cellular_power":
        changed["points"] = [
            [rate, power * (1 if place % 2 else 1.05)] for place, (rate, power) in enumerate(entry["points"])
        ]
    for row in changed.get("rows", []):
        if row.get("use") == "calibrate":
            row["power_w"] *= 1.05
        if "gamma_xg_mj" in row:
            row["gamma_xg_mj"] *= 1.05
        if "flop" in row:
            row["flop"] *= 1.05 if row["model"] == "lstm" else 1
    if "inputs" in changed:
        changed["inputs"]["weight_n"] *= 1.05
    return changed


CALIBRATED = [
    entry
    for entry in ENTRIES.values()
    if entry["kind"] not in ("information", "ble_goodput", "phy_rate", "compatibility", "endurance")
]


@pytest.mark.parametrize("entry", CALIBRATED, ids=lambda entry: entry["id"])
def test_five_percent_off_in_an_input_moves_the_error(entry, predicted):
    before, after = predicted(entry), predicted(perturbed_inputs(entry))
    assert errors(after) != errors(before)
    if entry["id"] in TIGHTER_THAN_FIVE_PERCENT:
        assert not after.ok


MODULES = {
    "ble-goodput": (
        "costbench.validation.predictors.radios.goodput",
        lambda original: lambda p: 1.05 * original(p),
    ),
    "ieee80211-rates": (
        "costbench.validation.predictors.radios._rate",
        lambda original: lambda n: 1.05 * original(n),
    ),
    "skiptrain-traces": (
        "costbench.validation.predictors.computing.skiptrain_time",
        lambda original: lambda *numbers: 1.05 * original(*numbers),
    ),
    "dji-endurance": (
        "costbench.validation.predictors.flying.airframe_powers",
        lambda original: (
            lambda frame, craft: original(frame, craft)._replace(
                best_endurance=3 * original(frame, craft).best_endurance
            )
        ),
    ),
}


@pytest.mark.parametrize("name", MODULES)
def test_a_model_that_is_off_is_seen(name, predicted, monkeypatch):
    target, wrong = MODULES[name]
    module, _, function = target.rpartition(".")
    original = getattr(__import__(module, fromlist=[function]), function)
    monkeypatch.setattr(target, wrong(original))
    assert not predicted(ENTRIES[name]).ok


def test_a_wrong_order_of_airframes_is_seen(predicted):
    entry = copy.deepcopy(ENTRIES["dji-endurance"])
    first, second = entry["rows"][:2]
    first["mean_power_w"], second["mean_power_w"] = 60.0, 50.0
    found = predicted(entry)
    assert errors(found)["ordering"] == pytest.approx(10)  # one of ten pairs
    assert not found.ok
