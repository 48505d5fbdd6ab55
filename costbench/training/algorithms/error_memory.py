"""Error memory: what compression left out of a message is added to the next one.

Source: Stich, Cordonnier, Jaggi, "Sparsified SGD with memory", NeurIPS 2018, algorithm 1; here of models
and not of gradients, as in DeepSqueeze and Sparse-Push.
"""

from __future__ import annotations

from costbench.training.compressors import Compressor
from costbench.training.nodes import Buffer, Node
from costbench.training.vectors import Vector

ERROR_MEMORY = {"e": Buffer("zeros")}


def compressed(node: Node, compressor: Compressor, seed: int) -> Vector:
    """v = x + e ;  q = C(v) ;  e = v - q."""
    node.e.add_(node.x)
    q = compressor(node.e, seed)
    q.add_to(node.e, -1.0)
    return q
