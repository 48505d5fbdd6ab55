"""Operators of ours that run outside torch: made visible to the counters, each with its FLOP beside it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, Protocol, TypeVar, runtime_checkable

from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

Given = ParamSpec("Given")
Out = TypeVar("Out")


@runtime_checkable
class Witness(Protocol):
    """A counter that wants to know of an operator of ours."""

    def saw(self, name: str, given: Any, out: Any, flop: int) -> None: ...


def counted(flop: Callable[Given, int]) -> Callable[[Callable[Given, Out]], Callable[Given, Out]]:
    """Decorator: calls of the function are operators of so many FLOP, a function of the same arguments.

    Its inputs and outputs are tensors, or nested tuples and lists of them. Inside, it runs no operator of
    torch, which would be counted too.
    """

    def decorate(function: Callable[Given, Out]) -> Callable[Given, Out]:
        name = f"costbench.{function.__name__.strip('_')}"

        @wraps(function)
        def operator(*args: Given.args, **named: Given.kwargs) -> Out:
            out = function(*args, **named)
            for mode in _get_current_dispatch_mode_stack():
                if isinstance(mode, Witness):
                    mode.saw(name, (args, named), out, flop(*args, **named))
            return out

        return operator

    return decorate
