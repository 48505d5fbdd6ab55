"""One call of an operator: its arguments by the names of the operator's schema, and what came out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload


def tensors(nested: Any) -> Iterator[Tensor]:
    """All tensors in nested tuples, lists and dictionaries."""
    if isinstance(nested, Tensor):
        yield nested
    elif isinstance(nested, list | tuple):
        for item in nested:
            yield from tensors(item)
    elif isinstance(nested, Mapping):
        yield from tensors(list(nested.values()))


@dataclass(frozen=True)
class Call:
    """A call with every argument under its name, defaults filled in."""

    operator: OpOverload
    given: Mapping[str, Any]
    out: Any

    @classmethod
    def of(cls, operator: OpOverload, arguments: Iterable[Any], named: Mapping[str, Any], out: Any) -> Call:
        defaults = _defaults(operator)
        return cls(operator, {**defaults, **dict(zip(defaults, arguments, strict=False)), **named}, out)

    def __getitem__(self, name: str) -> Any:
        return self.given[name]

    def numel(self, name: str) -> int:
        """Elements of an argument; of all of them where it is a list of tensors."""
        return sum(tensor.numel() for tensor in tensors(self[name]))

    @property
    def first(self) -> Tensor:
        """The first tensor that goes in."""
        return next(tensors(self.given))

    @property
    def outputs(self) -> int:
        """Elements of the first output, or of all in the list of a foreach operator."""
        if isinstance(self.out, list):
            return sum(tensor.numel() for tensor in self.out)
        return next((tensor.numel() for tensor in tensors(self.out)), 0)

    @property
    def overwritten(self) -> list[Tensor]:
        """Arguments that the operator writes into."""
        return list(tensors([self.given.get(name) for name in _written(self.operator)]))


@dataclass(frozen=True)
class Formula:
    """What operators cost: their names without a trailing underscore, FLOP of a call, and where that is from.

    `flop` returns None for a call that it does not fit.
    """

    operators: str
    says: str
    source: str
    flop: Callable[[Call], int | None]

    @property
    def names(self) -> list[str]:
        return self.operators.split()


def name_of(operator: OpOverload) -> str:
    """Its name without the overload; in-place operators and others bear one name: aten's without "aten::"."""
    namespace, _, name = operator._schema.name.partition("::")
    in_place = name.endswith("_") and not name.endswith("__")
    return ("" if namespace == "aten" else f"{namespace}::") + (name[:-1] if in_place else name)


def is_pointwise(operator: OpOverload) -> bool:
    """Whether torch tags the operator, or the one that it is the in-place form of, as element-wise."""
    if torch.Tag.pointwise in operator.tags:
        return True
    packet = getattr(torch.ops.aten, name_of(operator), None)
    overload = getattr(packet, operator._overloadname, None)
    return overload is not None and torch.Tag.pointwise in overload.tags


def strided(tensor: Tensor) -> list[Tensor]:
    """A tensor, or the strided tensors that a sparse one is made of."""
    if tensor.layout is torch.strided:
        return [tensor]
    if tensor.layout is torch.sparse_coo:
        return [tensor._indices(), tensor._values()]
    if tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        return [tensor.crow_indices(), tensor.col_indices(), tensor.values()]
    return [tensor.ccol_indices(), tensor.row_indices(), tensor.values()]


@cache
def _defaults(operator: OpOverload) -> dict[str, Any]:
    return {
        argument.name: argument.default_value if argument.has_default_value() else None
        for argument in operator._schema.arguments
    }


@cache
def _written(operator: OpOverload) -> tuple[str, ...]:
    return tuple(
        argument.name
        for argument in operator._schema.arguments
        if argument.alias_info is not None and argument.alias_info.is_write
    )
