"""The algorithms that a spec can name, one file each."""

from __future__ import annotations

from costbench import spec
from costbench.training.algorithms.algorithm import Algorithm, Incoming, Local, Outgoing
from costbench.training.algorithms.d_psgd import DPsgd
from costbench.training.algorithms.scsp import Scsp
from costbench.training.algorithms.sgp import Sgp
from costbench.training.algorithms.sparse_push import SparsePush
from costbench.training.compressors import TopK
from costbench.training.layout import Layout
from costbench.training.sgd import Sgd

Settings = spec.SparsePush | spec.Scsp | spec.Sgp | spec.DPsgd


def build(settings: Settings, sgd: Sgd, layout: Layout, training_rounds: int) -> Algorithm:
    """The algorithm that the spec asks for."""
    match settings:
        case spec.SparsePush():
            return SparsePush(sgd, TopK(layout, settings.keep), settings.gamma)
        case spec.Scsp():
            top_k = TopK(layout, settings.keep)
            return Scsp(
                sgd,
                top_k,
                settings.gamma,
                training_rounds,
                settings.merge_rounds,
                settings.refresh_statistics,
            )
        case spec.Sgp():
            return Sgp(sgd)
        case spec.DPsgd():
            return DPsgd(sgd)


__all__ = ["Algorithm", "Incoming", "Layout", "Local", "Outgoing", "build"]
