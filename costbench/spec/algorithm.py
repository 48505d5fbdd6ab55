"""How the nodes learn together: algorithms, and what they compress messages with."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from costbench.spec.part import Callable_, Fraction, Gamma, Keep, Part, Period, Share, with_user_kind

Scope = Annotated[Literal["tensor", "global"], Field(description="k of every tensor, or of all entries")]


class TopK(Part):
    """The k entries of largest magnitude."""

    kind: Literal["top-k"]
    keep: Keep
    scope: Scope = "tensor"


class RandomK(Part):
    """k entries at positions that sender and receiver draw from a shared seed."""

    kind: Literal["random-k"]
    keep: Keep
    scope: Scope = "tensor"


class Sign(Part):
    """The sign of every entry, and the mean magnitude of every tensor."""

    kind: Literal["sign"]


class Qsgd(Part):
    """Entries rounded at random to multiples of the tensor's norm / levels."""

    kind: Literal["qsgd"]
    levels: int = Field(ge=1, lt=2**15)


class NoCompression(Part):
    """Everything."""

    kind: Literal["none"]


CompressorPart = Annotated[TopK | RandomK | Sign | Qsgd | NoCompression, Field(discriminator="kind")]


class SparsePush(Part):
    """Sparse-Push: top-k per tensor, error memory, push-sum."""

    kind: Literal["sparse-push"]
    keep: Keep
    gamma: Gamma


class Scsp(Part):
    """Skew-Compensated Sparse Push, final-merge reading."""

    kind: Literal["scsp"]
    keep: Keep
    gamma: Gamma
    merge_rounds: int = Field(default=50, ge=1, description="dense gossip rounds after training")
    refresh_statistics: bool = Field(
        default=False, description="one forward pass in every merge round, for BatchNorm's statistics"
    )


class Sgp(Part):
    """Stochastic Gradient Push."""

    kind: Literal["sgp"]


class DPsgd(Part):
    """Decentralized parallel SGD."""

    kind: Literal["d-psgd"]


class PlainAveraging(Part):
    """Averaging with whatever arrives, without push-sum weights: biased on irregular digraphs."""

    kind: Literal["plain-averaging"]


class DeepSqueeze(Part):
    """Compressed models with error memory, doubly stochastic mixing."""

    kind: Literal["deepsqueeze"]
    compressor: CompressorPart
    gamma: Gamma


class ChocoSgd(Part):
    """Compressed differences to replicas that all neighbours keep."""

    kind: Literal["choco-sgd"]
    compressor: CompressorPart
    gamma: Gamma


class QgDsgdm(Part):
    """Quasi-global momentum: momentum of the difference of consecutive models."""

    kind: Literal["qg-dsgdm"]
    mu: Fraction = Field(default=0.1, gt=0, description="weight of the newest difference in the momentum")


class _Adam(Part):
    period: Period = 1
    beta1: Share = 0.9
    beta2: Share = 0.999
    tau: float = Field(default=1e-8, gt=0, description="added to the root of the second moment")
    bias_correction: bool = Field(default=False, description="as in torch.optim.Adam")


class DAdam(_Adam):
    """Decentralized Adam: local steps, averaging every `period` rounds."""

    kind: Literal["d-adam"]


class CdAdam(_Adam):
    """Decentralized Adam with compressed differences to replicas."""

    kind: Literal["cd-adam"]
    compressor: CompressorPart
    gamma: Gamma


class LocalSgd(Part):
    """Local steps, then the exact average by ring all-reduce."""

    kind: Literal["local-sgd"]
    period: Period


class FedAvg(Part):
    """Local steps, then the average weighted by samples, computed by the server at the hub of a star."""

    kind: Literal["fedavg"]
    period: Period


class UserAlgorithm(Part):
    """An algorithm of the user's: the callable gets the optimizer and the layout, and the options."""

    kind: Literal["module"]
    callable: Callable_
    options: dict[str, Any] = Field(default={})


AlgorithmPart = Annotated[
    Annotated[
        SparsePush | Scsp | Sgp | DPsgd | PlainAveraging | DeepSqueeze | ChocoSgd | QgDsgdm | DAdam | CdAdam
        | LocalSgd | FedAvg | UserAlgorithm,
        Field(discriminator="kind"),
    ],
    BeforeValidator(with_user_kind),
]  # fmt: skip
