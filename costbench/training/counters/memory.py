"""Live bytes of tensors by category, and the true peak, while a device's round runs.

What an operator allocates and frees inside itself is not seen.
"""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor, UntypedStorage
from torch.utils._python_dispatch import TorchDispatchMode

from costbench.training.counters.operators import strided, tensors
from costbench.training.counters.phases import current_phase


@dataclass
class _Held:
    """A storage that is alive, what it is for and how large it is booked."""

    storage: weakref.ref[UntypedStorage]
    category: str
    n_bytes: int


class MemoryCounter(TorchDispatchMode):
    """While active, follows every storage that appears until it is freed.

    Parameters
    ----------
    block : bytes that an allocator rounds every storage up to a multiple of; 1 books what is asked for

    Attributes
    ----------
    peak : largest number of bytes alive at once
    peak_of : the same of each category on its own; these do not add up to `peak`
    """

    def __init__(self, block: int = 1) -> None:
        super().__init__()
        self.block = block
        self.peak = 0
        self.peak_of: dict[str, int] = defaultdict(int)
        self._alive: dict[str, int] = defaultdict(int)
        self._known: dict[int, _Held] = {}

    def hold(self, category: str, *held: Any) -> None:
        """Follow tensors that are there already."""
        for tensor in tensors(held):
            self._follow(tensor, category)

    def saw(self, name: str, given: Any, out: Any, flop: int) -> None:
        """Follow what an operator outside torch returns."""
        self.hold(current_phase().holds, out)

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        self.hold(current_phase().holds, out)
        return out

    def _follow(self, tensor: Tensor, category: str) -> None:
        for part in strided(tensor):
            storage = part.untyped_storage()
            held = self._known.get(storage._cdata)
            if held is None or held.storage() is not storage:
                held = self._begin(storage, category)
            n_bytes = -(-storage.nbytes() // self.block) * self.block
            self._book(held.category, n_bytes - held.n_bytes)
            held.n_bytes = n_bytes

    def _begin(self, storage: UntypedStorage, category: str) -> _Held:
        """Follow a storage, in place of one that was at its address and is gone."""
        key = storage._cdata
        if key in self._known:
            self._end(key, self._known[key])
        held = _Held(weakref.ref(storage, lambda _: self._end(key, held)), category, 0)
        self._known[key] = held
        return held

    def _end(self, key: int, held: _Held) -> None:
        if self._known.get(key) is held:
            del self._known[key]
            self._alive[held.category] -= held.n_bytes

    def _book(self, category: str, n_bytes: int) -> None:
        self._alive[category] += n_bytes
        self.peak_of[category] = max(self.peak_of[category], self._alive[category])
        self.peak = max(self.peak, sum(self._alive.values()))
