"""Count FLOP, bytes moved and launches of the operators that run, by phase and dtype."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from costbench.training.counters.operators import flop, runs_nothing, tensors
from costbench.training.counters.phases import current_phase


@dataclass
class Counts:
    """Counts of one phase and dtype: FLOP, bytes of distinct inputs and outputs, operator launches."""

    flop: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    launches: int = 0


@dataclass
class ComputeCounter(TorchDispatchMode):
    """While active, counts every operator of this thread; changes nothing that runs."""

    by_phase: dict[tuple[str, str], Counts] = field(default_factory=lambda: defaultdict(Counts))
    uncounted: set[str] = field(default_factory=set)

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
            self._count(func, args, named, out)
        return out

    def _count(self, operator: Any, arguments: tuple[Any, ...], named: dict[str, Any], out: Any) -> None:
        written = list(_distinct((out, named.get("out")))) or list(_distinct(arguments[:1]))
        read = list(_distinct((arguments, {k: v for k, v in named.items() if k != "out"})))
        dtype = str(next(iter([*written, *read])).dtype).removeprefix("torch.") if written or read else "none"
        counts = self.by_phase[current_phase().name, dtype]
        cost = flop(operator, arguments, named, out)
        if cost is None:
            self.uncounted.add(str(operator))
        counts.flop += cost or 0
        counts.bytes_read += sum(t.nbytes for t in read)
        counts.bytes_written += sum(t.nbytes for t in written)
        counts.launches += 1


def _distinct(nested: Any) -> Iterable[Tensor]:
    return {(t.data_ptr(), t.shape, t.stride()): t for t in tensors(nested)}.values()
