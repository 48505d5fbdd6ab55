"""Predictions of computing: training on boards, power by a roofline, clocks, and a published table."""

from __future__ import annotations

from statistics import mean

import numpy as np
from scipy.optimize import nnls

from costbench.errors import InputError
from costbench.pricing.compute_power import clock_scaled_power, roofline_power, scaled_rate
from costbench.pricing.skiptrain import skiptrain_time
from costbench.profile.compatibility import CompatibilityTable, load_table
from costbench.validation.entries import (
    ClockRow,
    ClockScaling,
    Compatibility,
    EdgeTraining,
    Hpl,
    HplRow,
    InferenceRow,
    RooflineInference,
    TrainingRow,
)
from costbench.validation.measures import Prediction, largest_error, mean_error

#: dynamic power goes with the clock: voltage is taken as constant, which the protocol of both kinds says [1]
CLOCK_EXPONENT = 1.0
J_A_MWH = 3.6


def training(entry: EdgeTraining) -> list[Prediction]:
    """Power: mean of the calibration of a device and processor. Time: steps times the calibration's step."""
    wanted = [row for row in entry.rows if row.use == "predict"]
    power = [_mean_power(entry, row) for row in wanted]
    seconds = [row.steps * _step_time(entry, row) for row in wanted]
    energy = [w * s for w, s in zip(power, seconds, strict=True)]
    return [
        mean_error("power", power, [row.power_w for row in wanted]),
        mean_error("time", seconds, [row.epoch_s for row in wanted]),
        mean_error("energy", energy, [row.power_w * row.epoch_s for row in wanted]),
    ]


def _calibration(entry: EdgeTraining, row: TrainingRow) -> list[TrainingRow]:
    alike = (row.device, row.processor)
    return [one for one in entry.rows if one.use == "calibrate" and (one.device, one.processor) == alike]


def _mean_power(entry: EdgeTraining, row: TrainingRow) -> float:
    return mean(one.power_w for one in _calibration(entry, row))


def _step_time(entry: EdgeTraining, row: TrainingRow) -> float:
    of_workload = [one for one in _calibration(entry, row) if one.workload == row.workload]
    return mean(one.epoch_s / one.steps for one in of_workload)


def inference(entry: RooflineInference) -> list[Prediction]:
    """Power of each model by a roofline that was fitted on the other models."""
    found = []
    for left_out in dict.fromkeys(row.model for row in entry.rows):
        numbers = _fitted([row for row in entry.rows if row.model != left_out])
        rows = [row for row in entry.rows if row.model == left_out]
        predicted = roofline_power(*_rates(rows), highest_power=np.inf, **numbers)
        found.append(mean_error(left_out, predicted.tolist(), [row.power_w for row in rows]))
    return found


def _rates(rows: list[InferenceRow]) -> tuple[np.ndarray, np.ndarray]:
    """FLOP and bytes a second."""
    seconds = np.array([row.time_s for row in rows])
    return np.array([row.flop for row in rows]) / seconds, np.array([row.bytes for row in rows]) / seconds


def _fitted(rows: list[InferenceRow]) -> dict[str, float]:
    """Static power and energies a FLOP and a byte, none negative, by least squares of relative residuals."""
    flop_per_s, bytes_per_s = _rates(rows)
    power = np.array([row.power_w for row in rows])
    columns = np.stack([np.ones(len(rows)), flop_per_s, bytes_per_s], axis=1) / power[:, None]
    scale = columns.max(axis=0)
    numbers, _ = nnls(columns / scale, np.ones(len(rows)))
    names = ("static_power", "energy_per_flop", "energy_per_byte")
    return dict(zip(names, (numbers / scale).tolist(), strict=True))


def clock(entry: ClockScaling) -> list[Prediction]:
    """Power above idle scaled with the clock."""
    wanted = [row for row in entry.rows if row.use == "predict"]
    predicted = [_at_clock(entry, row) for row in wanted]
    return [mean_error("power_w", predicted, [row.power_w for row in wanted])]


def _at_clock(entry: ClockScaling, row: ClockRow) -> float:
    known = [one for one in entry.rows if one.use == "calibrate"]
    alike = [one for one in known if (one.runtime, one.precision) == (row.runtime, row.precision)]
    return mean(
        float(
            clock_scaled_power(entry.idle_w, one.power_w, row.gpu_clock_hz / one.gpu_clock_hz, CLOCK_EXPONENT)
        )
        for one in alike
    )


def linpack(entry: Hpl) -> list[Prediction]:
    """Rate scaled with cores and clock, power above idle with the clock."""
    wanted = [row for row in entry.rows if row.use == "predict"]
    rate, power = zip(*(_scaled(entry, row) for row in wanted), strict=True)
    return [
        mean_error("rate", rate, [row.flop_per_s for row in wanted]),
        mean_error("power", power, [row.power_w for row in wanted]),
    ]


def _scaled(entry: Hpl, row: HplRow) -> tuple[float, float]:
    known = next(one for one in entry.rows if one.use == "calibrate" and one.family == row.family)
    faster = row.clock_hz / known.clock_hz
    rate = float(scaled_rate(known.flop_per_s, row.cores / known.cores, faster))
    dynamic = clock_scaled_power(known.idle_w, known.power_w, faster, CLOCK_EXPONENT) - known.idle_w
    return rate, float(row.idle_w + dynamic)


def table(entry: Compatibility) -> list[Prediction]:
    """A published table by its own rule."""
    rule = load_table("skiptrain")
    predicted, measured = [], []
    for workload, devices in entry.mwh_per_round.items():
        for device, mwh in devices.items():
            predicted.append(_mwh(rule, workload, device))
            measured.append(mwh)
    return [largest_error("energy_mwh", predicted, measured)]


def _mwh(rule: CompatibilityTable, workload: str, device: str) -> float:
    """Energy of a round [mWh]."""
    if workload not in rule.workloads:
        raise InputError("measurements", f"mwh_per_round.{workload}", workload, rule.workloads)
    named = device.replace("_", "-")
    fitting = [one for name, one in rule.devices.items() if named in name]
    if len(fitting) != 1:
        raise InputError("measurements", f"mwh_per_round.{workload}.{device}", device, rule.devices)
    load, phone = rule.workloads[workload], fitting[0]
    seconds = skiptrain_time(
        load.parameters.si,
        load.samples.si,
        phone.mobilenetv2_time.si,
        rule.reference_parameters.si,
        rule.passes.si,
    )
    return float(phone.highest_power.si * seconds / J_A_MWH)
