"""The papers whose cost figures can be reproduced, and their claims."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from costbench.errors import UsageError
from costbench.reproduction.claim import Claim

SCHEMA = 1


@dataclass(frozen=True)
class Reproduction:
    """All claims of a paper.

    Attributes
    ----------
    name : name of the paper on the command line
    title : what the claims are about, with the paper
    """

    name: str
    title: str
    claims: Sequence[Claim]

    def to_json(self) -> dict[str, Any]:
        """The document that `costbench reproduce --json` prints."""
        return {"schema": SCHEMA, "claims": [claim.to_json() for claim in self.claims]}


@dataclass(frozen=True)
class Paper:
    """What the claims are about, and how each is computed; training is imported when `claims` is called."""

    title: str
    claims: Callable[[], Sequence[Callable[[], Claim]]]


def _sparse_push() -> Sequence[Callable[[], Claim]]:
    from costbench.reproduction import device, ratios

    return (
        ratios.vgg11,
        ratios.vgg11_bn,
        ratios.resnet110,
        device.gflops_central,
        device.gflops_of_16,
        device.memory_central,
        device.memory_of_16,
    )


def _adaptive_serverless() -> Sequence[Callable[[], Claim]]:
    from costbench.reproduction import adaptive_serverless

    return adaptive_serverless.claims()


PAPERS = {
    "sparse-push": Paper("Sparse-Push, arXiv 2102.05715", _sparse_push),
    "adaptive-serverless": Paper(
        "Adaptive Serverless Learning, arXiv 2008.10422: bits that a device sends in an iteration",
        _adaptive_serverless,
    ),
}


def reproduce(name: str, progress: Callable[[int, int], None] = lambda done, of: None) -> Reproduction:
    """Compute every claim of a paper.

    Parameters
    ----------
    name : a key of PAPERS
    progress : called with the claims that are computed and all claims

    Raises
    ------
    UsageError : there is no such paper
    """
    if name not in PAPERS:
        raise UsageError(f"no paper {name!r}: give one of {', '.join(PAPERS)}")
    computations = PAPERS[name].claims()
    claims: list[Claim] = []
    for compute in computations:
        claims.append(compute())
        progress(len(claims), len(computations))
    return Reproduction(name, PAPERS[name].title, claims)
