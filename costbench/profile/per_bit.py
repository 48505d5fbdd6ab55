"""What a profile says of a radio that is an energy a bit and nothing else."""

from __future__ import annotations

from typing import Literal

from costbench.profile.section import Section
from costbench.quantities import BitRate, EnergyPerBit


class PerBitRadio(Section):
    model: Literal["energy-per-bit"]
    rate: BitRate
    transmit_energy: EnergyPerBit
    receive_energy: EnergyPerBit
