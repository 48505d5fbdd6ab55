"""A predictor a kind of measurement, each from the functions that price runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from costbench.validation.measures import Prediction
from costbench.validation.predictors import computing, flying, radios

#: kind -> what predicts its entries
PREDICTORS: dict[str, Callable[[Any], list[Prediction]]] = {
    "cellular_packet": radios.packet,
    "cellular_power": radios.power,
    "cellular_transfer": radios.transfer,
    "wifi_frame": radios.frame,
    "ble_goodput": radios.ble,
    "phy_rate": radios.phy,
    "edge_training": computing.training,
    "roofline_inference": computing.inference,
    "clock_scaling": computing.clock,
    "hpl": computing.linpack,
    "compatibility": computing.table,
    "propulsion": flying.propulsion,
    "endurance": flying.endurance,
    "information": lambda _entry: [],
}
