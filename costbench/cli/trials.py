"""A trial of a profile: one small round, priced on each of its radios and in each of its power modes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from costbench.errors import CostbenchError, InputError
from costbench.pricing.counts import Counts
from costbench.pricing.fleet import Device, device_of
from costbench.pricing.price import price_fleet
from costbench.pricing.scenario import Scenario
from costbench.profile import HardwareProfile
from costbench.validated import Words

_BYTES, _FLOP, _LAUNCHES = 10_000, 10**9, 50
_SAMPLES = 100


def trial_counts() -> Counts:
    """Two nodes, one round: each computes a training step and sends the other one message."""
    messages = [
        {"round": 0, "sender": sender, "receiver": 1 - sender, "content": 0, "elements": _BYTES // 4}
        | {"value_bits": 8 * _BYTES, "index_bits": 0, "side_bits": 0, "padding_bits": 0, "header_bits": 0}
        | {"delivered": True}
        for sender in (0, 1)
    ]
    compute = [
        {"round_start": 0, "round_stop": 1, "node": node, "phase": phase, "dtype": "float32", "flop": _FLOP}
        | {"bytes_read": _BYTES, "bytes_written": _BYTES, "launches": _LAUNCHES}
        for node in (0, 1)
        for phase in ("forward", "backward", "optimizer")
    ]
    return Counts("trial", "trial", 2, 1, pd.DataFrame(messages), pd.DataFrame(compute))


def unpriceable(profile: HardwareProfile, path: Path) -> list[InputError]:
    """What keeps a sound profile from being priced: a number outside the validity of its model.

    Parameters
    ----------
    profile : the profile
    path : its file, to be named

    Returns
    -------
    One error for each radio, and one for each power mode, that cannot be priced
    """
    return list(_refused(profile, path))


def _refused(profile: HardwareProfile, path: Path) -> Iterator[InputError]:
    tried = {f"radios.{radio}": device_of(profile, radio) for radio in profile.radios}
    tried |= {f"compute.clock.modes.{mode}": device_of(profile, None, mode) for mode in profile.modes}
    counts = trial_counts()
    for key, device in tried.items():
        if found := _refusal(counts, device):
            yield InputError(path, key, Words(found), "numbers for which the models hold")


def _refusal(counts: Counts, device: Device) -> str:
    try:
        price_fleet(counts, [device, device], _SAMPLES, 0, Scenario())
    except (CostbenchError, ValueError) as error:
        return str(error)
    return ""
