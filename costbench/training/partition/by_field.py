"""The rule that deals samples by an entry that they share, such as their user."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from costbench.errors import InputError

Indices = NDArray[np.int64]


def by_field(
    entries: NDArray[Any], nodes: int, name: str, chance: np.random.Generator, file: str
) -> list[Indices]:
    """All samples with the same entry on the same node.

    The distinct entries, in a random order, go one after the other to the node that holds fewest samples so
    far, the one with the lowest number among equals.

    Parameters
    ----------
    entries : [n], entry of each sample
    nodes : number of nodes
    name : of the field
    chance : draws the order of the entries
    file : the name under which an error refers to the spec

    Returns
    -------
    one int64 array of indices into `entries` for each node, ascending, none of them empty

    Raises
    ------
    InputError : fewer distinct entries than nodes
    """
    distinct, entry_of_sample = np.unique(entries, return_inverse=True)
    if len(distinct) < nodes:
        allowed = (
            f"a field with an entry for every node: {name} has {len(distinct)}, and there are {nodes} nodes"
        )
        raise InputError(file, "task.partition.name", name, allowed)
    sizes = np.bincount(entry_of_sample)
    held, node_of_entry = np.zeros(nodes, np.int64), np.empty(len(distinct), np.int64)
    for entry in chance.permutation(len(distinct)):
        node_of_entry[entry] = held.argmin()
        held[node_of_entry[entry]] += sizes[entry]
    return [np.flatnonzero(node_of_entry[entry_of_sample] == node) for node in range(nodes)]
