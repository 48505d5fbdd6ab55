"""Count FLOP, bytes moved and launches of the operators that run, by phase and dtype."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode

from costbench.errors import CheckFailed
from costbench.training.counters.operators import Call, flop, runs_nothing, tensors
from costbench.training.counters.phases import current_phase
from costbench.training.counters.traffic import bytes_of, traffic


@dataclass
class Counts:
    """Counts of one phase and dtype: FLOP, bytes of distinct inputs and outputs, operator launches."""

    flop: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    launches: int = 0


@dataclass
class ComputeCounter(TorchDispatchMode):
    """While active, counts every operator of this thread; changes nothing that runs.

    Attributes
    ----------
    by_phase : counts by (phase, dtype)
    uncounted : names of the operators that ran and have no formula
    strict : raise CheckFailed at such an operator
    """

    by_phase: dict[tuple[str, str], Counts] = field(default_factory=lambda: defaultdict(Counts))
    uncounted: set[str] = field(default_factory=set)
    strict: bool = False

    def __post_init__(self) -> None:
        super().__init__()

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        named = dict(kwargs or {})
        out = func(*args, **named)
        if not runs_nothing(func):  # type: ignore[arg-type]
            self._count(Call.of(func, args, named, out))  # type: ignore[arg-type]
        return out

    def saw(self, name: str, given: Any, out: Any, flop: int) -> None:
        """Count an operator that runs outside torch, with its FLOP."""
        self._add(flop, bytes_of(tensors(given)), bytes_of(tensors(out)), [*tensors(out), *tensors(given)])

    def _count(self, call: Call) -> None:
        cost = flop(call)
        if cost is None:
            self.uncounted.add(str(call.operator))
            if self.strict:
                raise uncounted([str(call.operator)])
        written = [*tensors(call.out), *call.overwritten]
        self._add(cost or 0, *traffic(call), [*written, *tensors(call.given)])

    def _add(self, cost: int, read: int, written: int, of: list[Any]) -> None:
        """`of` : tensors, the first of which says the dtype."""
        dtype = str(of[0].dtype).removeprefix("torch.") if of else "none"
        counts = self.by_phase[current_phase().name, dtype]
        counts.flop += cost
        counts.bytes_read += read
        counts.bytes_written += written
        counts.launches += 1


def uncounted(names: Iterable[str]) -> CheckFailed:
    """The error of operators that have no formula, where all must have one."""
    return CheckFailed(
        f"no formula for the FLOP of {', '.join(sorted(names))}; use operators that are in the table of "
        "docs/counting.md, or run without --strict: they are then listed and count as 0"
    )
