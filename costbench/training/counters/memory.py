"""Live bytes of tensors by category, and the true peak, while a device's round runs.

What an operator allocates and frees inside itself is not seen.
"""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from costbench.training.counters.operators import tensors
from costbench.training.counters.phases import current_phase


class MemoryCounter(TorchDispatchMode):
    """While active, follows every storage that appears until it is freed.

    Attributes
    ----------
    peak : largest number of bytes alive at once
    peak_of : the same of each category on its own; these do not add up to `peak`
    """

    def __init__(self) -> None:
        super().__init__()
        self.peak = 0
        self.peak_of: dict[str, int] = defaultdict(int)
        self._alive: dict[str, int] = defaultdict(int)
        self._known: dict[int, weakref.ref[Any]] = {}

    def hold(self, category: str, *held: Any) -> None:
        """Follow tensors that are there already."""
        for tensor in tensors(held):
            self._follow(tensor, category)

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        for tensor in tensors(out):
            self._follow(tensor, current_phase().holds)
        return out

    def _follow(self, tensor: Tensor, category: str) -> None:
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key in self._known:
            return
        n_bytes = storage.nbytes()
        self._known[key] = weakref.ref(storage, lambda _: self._freed(key, category, n_bytes))
        self._alive[category] += n_bytes
        self.peak_of[category] = max(self.peak_of[category], self._alive[category])
        self.peak = max(self.peak, sum(self._alive.values()))

    def _freed(self, key: int, category: str, n_bytes: int) -> None:
        del self._known[key]
        self._alive[category] -= n_bytes
