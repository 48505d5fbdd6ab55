"""What one device computes and holds with ResNet-20, alone and as one of 16: arXiv 2102.05715.

5.24 and 0.33 GFlops, 243 and 20.3 MB. 16 devices share the batch of 128, so each computes with 8 samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from costbench.reproduction.claim import Claim, reading_words
from costbench.reproduction.settings import BATCH, DEVICES, IMAGE, KEEP, RESNET20
from costbench.spec import RunSpec
from costbench.training.counters.forward import count_layers
from costbench.training.first_message import model_of
from costbench.training.first_round import FirstRound, first_round

GIGA, MEGA = 1e9, 1e6
BATCH_NORM_FLOP = 2
"""An output element of BatchNorm with fixed statistics, as fvcore counts it."""


@dataclass(frozen=True)
class Fleet:
    """How many devices train ResNet-20 together, and how."""

    nodes: int
    topology: str
    algorithm: str
    settings: tuple[tuple[str, float], ...] = ()

    @property
    def batch(self) -> int:
        """Samples of one device in a step."""
        return BATCH // self.nodes

    @property
    def words(self) -> str:
        return f"{self.algorithm} on {self.nodes} devices" if self.nodes > 1 else "SGD on one device"

    def spec(self) -> RunSpec:
        """One round on images of CIFAR-10's shape."""
        algorithm: dict[str, Any] = {"kind": self.algorithm, **dict(self.settings)}
        return RunSpec.model_validate(
            {
                "name": f"{self.nodes} devices",
                "nodes": self.nodes,
                "rounds": 1,
                "task": {
                    "dataset": "costbench.training.data.made_up:cifar10_shaped",
                    "model": RESNET20.model_dump(),
                    "batch": self.batch,
                },
                "optimizer": {"lr": 0.1, "momentum": 0.9, "weight_decay": 1e-4},
                "topology": {"kind": self.topology},
                "algorithm": algorithm,
            }
        )


CENTRAL = Fleet(1, "complete", "d-psgd")
SPARSE_PUSH = Fleet(DEVICES, "one-peer-exponential", "sparse-push", (("keep", KEEP), ("gamma", 0.01)))


def gflops_central() -> Claim:
    """5.24 GFlops on one device."""
    return _gflops("resnet20-gflops-central", "5.24", CENTRAL)


def gflops_of_16() -> Claim:
    """0.33 GFlops on each of 16."""
    return _gflops("resnet20-gflops-16", "0.33", SPARSE_PUSH)


def memory_central() -> Claim:
    """243 MB on one device."""
    return _memory("resnet20-memory-central-mb", "243", CENTRAL)


def memory_of_16() -> Claim:
    """20.3 MB on each of 16."""
    return _memory("resnet20-memory-16-mb", "20.3", SPARSE_PUSH)


def _gflops(name: str, printed: str, fleet: Fleet) -> Claim:
    parts = forward_multiply_adds()
    computed = sum(parts.values()) * fleet.batch / GIGA
    flop = _round(fleet).flop
    named = " + ".join(f"{kind} {count:,}" for kind, count in parts.items())
    rule = (
        f"forward multiply-adds of option-A ResNet-20, one counted as one: ({named}) x batch {fleet.batch}; "
        f"{reading_words(computed, printed, 'rounded')}. A real step of {fleet.words} is "
        f"{sum(flop.values()) / GIGA:.2f} GFLOP at 2 a multiply-add: {_listed(flop, GIGA)}"
    )
    return Claim(name, printed, computed, rule, "consistent")


def _memory(name: str, printed: str, fleet: Fleet) -> Claim:
    held = dict(_round(fleet).bytes_of)
    computed = held.pop("peak") / MEGA
    rule = (
        f"no exact rule is known; ours is the peak of live tensor bytes in a round of {fleet.words}, batch "
        f"{fleet.batch}, at 10^6 bytes a MB. Peaks of its parts, which do not add up: "
        f"{_listed(held, MEGA)} MB"
    )
    return Claim(name, printed, computed, rule, "unknown")


@cache
def forward_multiply_adds() -> dict[str, int]:
    """Of one 3x32x32 sample through ResNet-20, by fvcore's convention: one multiply-add is one."""
    layers = count_layers(model_of(RESNET20, IMAGE, 10), IMAGE)
    return {
        "conv": layers["Conv2d"].multiply_adds,
        "BN": BATCH_NORM_FLOP * layers["BatchNorm2d"].outputs,
        "FC": layers["Linear"].multiply_adds,
    }


@cache
def _round(fleet: Fleet) -> FirstRound:
    return first_round(fleet.spec())


def _listed(counts: dict[str, int], unit: float) -> str:
    return ", ".join(f"{name} {count / unit:.3g}" for name, count in counts.items() if count)
