"""Position codes: where the entries of a sparse message lie, in bytes."""

from costbench.training.wire.positions.elias_fano import EliasFano
from costbench.training.wire.positions.entropy import Entropy
from costbench.training.wire.positions.gaps import EliasGamma, GolombRice
from costbench.training.wire.positions.plain import Bitmap, Coo16, Coo32, Coo64, Packed
from costbench.training.wire.positions.position_code import Pieces, Places, PositionCode, Section

CODES: dict[str, type[PositionCode]] = {
    code.name: code
    for code in (Coo16, Coo32, Coo64, Packed, Bitmap, GolombRice, EliasFano, EliasGamma, Entropy)
}

__all__ = ["CODES", "Pieces", "Places", "PositionCode", "Section"]
