"""SkipTrain's rule for the time and energy of a training round: a compatibility mode, not a measurement.

The published tables scale the AI-benchmark time of MobileNetV2 with the number of parameters, and charge the
highest power that a burn-out test found. Two models of equal arithmetic differ by what their parameters do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from costbench.errors import UsageError
from costbench.pricing.counts import Counts
from costbench.pricing.rounds import RoundKinds
from costbench.profile.compatibility import Compatibility


def skiptrain_time(
    parameters: ArrayLike,
    samples: ArrayLike,
    mobilenet_time: ArrayLike,
    reference_parameters: float,
    passes: float,
) -> np.ndarray:
    """Time of training on some samples by SkipTrain's rule.

    t = 3 t_MobileNetV2 (parameters / 3,504,872) samples

    Parameters
    ----------
    parameters : any shape, entries of the model [1]
    samples : same shape or scalar, samples of the round [1]
    mobilenet_time : same shape or scalar, of a forward pass of MobileNetV2 over one sample [s]
    reference_parameters : scalar, entries of MobileNetV2, above 0 [1]
    passes : scalar, forward passes that a training step is taken for [1]

    Returns
    -------
    Same shape, time [s]

    Raises
    ------
    ValueError : reference_parameters that are not above 0

    Validity
    --------
    Reproduces the published tables; predicts no device

    Source
    ------
    github.com/sacs-epfl/SkipTrain, tutorial/Energy_traces_CIFAR-10.csv and Energy_traces_Femnist.csv, from
    whose digits the rule was read
    """
    if reference_parameters <= 0:
        raise ValueError("reference_parameters must be above 0")
    scale = np.asarray(parameters) / reference_parameters
    return np.asarray(passes * np.asarray(mobilenet_time) * scale * np.asarray(samples))


def skiptrain_rounds(counts: Counts, kinds: RoundKinds, device: Compatibility) -> np.ndarray:
    """Time of the training steps of each kind of round by SkipTrain's rule.

    Parameters
    ----------
    counts : the run, with its model's parameters and its batch
    kinds : kinds of round, with their training steps
    device : profile of a phone of the published table

    Returns
    -------
    [V, N], time [s]; what is computed besides training steps takes none

    Raises
    ------
    UsageError : a run whose parameters or batch are unknown
    """
    if counts.parameters is None or counts.batch is None:
        raise UsageError(
            f"run {counts.run_id}: its record has no parameters or batch, which {device.id} needs"
        )
    each = skiptrain_time(
        counts.parameters,
        counts.batch,
        device.device.mobilenetv2_time.si,
        device.table.reference_parameters.si,
        device.table.passes.si,
    )
    return np.asarray(kinds.steps * each)
