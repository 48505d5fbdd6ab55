"""FLOP of an operator, from the shapes that it ran on.

Convention: a multiply-add is 2 FLOP; every other arithmetic, comparison, integer or transcendental
operation on an element is 1; moving, copying, converting, gathering and filling is 0. Every formula stands
with its source in the files of this package, a family a file; docs/counting.md prints them as one table.
An element-wise operator is 1 an output element (addcmul and addcdiv 2, lerp 3; 1 more where alpha or value
is not 1). Operators that are in no table are unknown: they are reported by name, never counted as zero in
silence.
"""

from costbench.training.counters.operators.call import Call, strided, tensors
from costbench.training.counters.operators.moving import runs_nothing
from costbench.training.counters.operators.table import flop, markdown

CONVENTION = "FLOP: 2 a multiply-add, 1 any other operation on an element, 0 moving data"

__all__ = ["CONVENTION", "Call", "flop", "markdown", "runs_nothing", "strided", "tensors"]
