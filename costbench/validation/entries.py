"""The format of a file of measurements: one model a kind."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, model_validator

from costbench.validation.parts import (
    A_LINE,
    Count,
    Described,
    NotNegative,
    Part,
    Positive,
    Use,
    refused,
    something_to_predict,
)


class CellularPacket(Described):
    kind: Literal["cellular_packet"]
    states: list[tuple[NotNegative, NotNegative]] = Field(min_length=1)
    measured_j: Positive


class CellularPower(Described):
    kind: Literal["cellular_power"]
    bearer: str
    direction: Literal["ul", "dl"]
    points: list[tuple[NotNegative, Positive]]

    @model_validator(mode="after")
    def _enough(self) -> CellularPower:
        if len(self.points) < A_LINE + 1:
            raise refused("points", len(self.points), "at least 3 points, 2 to fit a line and 1 to predict")
        return self


class CellularTransfer(Described):
    kind: Literal["cellular_transfer"]
    bearer: str
    direction: Literal["ul", "dl"]
    fit_points: list[tuple[NotNegative, Positive]]
    points: list[tuple[NotNegative, Positive]] = Field(min_length=1)

    @model_validator(mode="after")
    def _enough(self) -> CellularTransfer:
        if len({rate for rate, _ in self.fit_points}) < A_LINE:
            raise refused("fit_points", len(self.fit_points), "at least 2 points of different throughput")
        return self


class TrainingRow(Part):
    device: str
    processor: str
    workload: str
    size: str
    steps: Count
    batch: Count
    epoch_s: Positive
    power_w: Positive
    use: Use


class EdgeTraining(Described):
    kind: Literal["edge_training"]
    rows: list[TrainingRow] = Field(min_length=1)

    @model_validator(mode="after")
    def _calibrated(self) -> EdgeTraining:
        known = {(row.device, row.processor, row.workload) for row in self.rows if row.use == "calibrate"}
        for place, row in enumerate(self.rows):
            if (row.device, row.processor, row.workload) not in known:
                allowed = "a device, processor and workload that a row with use: calibrate has"
                raise refused(f"rows.{place}", f"{row.device}, {row.processor}, {row.workload}", allowed)
        something_to_predict(self.rows)
        return self


class InferenceRow(Part):
    model: str
    batch: Count
    time_s: Positive
    power_w: Positive
    flop: Positive
    bytes: Positive


class RooflineInference(Described):
    kind: Literal["roofline_inference"]
    rows: list[InferenceRow]

    @model_validator(mode="after")
    def _enough(self) -> RooflineInference:
        models = {row.model for row in self.rows}
        rest = min((sum(row.model != left for row in self.rows) for left in models), default=0)
        if len(models) < 2 or rest < 3:
            raise refused(
                "rows", f"{len(models)} models", "2 models and 3 rows without each, to fit 3 numbers"
            )
        return self


class ClockRow(Part):
    mode: str
    gpu_clock_hz: Positive
    runtime: str
    precision: str
    latency_s: Positive
    power_w: Positive
    use: Use


class ClockScaling(Described):
    kind: Literal["clock_scaling"]
    idle_w: NotNegative
    rows: list[ClockRow]

    @model_validator(mode="after")
    def _calibrated(self) -> ClockScaling:
        known = {(row.runtime, row.precision) for row in self.rows if row.use == "calibrate"}
        for place, row in enumerate(self.rows):
            if (row.runtime, row.precision) not in known:
                allowed = "a runtime and precision that a row with use: calibrate has"
                raise refused(f"rows.{place}", f"{row.runtime}, {row.precision}", allowed)
            if row.power_w < self.idle_w:
                raise refused(f"rows.{place}.power_w", row.power_w, f"at least idle_w, {self.idle_w:g}")
        something_to_predict(self.rows)
        return self


class HplRow(Part):
    board: str
    family: str
    cores: Count
    clock_hz: Positive
    idle_w: NotNegative
    flop_per_s: Positive
    power_w: Positive
    use: Use


class Hpl(Described):
    kind: Literal["hpl"]
    rows: list[HplRow]

    @model_validator(mode="after")
    def _calibrated(self) -> Hpl:
        known = {row.family for row in self.rows if row.use == "calibrate"}
        for place, row in enumerate(self.rows):
            if row.family not in known:
                raise refused(f"rows.{place}.family", row.family, "one that a row with use: calibrate has")
            if row.power_w < row.idle_w:
                raise refused(f"rows.{place}.power_w", row.power_w, f"at least idle_w, {row.idle_w:g}")
        something_to_predict(self.rows)
        return self


class FrameRow(Part):
    device: str
    frame_bytes: Count
    rate_mbps: Positive
    airtime_s: Positive
    rho_tx_w_by_rate_mbps: dict[Positive, NotNegative] = Field(min_length=A_LINE)
    gamma_xg_mj: NotNegative
    measured_mj: Positive


class WifiFrame(Described):
    kind: Literal["wifi_frame"]
    rows: list[FrameRow] = Field(min_length=1)

    @model_validator(mode="after")
    def _held_out(self) -> WifiFrame:
        for place, row in enumerate(self.rows):
            if row.rate_mbps in row.rho_tx_w_by_rate_mbps:
                allowed = "a rate that rho_tx_w_by_rate_mbps leaves out"
                raise refused(f"rows.{place}.rate_mbps", row.rate_mbps, allowed)
        return self


class GoodputRow(Part):
    phy: Literal["1M", "2M"]
    goodput_bps: Positive


class BleGoodput(Described):
    kind: Literal["ble_goodput"]
    rows: list[GoodputRow] = Field(min_length=1)
    cycle_27_byte_encrypted_s: Positive | None = None


class RateRow(Part):
    name: str = Field(pattern=r"^(HT|VHT|HE)\d+_MCS\d+_\d+SS_(LGI|SGI|0\.8|1\.6|3\.2)$")
    mbps: Positive


class PhyRate(Described):
    kind: Literal["phy_rate"]
    rows: list[RateRow] = Field(min_length=1)


class PropulsionInputs(Part):
    delta: Positive
    omega_rad_s: Positive
    rotor_radius_m: Positive
    weight_n: Positive
    k: NotNegative
    u_tip_m_s: Positive
    d0: NotNegative
    rho: Positive
    s: Positive
    disc_area_m2: Positive


class Propulsion(Described):
    kind: Literal["propulsion"]
    inputs: PropulsionInputs
    measured: dict[
        Literal["P0_W", "Pi_W", "v0", "hover_W", "min_power_W", "min_power_speed", "P20_W", "P30_W"], Positive
    ] = Field(min_length=1)


class EnduranceRow(Part):
    airframe: str
    battery_wh: Positive
    endurance_min: Positive
    mean_power_w: Positive


class Endurance(Described):
    kind: Literal["endurance"]
    rows: list[EnduranceRow] = Field(min_length=1)


class Compatibility(Described):
    kind: Literal["compatibility"]
    rule: str
    mwh_per_round: dict[str, dict[str, Positive]] = Field(min_length=1)


class Information(Described):
    """Free fields: shown, never predicted."""

    model_config = ConfigDict(frozen=True, extra="allow")

    kind: Literal["information"]
    tolerance_pct: None

    @property
    def free(self) -> dict[str, Any]:
        """The fields that this kind leaves free."""
        return self.model_extra or {}


Entry = Annotated[
    CellularPacket
    | CellularPower
    | CellularTransfer
    | EdgeTraining
    | RooflineInference
    | ClockScaling
    | Hpl
    | WifiFrame
    | BleGoodput
    | PhyRate
    | Propulsion
    | Endurance
    | Compatibility
    | Information,
    Field(discriminator="kind"),
]


class Measurements(Part):
    """A file of measurements."""

    schema_: Literal["costbench/measurements/1"] = Field(alias="schema")
    entries: list[Entry] = Field(min_length=1)
