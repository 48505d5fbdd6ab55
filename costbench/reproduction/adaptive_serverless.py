"""Bits that a device sends in an iteration of D-Adam and CD-Adam: arXiv 2008.10422.

32 N d / p for D-Adam and bits(Q) d / p for CD-Adam, for N parameters, d neighbours and period p. No figure of
the paper is known, so D-PSGD on the same model and graph is what they are compared with. Model, graph and
compressors are those of the shipped suite `deepfm`, on the fields of the shipped data set `adult`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

from costbench.reproduction.claim import Claim
from costbench.spec import CdAdam, NoCompression, Qsgd, RunSpec, load_suite
from costbench.spec.algorithm import CompressorPart
from costbench.training import topology
from costbench.training.data import Tables, load
from costbench.training.first_message import FirstMessage, model_of

PERIODS = (1, 4, 16)
SUITE, DATASET = "deepfm", "adult"
EVERYTHING = NoCompression(kind="none")


@cache
def _specs() -> list[RunSpec]:
    return [spec for _, spec in load_suite(SUITE)[1]]


def compressors() -> dict[str, CompressorPart]:
    """The compressors of the suite's CD-Adam variants, by a short name."""
    found = [spec.algorithm.compressor for spec in _specs() if isinstance(spec.algorithm, CdAdam)]
    return {_short(compressor): compressor for compressor in found}


def _short(compressor: CompressorPart) -> str:
    return f"qsgd{compressor.levels}" if isinstance(compressor, Qsgd) else compressor.kind


def _long(compressor: CompressorPart) -> str:
    settings = compressor.model_dump(include={"keep", "levels"}).items()
    return " ".join([compressor.kind, *(f"{key} {entry}" for key, entry in settings)])


@cache
def message() -> FirstMessage:
    """Of the DeepFM, which sees the fields of the data set."""
    data = load(DATASET)
    assert isinstance(data, Tables)
    return FirstMessage(model_of(_specs()[0].task.model, (len(data.fields),), 1, data.vocabulary))


@cache
def neighbours() -> int:
    """d, of node 0 of the suite's graph."""
    first = _specs()[0]
    graph = topology.build(nodes=first.nodes, seed=first.seed, **first.topology.model_dump(exclude_none=True))
    return len(graph.neighbours(0))


def d_psgd() -> Claim:
    """What the others are compared with: all parameters in every iteration."""
    return _claim("d-psgd", EVERYTHING, 1, _dense_rule(1))


def d_adam(period: int) -> Claim:
    """All parameters in every `period`-th iteration."""
    return _claim(f"d-adam-p{period}", EVERYTHING, period, _dense_rule(period))


def cd_adam(name: str, period: int) -> Claim:
    """What the compressor leaves of them in every `period`-th iteration."""
    compressor = compressors()[name]
    bits = message().bits(compressor, _fixed_length(compressor))
    kinds = {"values": bits.value, "positions": bits.index, "scales": bits.side}
    listed = " + ".join(f"{count:,} of {kind}" for kind, count in kinds.items() if count)
    rule = f"bits(Q) d / p, {_long(compressor)}: bits(Q) = {listed}, d = {neighbours()}, p = {period}"
    return _claim(f"cd-adam-{name}-p{period}", compressor, period, rule)


def claims() -> list[Callable[[], Claim]]:
    """D-PSGD, then D-Adam by period, then CD-Adam by compressor and period."""
    return [d_psgd, *(partial(d_adam, period) for period in PERIODS), *_of_cd_adam()]


def _of_cd_adam() -> Iterator[Callable[[], Claim]]:
    return (partial(cd_adam, name, period) for name in compressors() for period in PERIODS)


def _dense_rule(period: int) -> str:
    return f"32 N d / p, N = {sum(message().numels):,}, d = {neighbours()}, p = {period}"


def _claim(name: str, compressor: CompressorPart, period: int, rule: str) -> Claim:
    """Values, positions and scales count by the paper's rule; header and padding are on the wire, too."""
    fixed, auto = (message().bits(compressor, codec) for codec in (_fixed_length(compressor), "auto"))
    share = neighbours() / period
    computed = (fixed.value + fixed.index + fixed.side) * share
    times = 32 * sum(message().numels) * neighbours() / computed
    return Claim(
        name,
        None,
        computed,
        f"{rule}; D-PSGD over this: {times:.4g}",
        "unknown",
        encoded=fixed.total * share,
        encoded_auto=auto.total * share,
    )


def _fixed_length(compressor: CompressorPart) -> str:
    """The codec whose messages are as long whatever the data."""
    return {"top-k": "packed", "none": "dense"}.get(compressor.kind, compressor.kind)
