"""What an algorithm is: one generator a round, run on every node, that yields what the node sends.

    inbox = yield Outgoing(vector, side)

hands a vector and side numbers to every out-neighbour and returns what arrived from the
in-neighbours. An algorithm may exchange any number of times in a round, or not at all; it knows
nothing of files, meters or joules.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from costbench.training.nodes import Batch, Buffer, Node
from costbench.training.sgd import Sgd
from costbench.training.vectors import Vector


@dataclass(frozen=True)
class Outgoing:
    """A vector over D and, where the algorithm has them, side numbers float32 [S]."""

    vector: Vector
    side: Tensor | None = None


@dataclass(frozen=True)
class Incoming:
    """What arrived from one in-neighbour j, and W[i, j], the weight that this node puts on it."""

    vector: Vector
    side: Tensor
    weight: float


@dataclass(frozen=True)
class Local:
    """What a node knows in round t besides its own state.

    `draw()` gives the round's batch. `self_weight` is W[i, i]; a column-stochastic W has the same W[j, i]
    for every out-neighbour j.
    """

    t: int
    draw: Callable[[], Batch]
    self_weight: float


Inbox = Iterable[Incoming]
Round = Generator[Outgoing, Inbox, None]


class Algorithm(ABC):
    """One decentralized learning algorithm."""

    buffers: ClassVar[Mapping[str, Buffer]]
    """State beyond the optimizer's, by name."""
    model_row: ClassVar[str]
    """The buffer in which the model's parameters lie."""
    doubly_stochastic: ClassVar[bool]
    """Mixes with Metropolis weights on undirected graphs; else W is column-stochastic."""
    reading: str
    """Which reading of the paper this is."""
    extra_rounds: int = 0
    """Rounds after those of the spec."""
    kept: Sequence[int] | None = None
    """Entries that a sparse message keeps of every tensor; None where all messages are dense."""

    def __init__(self, sgd: Sgd):
        self.sgd = sgd

    @abstractmethod
    def round(self, node: Node, local: Local) -> Round:
        """One round of the pseudo-code on one node."""

    def regime(self, t: int) -> str:
        """Rounds of one regime run the same operators on the same shapes."""
        return "train"

    def estimate(self, node: Node) -> None:
        """Bring the model's row up to date with the node's state, to be evaluated."""


class PushSum(Algorithm):
    """x push-sum numerator, w push-sum weight, z = x / w model: unbiased on irregular digraphs."""

    buffers: ClassVar[Mapping[str, Buffer]] = {
        "x": Buffer("parameters"),
        "z": Buffer("parameters", "parameters"),
        "w": Buffer("one"),
    }
    model_row = "z"
    doubly_stochastic = False

    def estimate(self, node: Node) -> None:
        torch.div(node.x, node.w, out=node.z)
