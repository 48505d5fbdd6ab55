"""The same messages counted by the conventions of publications: how many times fewer than dense float32.

| name      | a dense message       | a sparse message             | counted                   |
|-----------|-----------------------|------------------------------|---------------------------|
| `encoded` | 32 N                  | the bits that were sent      | every message             |
| `aketi`   | 32 (N + 1)            | 48 K + 24                    | every message             |
| `choco`   | 32 N                  | 64 K                         | once for all receivers    |
| `qgm`     | 32 N                  | 32 K                         | out-degree + 1 times      |
| `log2`    | 32 (N + 1)            | sum (32 + ceil(log2 n)) k + 24 | every message           |
| `entropy` | 32 (N + 1)            | sum 32 k + log2 C(n, k) + 24 | every message             |

N entries in tensors of n, K kept entries in tensors with k; all in bits. `aketi` reproduces the two ratios
that arXiv 2102.05715 prints, but its 16-bit indices cannot address tensors above 65,536 entries; `log2` and
`entropy` keep its count of the push-sum weight and code positions in as many bits as they need.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from costbench.pricing.counts import payload_bits

if TYPE_CHECKING:
    from costbench.runstore import Run

FLOAT_BITS = 32
#: what the accounting of arXiv 2102.05715 adds to a sparse message for the push-sum weight [bit]
WEIGHT_BITS = 24
WITH_PUSH_SUM_WEIGHT = ("aketi", "log2", "entropy")
WITHOUT_FORMULA = ("random-k", "sign", "qsgd")
CONVENTIONS = ("encoded", "aketi", "choco", "qgm", "log2", "entropy")


class Tensors(NamedTuple):
    """Entries of each parameter tensor, and how many of them a sparse message keeps [1]."""

    numel: list[int]
    kept: list[int]


def kept_entries(layout_numel: Sequence[int], keep: float) -> list[int]:
    """Entries that top-k keeps of each tensor.

    Parameters
    ----------
    layout_numel : entries of each tensor [T], [1]
    keep : scalar, share that is kept, above 0 to 1 [1]

    Returns
    -------
    k = max(1, int(numel * keep)) of each tensor [T], [1]
    """
    return [max(1, int(numel * keep)) for numel in layout_numel]


def dense_bits(convention: str, entries: int) -> int:
    """Bits of a dense float32 message.

    Parameters
    ----------
    convention : one of CONVENTIONS
    entries : scalar, number of parameters N [1]

    Returns
    -------
    Bits by that convention; some add the push-sum weight, a float32 [bit]

    Source
    ------
    S. A. Aketi et al., Sparse-Push, arXiv 2102.05715, 2021, accounting reconstructed from its ratios
    """
    return FLOAT_BITS * (entries + (convention in WITH_PUSH_SUM_WEIGHT))


def sparse_bits(convention: str, tensors: Tensors) -> float:
    """Bits of a message that keeps some entries of each tensor.

    Parameters
    ----------
    convention : one of CONVENTIONS but "encoded", which has no formula
    tensors : entries and kept entries of each tensor [1]

    Returns
    -------
    Bits by that convention [bit]; not a whole number for `entropy`, a bound

    Raises
    ------
    KeyError : a convention without a formula

    Source
    ------
    `aketi` arXiv 2102.05715, reconstructed; `choco` A. Koloskova et al., ICML 2019, released code; `qgm`
    T. Lin et al., ICML 2021, released code; `entropy` T. Cover and J. Thomas, Elements of Information
    Theory, 2006, section 11.1
    """
    weight = WEIGHT_BITS if convention in WITH_PUSH_SUM_WEIGHT else 0
    return float(_SPARSE[convention](tensors) + weight)


def _entropy(tensors: Tensors) -> float:
    positions = sum(_log2_binomial(n, k) for n, k in zip(*tensors, strict=True))
    return FLOAT_BITS * sum(tensors.kept) + positions


def _log2_binomial(n: int, k: int) -> float:
    return (math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)) / math.log(2)


def _log2_index(tensors: Tensors) -> int:
    return sum((FLOAT_BITS + (n - 1).bit_length()) * k for n, k in zip(*tensors, strict=True))


_SPARSE: dict[str, Callable[[Tensors], float]] = {
    "aketi": lambda tensors: 48 * sum(tensors.kept),
    "choco": lambda tensors: 64 * sum(tensors.kept),
    "qgm": lambda tensors: FLOAT_BITS * sum(tensors.kept),
    "log2": _log2_index,
    "entropy": _entropy,
}


def ratio_with_final_rounds(dense: float, sparse: float, rounds: int, final_rounds: int) -> float:
    """How many times fewer bits a node sends when rounds of dense messages end the run.

    ratio = T dense / (T sparse + R dense)

    Parameters
    ----------
    dense, sparse : scalars, one message of each kind, in the same unit [bit]
    rounds : scalar, sparse rounds T [1]
    final_rounds : scalar, dense rounds R at the end [1]

    Returns
    -------
    Ratio [1]

    Source
    ------
    arXiv 2102.05715, reconstructed from two of its printed ratios
    """
    return rounds * dense / (rounds * sparse + final_rounds * dense)


def compression(
    messages: pd.DataFrame, layout_numel: Sequence[int], keep: float | None = None
) -> dict[str, float]:
    """The run's dense float32 messages over what was sent, by each convention.

    A message with as many elements as the layout is dense. Any other must have the entries that top-k
    keeps; if one has not, or nothing was sent, a ratio is NaN: its convention has no formula for it.

    Parameters
    ----------
    messages : table of messages, lost ones included [M rows]
    layout_numel : entries of each parameter tensor [T], [1]
    keep : scalar, share that sparse messages keep; None if the run has only dense messages [1]

    Returns
    -------
    Ratio of each convention [1]
    """
    sent, entries = payload_bits(messages), sum(layout_numel)
    elements = messages["elements"].to_numpy()
    is_dense = elements == entries
    tensors = Tensors(list(layout_numel), kept_entries(layout_numel, keep) if keep else [])
    ratios = {"encoded": _ratio(dense_bits("encoded", entries) * len(messages), float(sent.sum()))}
    if not (is_dense | (elements == sum(tensors.kept))).all():
        return ratios | dict.fromkeys(CONVENTIONS[1:], math.nan)
    for convention in CONVENTIONS[1:]:
        weights = message_weights(convention, messages)
        dense = float(dense_bits(convention, entries))
        sparse = math.nan if is_dense.all() else sparse_bits(convention, tensors)
        billed = np.where(is_dense, dense, sparse)
        ratios[convention] = _ratio(dense * weights.sum(), float(billed @ weights))
    return ratios


def message_weights(convention: str, messages: pd.DataFrame) -> np.ndarray:
    """How often a convention counts each message.

    Parameters
    ----------
    convention : one of CONVENTIONS
    messages : table of messages [M rows]

    Returns
    -------
    [M], weight [1]: a broadcast counts once in `choco`, and a sender once more in `qgm`
    """
    if convention == "choco":
        of_content = messages.groupby(["round", "sender", "content"])["receiver"]
        return 1.0 / of_content.transform("size").to_numpy(dtype=float)
    if convention == "qgm":
        return 1.0 + 1.0 / messages.groupby(["round", "sender"])["receiver"].transform("size").to_numpy(float)
    return np.ones(len(messages))


def _ratio(dense: float, sent: float) -> float:
    return float(dense / sent) if sent else math.nan


def compression_ratios(run: Run) -> dict[str, float]:
    """`compression` of a sealed run.

    Parameters
    ----------
    run : a run of the run store

    Returns
    -------
    Ratio of each convention [1]; NaN for all but `encoded` where a message is not a whole dense vector or its
    top-k. The parts of a ring all-reduce are compared with dense messages of as many entries
    """
    messages = run.ledger.messages.to_pandas()
    layout = [tensor["numel"] for tensor in run.record["layout"]]
    algorithm = run.record["spec"]["algorithm"]
    compressor = algorithm.get("compressor") or {"kind": "none"}
    if algorithm["kind"] == "local-sgd":
        return _encoded_alone(FLOAT_BITS * int(messages["elements"].sum()), messages)
    if compressor["kind"] in WITHOUT_FORMULA:
        return _encoded_alone(dense_bits("encoded", sum(layout)) * len(messages), messages)
    keep = algorithm.get("keep") or (compressor.get("keep") if compressor.get("scope") == "tensor" else None)
    return compression(messages, layout, keep)


def _encoded_alone(dense: int, messages: pd.DataFrame) -> dict[str, float]:
    """The ratio of what was encoded, given the bits of dense float32; no other convention has a formula."""
    ratio = _ratio(dense, float(payload_bits(messages).sum()))
    return {"encoded": ratio, **dict.fromkeys(CONVENTIONS[1:], math.nan)}
