"""What an algorithm is: one generator a round, run on every node, that yields what the node sends.

    inbox = yield Outgoing(vector, side)

hands a vector and side numbers to every out-neighbour and returns what arrived from the
in-neighbours. A list of them sends several messages, each to its own receivers, and an empty one only
listens. An algorithm may exchange any number of times in a round, or not at all; it knows nothing of
files, meters or joules.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

import torch
from torch import Tensor

from costbench.training.compressors import Compressor
from costbench.training.nodes import Batch, Buffer, Node
from costbench.training.vectors import Vector

Mixing = Literal["column", "row", "symmetric"]
"""Which W an algorithm mixes with: column-stochastic, row-stochastic, or both, on undirected graphs."""


@dataclass(frozen=True)
class Outgoing:
    """A vector over D and, where the algorithm has them, side numbers float32 [S]; to whom, if not to all."""

    vector: Vector
    side: Tensor | None = None
    to: Sequence[int] | None = None


@dataclass(frozen=True)
class Incoming:
    """What arrived from in-neighbour j, and W[i, j], the weight that this node puts on it."""

    vector: Vector
    side: Tensor
    weight: float
    sender: int


@dataclass(frozen=True)
class Local:
    """What a node knows in round t besides its own state.

    Attributes
    ----------
    t : the round, counted from 0
    draw : gives the round's batch
    self_weight : W[i, i]; a column-stochastic W has the same W[j, i] for every out-neighbour j
    weights : W[i, j] of every in-neighbour j of this round
    nodes : N
    samples : training samples that the node holds
    seed : a number of this node and round alone, for compressors that draw
    """

    t: int
    draw: Callable[[], Batch]
    self_weight: float
    weights: Mapping[int, float]
    nodes: int
    samples: int
    seed: int


Inbox = Iterable[Incoming]
Round = Generator[Outgoing | Sequence[Outgoing], Inbox, None]


class Optimizer(Protocol):
    """A local step on a row, from the node's gradient."""

    @property
    def buffers(self) -> Mapping[str, Buffer]: ...

    def step(self, node: Node, x_D: Tensor, t: int) -> None: ...


class Algorithm(ABC):
    """One decentralized learning algorithm."""

    buffers: Mapping[str, Buffer] = {"x": Buffer("parameters", "parameters")}
    """State beyond the optimizer's, by name."""
    model_row: ClassVar[str] = "x"
    """The buffer in which the model's parameters lie."""
    mixing: ClassVar[Mixing] = "symmetric"
    """The weights that it mixes with."""
    reading: str
    """Which reading of the paper this is."""
    extra_rounds: int = 0
    """Rounds after those of the spec."""
    compressor: Compressor | None = None
    """What compresses the messages; None where all are dense."""

    def __init__(self, optimizer: Optimizer):
        self.optimizer = optimizer

    @abstractmethod
    def round(self, node: Node, local: Local) -> Round:
        """One round of the pseudo-code on one node."""

    def regime(self, t: int) -> str:
        """Rounds of one regime run the same operators on the same shapes."""
        return "train"

    def own_buffers(self, neighbours: Sequence[int]) -> Mapping[str, Buffer]:
        """Buffers that a node with these neighbours keeps beyond those that all nodes have."""
        return {}

    def estimate(self, node: Node) -> None:
        """Bring the model's row up to date with the node's state, to be evaluated."""

    def local_step(self, node: Node, local: Local) -> None:
        """g = grad F(x; batch), and the optimizer's step on x."""
        node.gradient(local.draw())
        self.optimizer.step(node, node.x, local.t)


class Periodic(Algorithm):
    """An algorithm that exchanges at the end of every `period` rounds."""

    period: int

    def regime(self, t: int) -> str:
        return "exchange" if self.exchanges(t) else "local"

    def exchanges(self, t: int) -> bool:
        return (t + 1) % self.period == 0


class PushSum(Algorithm):
    """x push-sum numerator, w push-sum weight, z = x / w model: unbiased on irregular digraphs."""

    buffers: Mapping[str, Buffer] = {
        "x": Buffer("parameters"),
        "z": Buffer("parameters", "parameters"),
        "w": Buffer("one"),
    }
    model_row = "z"
    mixing = "column"

    def estimate(self, node: Node) -> None:
        torch.div(node.x, node.w, out=node.z)

    def local_step(self, node: Node, local: Local) -> None:
        """g = grad F(z; batch), and the optimizer's step on x."""
        self.estimate(node)
        super().local_step(node, local)
