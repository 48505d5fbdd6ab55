"""RunSpec: what to run, validated. Its canonical JSON is hashed to the run's id."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from costbench.spec.algorithm import AlgorithmPart, CdAdam, DAdam, FedAvg, LocalSgd, Scsp, SparsePush
from costbench.spec.graph import Links, TopologyPart
from costbench.spec.part import Part, Share, one_of_two, refused
from costbench.spec.task import Task

Epoch = Annotated[int, Field(ge=0)]
Factor = Annotated[float, Field(gt=0)]


class Optimizer(Part):
    """The local step of SGD, and the learning rate of every algorithm."""

    lr: float = Field(gt=0)
    momentum: Share = 0.0
    nesterov: bool = False
    weight_decay: float = Field(default=0.0, ge=0)
    warmup_epochs: int = Field(default=0, ge=0, description="epochs of warm-up, from a tenth of lr")
    warmup: Literal["flat", "linear"] = Field(default="flat", description="a tenth throughout, or rising")
    milestones: dict[Epoch, Factor] = Field(default={}, description="epoch -> factor on lr from there on")
    schedule: Literal["milestones", "cosine"] = Field(
        default="milestones", description="cosine: from lr to 0 over all training rounds"
    )

    @model_validator(mode="after")
    def _consistent(self) -> Optimizer:
        if self.nesterov and not self.momentum:
            raise refused("a momentum above 0, which nesterov needs", "momentum", self.momentum)
        if self.schedule == "cosine" and self.milestones:
            raise refused("no milestones where the schedule is cosine", "milestones", self.milestones)
        return self


POSITION_CODES = (
    "coo16", "coo32", "coo64", "packed", "bitmap", "golomb-rice", "elias-fano", "elias-gamma", "entropy",
)  # fmt: skip
CODEC_OF = {"random-k": "seeded", "sign": "sign", "qsgd": "qsgd"}
"""The codec that is made for what a compressor makes."""


class Wire(Part):
    """How vectors become bytes."""

    codec: Literal[
        "auto", "dense", "coo16", "coo32", "coo64", "packed", "bitmap", "golomb-rice", "elias-fano",
        "elias-gamma", "entropy", "seeded", "sign", "qsgd",
    ] = Field(default="auto", description="auto: the shortest for each message")  # fmt: skip
    values: Literal["float32", "float16", "bfloat16", "int8"] = Field(
        default="float32", description="type that entries are rounded to; int8 has a scale a tensor"
    )


class Evaluate(Part):
    """When the models are tested."""

    every: int = Field(default=50, ge=1, description="rounds between evaluations; the last is always one")


class RunSpec(Part):
    """What to run. Every key that is not given has its default written out in the resolved spec."""

    name: str = Field(min_length=1)
    seed: int = Field(default=0, ge=0, lt=2**63)
    nodes: int = Field(ge=1)
    rounds: int | None = Field(default=None, ge=1, description="training rounds; this or epochs")
    epochs: int | None = Field(default=None, ge=1, description="passes over the data; this or rounds")
    task: Task
    optimizer: Optimizer
    topology: TopologyPart
    algorithm: AlgorithmPart
    wire: Wire = Wire()
    links: Links = Links()
    evaluate: Evaluate = Evaluate()

    @model_validator(mode="after")
    def _one_length(self) -> RunSpec:
        if (self.rounds is None) == (self.epochs is None):
            raise one_of_two("rounds", "epochs", self.rounds is not None)
        return self

    @model_validator(mode="after")
    def _parts_fit_together(self) -> RunSpec:
        algorithm, graph = self.algorithm, self.topology
        if isinstance(algorithm, DAdam | CdAdam) and self.optimizer.momentum:
            allowed = f"0: {algorithm.kind} has moments of its own, beta1 and beta2"
            raise refused(allowed, "optimizer.momentum", self.optimizer.momentum)
        if isinstance(algorithm, LocalSgd) and graph.kind != "directed-ring":
            raise refused("directed-ring, over which local-sgd reduces", "topology.kind", graph.kind)
        if isinstance(algorithm, LocalSgd) and (self.links.drop or self.links.bursts):
            found = self.links.drop or "bursts"
            raise refused("0 and no bursts: a ring all-reduce needs reliable links", "links.drop", found)
        if isinstance(algorithm, FedAvg) and graph.kind != "star":
            raise refused("star, whose hub is the server of fedavg", "topology.kind", graph.kind)
        return self

    @model_validator(mode="after")
    def _messages_can_be_written(self) -> RunSpec:
        wire, makes = self.wire, self._compressor()
        if self.algorithm.kind == "module":
            return self
        if wire.codec not in self._codecs():
            allowed = f"{', '.join(self._codecs())} with {self._sender()}"
            raise refused(allowed, "wire.codec", wire.codec)
        if makes in ("sign", "qsgd") and wire.values != "float32":
            raise refused(
                f"float32 with {self._sender()}, whose only numbers are scales", "wire.values", wire.values
            )
        if wire.values == "int8" and self._scope() == "global":
            allowed = "float32, float16 or bfloat16 with scope: global, which keeps no tensors apart"
            raise refused(allowed, "wire.values", wire.values)
        return self

    def _compressor(self) -> str:
        """The kind of compressor whose messages are sent."""
        if isinstance(self.algorithm, SparsePush | Scsp):
            return "top-k"
        compressor = getattr(self.algorithm, "compressor", None)
        return compressor.kind if compressor else "none"

    def _scope(self) -> str:
        return getattr(getattr(self.algorithm, "compressor", None), "scope", "tensor")

    def _codecs(self) -> tuple[str, ...]:
        """The codecs that can write the messages of the run."""
        kind = self._compressor()
        sparse = POSITION_CODES if kind in ("top-k", "random-k") else ()
        return ("auto", "dense", *sparse, *([CODEC_OF[kind]] if kind in CODEC_OF else []))

    def _sender(self) -> str:
        kind = self._compressor()
        return (
            f"{self.algorithm.kind}, whose messages are dense" if kind == "none" else f"the compressor {kind}"
        )

    def resolved(self) -> dict[str, Any]:
        """Every key with its value, as JSON types."""
        return self.model_dump(mode="json")

    def run_id(self) -> str:
        """First 12 hex digits of the SHA-256 of the canonical JSON of the resolved spec."""
        canonical = json.dumps(self.resolved(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:12]
