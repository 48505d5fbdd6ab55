"""The state of all nodes: stacked rows, and each node's view of its own.

Shapes: N nodes, D parameters, B batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

from costbench.training.counters.phases import phase
from costbench.training.layout import Layout

Initial = Literal["parameters", "zeros", "one"]
Category = Literal["parameters", "gradients", "optimizer", "algorithm"]


@dataclass(frozen=True)
class Buffer:
    """One stacked buffer: what its rows begin as ("one" is a single number 1), and what it is for."""

    initial: Initial
    category: Category = "algorithm"


@dataclass(frozen=True)
class Batch:
    """Inputs, such as images float32 [B, C, H, W] or ids int64 [B, F], and labels int64 [B]."""

    inputs: Tensor
    labels: Tensor


Loss = Callable[[Tensor, Tensor], Tensor]
"""Mean loss, a scalar, of the outputs of a batch and its labels int64 [B]."""


class Node:
    """One node: its model, whose parameters are views into a row, and its rows by name (node.x, node.w)."""

    def __init__(
        self, index: int, model: nn.Module, rows: Mapping[str, Tensor], model_row: str, loss_of: Loss
    ):
        self.index = index
        self.model = model
        self.loss_of = loss_of
        self.rows = dict(rows)
        self.model_row = model_row
        self.loss = torch.full((), torch.nan)
        _bind(model, self.rows[model_row], self.rows["g"])

    def __getattr__(self, name: str) -> Tensor:
        try:
            return self.__dict__["rows"][name]
        except KeyError:
            raise AttributeError(f"node has no buffer {name!r}") from None

    def gradient(self, batch: Batch) -> Tensor:
        """Gradient [D] of the mean loss on the batch, at the model's row; also sets `loss`."""
        with phase("forward"):
            loss = self.loss_of(self.model(batch.inputs), batch.labels)
        with phase("backward"):
            self.g.zero_()
            loss.backward()
        self.loss = loss.detach()
        return self.g

    def refresh_statistics(self, batch: Batch) -> None:
        """Move BatchNorm's running statistics towards those of the model's row on this batch."""
        with phase("forward"), torch.no_grad():
            self.model(batch.inputs)

    def alone(self) -> Node:
        """A copy of this node that shares no memory with it."""
        rows = {name: row.clone() for name, row in self.rows.items()}
        return Node(self.index, deepcopy(self.model), rows, self.model_row, self.loss_of)


def _bind(model: nn.Module, row_D: Tensor, gradient_D: Tensor) -> None:
    """Make the model's parameters views of `row_D` and their gradients views of `gradient_D`.

    A parameter under several names (tied weights) lies in the row once, and stays one parameter.
    """
    layout = Layout.of(model)
    views = zip(_names(model), layout.views(row_D), layout.views(gradient_D), strict=True)
    for names, parameter, gradient in views:
        bound = nn.Parameter(parameter)
        bound.grad = gradient
        for owner, _, leaf in (name.rpartition(".") for name in names):
            setattr(model.get_submodule(owner), leaf, bound)


def _names(model: nn.Module) -> list[list[str]]:
    """All names of every parameter, in the order in which the parameters lie in a row."""
    names: dict[nn.Parameter, list[str]] = {parameter: [] for parameter in model.parameters()}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        names[parameter].append(name)
    return list(names.values())


class Fleet:
    """N nodes as rows of stacked buffers [N, D] or [N, 1], and what single nodes hold beyond these.

    Parameters
    ----------
    model : the model that every node starts from
    nodes : N
    buffers : what the algorithm and the optimizer keep, by name; the gradient "g" is added
    model_row : the buffer that the models' parameters are views of
    loss_of : the loss that the nodes minimise
    own : further buffers of each node [N]; none by default
    """

    def __init__(
        self,
        model: nn.Module,
        nodes: int,
        buffers: Mapping[str, Buffer],
        model_row: str,
        loss_of: Loss,
        own: Sequence[Mapping[str, Buffer]] = (),
    ):
        self.layout = Layout.of(model)
        self.buffers = {**buffers, "g": Buffer("zeros", "gradients")}
        for of_node in own:
            self.buffers |= of_node
        start_D = flatten(model, self.layout)
        self.stacked = {
            name: _begin(buffer.initial, start_D).repeat(nodes, 1)
            for name, buffer in {**buffers, "g": self.buffers["g"]}.items()
        }
        self.own = [
            {name: _begin(buffer.initial, start_D).clone() for name, buffer in of_node.items()}
            for of_node in own or [{}] * nodes
        ]
        self.nodes = [
            Node(i, deepcopy(model), {**self._rows(i), **self.own[i]}, model_row, loss_of)
            for i in range(nodes)
        ]

    def _rows(self, i: int) -> dict[str, Tensor]:
        """Views of node i's rows; .data gives each a version counter of its own, for concurrent threads."""
        return {name: rows[i].data for name, rows in self.stacked.items()}

    @property
    def model_rows(self) -> Tensor:
        """Parameters of all models, float32 [N, D]."""
        return self.stacked[self.nodes[0].model_row]

    def state(self) -> dict[str, Any]:
        """Everything that must survive a checkpoint: the stacked buffers and the models' own buffers."""
        own = [dict(node.model.named_buffers()) for node in self.nodes]
        losses = [node.loss for node in self.nodes]
        return {"stacked": self.stacked, "own": self.own, "model_buffers": own, "losses": losses}

    def restore(self, state: dict[str, Any]) -> None:
        for name, rows in state["stacked"].items():
            self.stacked[name].copy_(rows)
        for mine, saved in zip(self.own, state["own"], strict=True):
            for name, row_D in saved.items():
                mine[name].copy_(row_D)
        for node, own, loss in zip(self.nodes, state["model_buffers"], state["losses"], strict=True):
            node.loss = loss
            for name, buffer in node.model.named_buffers():
                buffer.copy_(own[name])


def flatten(model: nn.Module, layout: Layout) -> Tensor:
    """The model's parameters as one row float32 [D]."""
    row_D = torch.empty(layout.parameters)
    for view, parameter in zip(layout.views(row_D), model.parameters(), strict=True):
        view.copy_(parameter.detach())
    return row_D


def _begin(initial: Initial, start_D: Tensor) -> Tensor:
    if initial == "parameters":
        return start_D
    return torch.zeros_like(start_D) if initial == "zeros" else torch.ones(1)
