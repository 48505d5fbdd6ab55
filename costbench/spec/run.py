"""RunSpec: what to run, validated. Its canonical JSON is hashed to the run's id."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from costbench.spec.algorithm import AlgorithmPart, CdAdam, DAdam, FedAvg, LocalSgd
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


class Wire(Part):
    """How vectors become bytes."""

    codec: Literal["auto", "dense", "packed"] = "auto"
    values: Literal["float32"] = "float32"


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
        if self.wire.codec == "packed" and (other := self._not_packed()):
            raise refused(f"auto or dense with {other}", "wire.codec", "packed")
        return self

    def _not_packed(self) -> str:
        """What makes messages that entries and positions cannot carry; "" where nothing does."""
        if isinstance(self.algorithm, LocalSgd):
            return "local-sgd, which sends blocks"
        compressor = getattr(self.algorithm, "compressor", None)
        if compressor and compressor.kind in ("random-k", "sign", "qsgd"):
            return f"the compressor {compressor.kind}"
        return ""

    def resolved(self) -> dict[str, Any]:
        """Every key with its value, as JSON types."""
        return self.model_dump(mode="json")

    def run_id(self) -> str:
        """First 12 hex digits of the SHA-256 of the canonical JSON of the resolved spec."""
        canonical = json.dumps(self.resolved(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:12]
