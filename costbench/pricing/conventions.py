"""The same messages counted by the conventions of publications: how many times fewer than dense float32.

| name      | a dense message       | a sparse message             | counted                   |
|-----------|-----------------------|------------------------------|---------------------------|
| `encoded` | 32 N                  | the bits that were sent      | every message             |
| `aketi`   | 32 (N + 1)            | 48 K + 24                    | every message             |
| `choco`   | 32 N                  | 64 K                         | once for all receivers    |
| `qgm`     | 32 N                  | 32 K                         | out-degree + 1 times      |
| `log2`    | 32 (N + 1)            | sum (32 + ceil(log2 n)) k + 24 | every message           |
| `entropy` | 32 (N + 1)            | sum 32 k + log2 C(n, k) + 24 | every message             |

N entries in pieces of n, K kept entries in pieces with k; all in bits. `aketi` reproduces the two ratios
that arXiv 2102.05715 prints, but its 16-bit indices cannot address tensors above 65,536 entries; `log2` and
`entropy` keep its count of the push-sum weight and code positions in as many bits as they need.

A message of b bits an entry and a norm a tensor (sign, QSGD) has no positions: all conventions count b N and
32 bits a tensor, as the code of `choco` does for the sign, and differ in the weight and in who is counted.
Part of a dense vector counts 32 bits an entry in all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from costbench.pricing.counts import payload_bits

if TYPE_CHECKING:
    from costbench.runstore import Run

FLOAT_BITS = 32
#: what the accounting of arXiv 2102.05715 adds to a sparse message for the push-sum weight [bit]
WEIGHT_BITS = 24
WITH_PUSH_SUM_WEIGHT = ("aketi", "log2", "entropy")
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


def quantised_bits(convention: str, tensors: Sequence[int], entry_bits: int) -> int:
    """Bits of a message with a few bits an entry and a float32 norm a tensor.

    Parameters
    ----------
    convention : one of CONVENTIONS but "encoded"
    tensors : entries of each tensor [T], [1]
    entry_bits : scalar, bits of an entry, its sign included [bit]

    Returns
    -------
    Bits by that convention [bit]

    Source
    ------
    A. Koloskova et al., ICML 2019, released code, for the sign; for QSGD the same rule, which is ours
    """
    weight = WEIGHT_BITS if convention in WITH_PUSH_SUM_WEIGHT else 0
    return entry_bits * sum(tensors) + FLOAT_BITS * len(tensors) + weight


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
    messages: pd.DataFrame,
    layout_numel: Sequence[int],
    sparse: Tensors | None = None,
    entry_bits: int | None = None,
) -> dict[str, float]:
    """The run's dense float32 messages over what was sent, by each convention.

    A message with all elements of the layout is dense, or quantised where `entry_bits` is given; one with the
    kept elements of `sparse` is sparse; without either, it is a part of a dense vector.

    Parameters
    ----------
    messages : table of messages, lost ones included [M rows]
    layout_numel : entries of each parameter tensor [T], [1]
    sparse : entries and kept entries of the pieces of a sparse message; None if the run has none [1]
    entry_bits : scalar, bits of an entry of a quantised message; None if the run has none [bit]

    Returns
    -------
    Ratio of each convention [1]; NaN where nothing was sent, and for all but `encoded` where a message has
    other elements than the run's messages can have
    """
    elements, entries = messages["elements"].to_numpy(), sum(layout_numel)
    whole = elements == entries
    parts = sparse is None and entry_bits is None
    kept = whole if sparse is None else elements == sum(sparse.kept)
    dense_elements = elements if parts else np.full(len(messages), entries)
    ratios = {"encoded": _ratio(FLOAT_BITS * dense_elements.sum(), float(payload_bits(messages).sum()))}
    for convention in CONVENTIONS[1:]:
        dense = np.where(whole | (not parts), float(dense_bits(convention, entries)), FLOAT_BITS * elements)
        billed = dense.copy()
        if sparse is not None:
            billed[kept & ~whole] = sparse_bits(convention, sparse)
        if entry_bits is not None:
            billed[whole] = quantised_bits(convention, layout_numel, entry_bits)
        if not (parts or (whole | kept).all()):
            billed = np.full(len(messages), math.nan)
        weights = message_weights(convention, messages)
        ratios[convention] = _ratio(float(dense @ weights), float(billed @ weights))
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
    Ratio of each convention [1]. The parts of a ring all-reduce are compared with dense messages of as many
    entries; NaN for all but `encoded` where an algorithm of the user's sends what no convention knows
    """
    layout = [tensor["numel"] for tensor in run.record["layout"]]
    algorithm = run.record["spec"]["algorithm"]
    compressor = {**algorithm, **(algorithm.get("compressor") or {})}
    keep, global_ = compressor.get("keep"), compressor.get("scope") == "global"
    pieces = [sum(layout)] if global_ else layout
    sparse = Tensors(pieces, kept_entries(pieces, keep)) if keep else None
    return compression(run.ledger.messages.to_pandas(), layout, sparse, _entry_bits(compressor))


def _entry_bits(compressor: dict[str, Any]) -> int | None:
    """Bits of an entry of a quantised message: 1 of a sign, ceil(log2(2 s + 1)) of one of s levels."""
    if compressor["kind"] == "sign":
        return 1
    return int(2 * compressor["levels"]).bit_length() if compressor["kind"] == "qsgd" else None
