"""Bytes that an operator reads and writes: those of its distinct inputs and of its outputs.

- An element that several inputs or views share is read once; an expanded tensor is as large as what it
  expands.
- Lookups (index, gather, embedding and the like) read the rows that they look up, not the whole table.
- Scattering in place (index_add_, index_put_, scatter_ and the like) touches the rows that it writes.
- What an operator writes in place it reads too, unless it only fills it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from torch import Tensor

from costbench.training.counters.operators.call import Call, name_of, strided, tensors
from costbench.training.counters.operators.reductions import touched

LOOKUPS = {"index", "index_select", "gather", "take", "masked_select", "embedding"}
"""They read as many elements of their first argument as they return."""
BAGS = {"_embedding_bag", "_embedding_bag_forward_only"}
SCATTERS = {
    "index_add": "source", "index_copy": "source", "scatter": "index", "scatter_add": "index",
    "scatter_reduce": "index", "put": "index", "index_put": "", "index_fill": "",
}  # fmt: skip
"""They write, in place, as many elements as this argument has."""
ADDS = {"index_add", "scatter_add", "scatter_reduce"}
FILLS = {
    "copy", "fill", "zero", "normal", "uniform", "random", "bernoulli", "exponential", "geometric",
    "cauchy", "log_normal", "_foreach_copy", "_foreach_zero",
}  # fmt: skip
"""They write in place without reading what was there."""


def traffic(call: Call) -> tuple[int, int]:
    """Bytes read and bytes written by one call."""
    name, overwritten = name_of(call.operator), call.overwritten
    inputs = list(tensors(call.given))
    if name in LOOKUPS or name in BAGS:
        table = call.first
        return bytes_of(without(inputs, [table])) + _looked_up(call, name, table), bytes_of(tensors(call.out))
    if name in SCATTERS and overwritten:
        rows = _reached(call, name) * call["self"].element_size()
        adds = name in ADDS or bool(call.given.get("accumulate") or call.given.get("reduce"))
        return bytes_of(without(inputs, overwritten)) + rows * adds, rows
    unread = overwritten if name in FILLS or call.operator._overloadname.endswith("out") else []
    return bytes_of(without(inputs, unread)), bytes_of([*tensors(call.out), *overwritten])


def without(some: Iterable[Tensor], others: Iterable[Tensor]) -> list[Tensor]:
    """The tensors that are none of the others."""
    left_out = {id(tensor) for tensor in others}
    return [tensor for tensor in some if id(tensor) not in left_out]


def _looked_up(call: Call, name: str, table: Tensor) -> int:
    rows = call.numel("indices") * table.shape[-1] if name in BAGS else call.outputs
    return min(rows * table.element_size(), bytes_of([table]))


def _reached(call: Call, name: str) -> int:
    if name == "index_put":
        return touched(call)
    if name == "index_fill":
        return call["self"].numel() // call["self"].shape[call["dim"]] * call.numel("index")
    return call.numel(SCATTERS[name])


def bytes_of(some: Iterable[Tensor]) -> int:
    """Bytes of the distinct elements of all tensors together."""
    by_storage: dict[int, list[Tensor]] = defaultdict(list)
    for tensor in some:
        for part in strided(tensor):
            by_storage[part.untyped_storage()._cdata].append(part)
    return sum(map(_of_one_storage, by_storage.values()))


def _of_one_storage(views: list[Tensor]) -> int:
    """Bytes that the views cover: of gapless ones the union, of others each once, at most the storage."""
    covered, reach = 0, 0
    views = [view for view in views if view.numel()]
    gapless = sorted(_extent(view) for view in views if _elements(view) == _span(view))
    for start, stop in gapless:
        covered += max(stop - max(start, reach), 0)
        reach = max(reach, stop)
    others = {(view.storage_offset(), view.shape, view.stride()): view for view in views}
    strided = (view for view in others.values() if _elements(view) != _span(view))
    covered += sum(_elements(view) * view.element_size() for view in strided)
    return min(covered, views[0].untyped_storage().nbytes()) if views else 0


def _extent(view: Tensor) -> tuple[int, int]:
    """Bytes [start, stop) from the first to the last element."""
    start = int(view.storage_offset()) * view.element_size()
    return start, start + _span(view) * view.element_size()


def _span(view: Tensor) -> int:
    return 1 + sum((n - 1) * stride for n, stride in zip(view.shape, view.stride(), strict=True))


def _elements(view: Tensor) -> int:
    """Distinct elements: an expanded dimension has stride 0; windows that overlap fill their span."""
    distinct = 1
    for n, stride in zip(view.shape, view.stride(), strict=True):
        distinct *= n if stride else 1
    return min(distinct, _span(view))
