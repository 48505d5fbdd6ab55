"""From the spec's algorithm to its object."""

from __future__ import annotations

from costbench import spec
from costbench.errors import InputError
from costbench.training import compressors
from costbench.training.algorithms.algorithm import Algorithm
from costbench.training.algorithms.cd_adam import CdAdam
from costbench.training.algorithms.choco_sgd import ChocoSgd
from costbench.training.algorithms.d_adam import DAdam
from costbench.training.algorithms.d_psgd import DPsgd
from costbench.training.algorithms.deepsqueeze import DeepSqueeze
from costbench.training.algorithms.fedavg import FedAvg
from costbench.training.algorithms.local_sgd import LocalSgd
from costbench.training.algorithms.plain_averaging import PlainAveraging
from costbench.training.algorithms.qg_dsgdm import QgDsgdm, QuasiGlobalStep
from costbench.training.algorithms.replicas import replicas
from costbench.training.algorithms.scsp import Scsp
from costbench.training.algorithms.sgp import Sgp
from costbench.training.algorithms.sparse_push import SparsePush
from costbench.training.layout import Layout
from costbench.training.optimizers import Adam, Schedule, Sgd
from costbench.training.user_code import imported, reason


def build(run: spec.RunSpec, layout: Layout, lr: Schedule, static: bool, file: str = "spec") -> Algorithm:
    """The algorithm that the spec asks for.

    Parameters
    ----------
    run : the spec
    layout : of the model
    lr : learning rate of every round
    static : whether the graph is the same in every round
    file : name under which an error refers to the spec
    """
    settings, sgd, values = run.algorithm, Sgd(run.optimizer, lr), run.wire.values
    match settings:
        case spec.SparsePush():
            return SparsePush(sgd, compressors.TopK(layout, settings.keep, values=values), settings.gamma)
        case spec.Scsp():
            top_k = compressors.TopK(layout, settings.keep, values=values)
            merge, refresh = settings.merge_rounds, settings.refresh_statistics
            return Scsp(sgd, top_k, settings.gamma, lr.training_rounds, merge, refresh)
        case spec.Sgp():
            return Sgp(sgd)
        case spec.DPsgd():
            return DPsgd(sgd)
        case spec.PlainAveraging():
            return PlainAveraging(sgd)
        case spec.DeepSqueeze():
            return DeepSqueeze(sgd, compressors.build(settings.compressor, layout, values), settings.gamma)
        case spec.ChocoSgd():
            compressor = compressors.build(settings.compressor, layout, values)
            return ChocoSgd(sgd, replicas(compressor, static), compressor, settings.gamma)
        case spec.QgDsgdm():
            return QgDsgdm(QuasiGlobalStep(run.optimizer, lr), settings.mu)
        case spec.DAdam():
            return DAdam(Adam(run.optimizer, settings, lr), settings.period)
        case spec.CdAdam():
            adam, compressor = (
                Adam(run.optimizer, settings, lr),
                compressors.build(settings.compressor, layout, values),
            )
            return CdAdam(adam, replicas(compressor, static), compressor, settings.gamma, settings.period)
        case spec.LocalSgd():
            return LocalSgd(sgd, settings.period)
        case spec.FedAvg():
            return FedAvg(sgd, settings.period)
        case spec.UserAlgorithm():
            return _users_own(settings, sgd, layout, file)


def _users_own(settings: spec.UserAlgorithm, sgd: Sgd, layout: Layout, file: str) -> Algorithm:
    key = "algorithm.callable"
    make = imported(settings.callable, key, file)
    try:
        algorithm = make(sgd, layout, **settings.options)
    except Exception as error:
        allowed = f"a callable of optimizer, layout and the options ({reason(error)})"
        raise InputError(file, key, settings.callable, allowed) from None
    if not isinstance(algorithm, Algorithm):
        allowed = f"a callable that returns an Algorithm, not {algorithm!r}"
        raise InputError(file, key, settings.callable, allowed)
    return algorithm
