"""Who sends to whom, and which messages are lost."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from costbench.spec.part import Fraction, Part, Share, one_of_two

RedrawEvery = Annotated[
    int | None, Field(ge=1, description="rounds after which a new graph is drawn; null: never")
]


class FixedGraph(Part):
    """A graph without a parameter."""

    kind: Literal[
        "directed-ring", "ring", "complete", "star", "one-peer-exponential", "time-varying-ring",
        "random-matching",
    ]  # fmt: skip


class Torus(Part):
    """A grid of rows x columns, closed in both directions, every node with its four neighbours."""

    kind: Literal["torus"]
    rows: int | None = Field(default=None, ge=1, description="a divisor of nodes; null: the most square one")


class Exponential(Part):
    """Neighbours at exponential distances, some of them a round."""

    kind: Literal["exponential"]
    peers: int | None = Field(
        default=None, ge=1, description="out-neighbours a round; null: all, every round"
    )


class RandomDigraph(Part):
    """Every node sends to `out_degree` others at random."""

    kind: Literal["random-digraph"]
    out_degree: int = Field(ge=1)
    redraw_every: RedrawEvery = None


class ErdosRenyi(Part):
    """Every undirected edge exists with probability `p`."""

    kind: Literal["erdos-renyi"]
    p: Fraction = Field(gt=0)
    redraw_every: RedrawEvery = None


class Geometric(Part):
    """Nodes at random places of a square, neighbours within a radius."""

    kind: Literal["geometric"]
    radius_m: float = Field(gt=0, description="reach of a radio [m]")
    side_m: float = Field(gt=0, description="side of the square [m]")


class EdgeList(Part):
    """A graph from a CSV file with the columns round, sender, receiver, repeated periodically."""

    kind: Literal["file"]
    path: str | None = Field(default=None, description="CSV file, relative to the spec")
    edges: list[tuple[int, int, int]] | None = Field(default=None, description="round, sender, receiver")

    @model_validator(mode="after")
    def _one_source(self) -> EdgeList:
        if (self.path is None) == (self.edges is None):
            raise one_of_two("path", "edges", self.path is not None)
        return self


TopologyPart = Annotated[
    FixedGraph | Torus | Exponential | RandomDigraph | ErdosRenyi | Geometric | EdgeList,
    Field(discriminator="kind"),
]


class Bursts(Part):
    """Gilbert-Elliott: every link has a bad state, in which messages are lost with another probability."""

    enter: Fraction = Field(gt=0, description="probability a round of a good link to turn bad")
    leave: Fraction = Field(gt=0, description="probability a round of a bad link to turn good")
    drop: Fraction = Field(default=1.0, description="probability that a message is lost on a bad link")


class Links(Part):
    """Losses: independent, or in bursts."""

    drop: Share = Field(default=0.0, description="probability that a message is lost (on a good link)")
    bursts: Bursts | None = Field(default=None, description="null: losses are independent")
