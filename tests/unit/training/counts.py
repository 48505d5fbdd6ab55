"""Count what a function runs, by phase."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from costbench.training.counters.compute import ComputeCounter
from costbench.training.counters.operators import Call, flop
from costbench.training.counters.phases import phase


def flop_of(work, *given, strict=True):
    """FLOP of all operators of work(*given)."""
    return flop_in(counter_of(lambda: work(*given), strict=strict))


def flop_in(counter, name=None):
    """FLOP of one phase, or of all."""
    return sum(counts.flop for (of, _), counts in counter.by_phase.items() if name in (None, of))


def counter_of(work, strict=True):
    with ComputeCounter(strict=strict) as counter:
        work()
    return counter


def forward_backward(module, *inputs):
    """FLOP of the forward pass, and of the backward pass from a gradient of the (first) output."""
    gradient = torch.ones_like(_first(module(*inputs)))
    for leaf in [*inputs, *(module.parameters() if isinstance(module, torch.nn.Module) else [])]:
        leaf.grad = None
    with ComputeCounter(strict=True) as counter:
        with phase("forward"):
            out = _first(module(*inputs))
        with phase("backward"):
            out.backward(gradient)
    return flop_in(counter, "forward"), flop_in(counter, "backward")


class Watch(TorchDispatchMode):
    """Keeps every call that runs."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        self.calls.append(Call.of(func, args, kwargs or {}, out))
        return out


def calls_of(work, *names):
    """Calls of the operators whose name contains one of `names`."""
    with Watch() as watch:
        work()
    return [call for call in watch.calls if any(name in str(call.operator) for name in names)]


def of_operator(work, name):
    """FLOP of the operators whose name contains `name`, one number a call."""
    return [flop(call) for call in calls_of(work, name)]


def _first(out):
    return out[0] if isinstance(out, tuple) else out
