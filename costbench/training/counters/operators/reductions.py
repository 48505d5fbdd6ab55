"""FLOP of reductions, scans, selections, sorts and random draws."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from costbench.training.counters.operators.call import Call, Formula

DEFINITION = "the definition"
KNUTH = "Knuth, The Art of Computer Programming 3"


def _inputs(an_element: int, an_output: int = 0) -> Callable[[Call], int]:
    return lambda call: an_element * call.first.numel() + an_output * call.outputs


def _levels(length: int) -> int:
    """ceil(log2 length)"""
    return max(length - 1, 0).bit_length()


def _sort(call: Call) -> int:
    sorted_over = call["self"]
    length = sorted_over.shape[call.given.get("dim", -1)] if sorted_over.dim() else 1
    return sorted_over.numel() * _levels(length)


def _unique(call: Call) -> int:
    n = call.numel("self")
    return n * _levels(n) + n


def _search(call: Call) -> int:
    ordered = call.given["sorted_sequence"] if "sorted_sequence" in call.given else call["boundaries"]
    return call.outputs * _levels(ordered.shape[-1] + 1)


def _scattered(source: str) -> Callable[[Call], int]:
    """1 a source element that is added, and 1 more where it is multiplied first."""
    return lambda call: (1 + (call.given.get("alpha", 1) != 1)) * call.numel(source)


def touched(call: Call) -> int:
    """Elements that index_put reaches: places times the elements of each."""
    reached, kept = call["self"], []
    places: list[tuple[int, ...]] = []
    k = 0
    for index in call["indices"]:
        if index is None:
            kept.append(reached.shape[k])
            k += 1
        elif index.dtype.is_floating_point or index.element_size() > 1:
            places.append(tuple(index.shape))
            k += 1
        else:
            places.append((int(index.count_nonzero()),))
            k += index.dim()
    return prod(_broadcast(places)) * prod(kept) * prod(reached.shape[k:])


def _broadcast(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    length = max(map(len, shapes), default=0)
    padded = [(1,) * (length - len(shape)) + shape for shape in shapes]
    return tuple(max(sides) if 0 not in sides else 0 for sides in zip(*padded, strict=True))


def _index_put(call: Call) -> int:
    return touched(call) if call["accumulate"] else 0


def _put(call: Call) -> int:
    return call.numel("index") if call["accumulate"] else 0


def _scatter(call: Call) -> int:
    """Moves, unless a reduction is named: then 1 a source element."""
    return call.numel("index") if call.given.get("reduce") else 0


RANDOM = (
    "rand randn rand_like randn_like randint randint_like randperm random normal uniform bernoulli "
    "exponential geometric cauchy log_normal poisson"
)

FORMULAS = (
    Formula(
        "sum nansum mean prod min max amin amax argmin argmax any all trace equal count_nonzero nonzero",
        "1 an input element",
        DEFINITION,
        _inputs(1),
    ),
    Formula("aminmax _aminmax", "2 an input element", DEFINITION, _inputs(2)),
    Formula("logsumexp", "4 an input element: maximum, subtract, exp, sum", DEFINITION, _inputs(4)),
    Formula("var var_mean", "4 an input element: mean, subtract, square, sum", DEFINITION, _inputs(4)),
    Formula("std std_mean", "as variance, and 1 an output for the root", DEFINITION, _inputs(4, an_output=1)),
    Formula("linalg_vector_norm norm", "2 an input element: square, add", DEFINITION, _inputs(2)),
    Formula("cumsum cumprod cummax cummin", "1 an input element", DEFINITION, _inputs(1)),
    Formula("logcumsumexp", "5 an input element: maximum, subtract, exp, log, add", DEFINITION, _inputs(5)),
    Formula(
        "topk kthvalue median nanmedian",
        "n comparisons of n elements, the least that a selection can do",
        f"{KNUTH}, section 5.3.3",
        _inputs(1),
    ),
    Formula("sort", "n ceil(log2 L) comparisons over rows of L", f"{KNUTH}, section 5.2.4", _sort),
    Formula("_unique2", "as sort of all n, and n comparisons", f"{KNUTH}, section 5.2.4", _unique),
    Formula("unique_consecutive bincount", "1 an input element", DEFINITION, _inputs(1)),
    Formula("histc", "3 an input element: subtract, multiply, add", DEFINITION, _inputs(3)),
    Formula(
        "searchsorted bucketize", "ceil(log2 (L + 1)) an output, L bounds", f"{KNUTH}, section 6.2.1", _search
    ),
    Formula("index_add", "1 a source element; 1 more where alpha is not 1", DEFINITION, _scattered("source")),
    Formula("scatter_add scatter_reduce", "1 a source element", DEFINITION, _scattered("index")),
    Formula("scatter", "0; where it names a reduction, 1 a source element", DEFINITION, _scatter),
    Formula("index_put", "0; where it accumulates, 1 an element reached", DEFINITION, _index_put),
    Formula("put", "0; where it accumulates, 1 an element reached", DEFINITION, _put),
    Formula("_coalesce", "1 a value", DEFINITION, lambda call: call["self"]._values().numel()),
    Formula(RANDOM, "1 a draw", "our definition", lambda call: call.outputs),
    Formula(
        "native_dropout",
        "3 an element: draw, mask, scale",
        "Srivastava et al. 2014",
        lambda call: 3 * call.outputs,
    ),
    Formula(
        "native_dropout_backward",
        "2 an element: mask, scale",
        "Srivastava et al. 2014",
        lambda call: 2 * call.outputs,
    ),
)
