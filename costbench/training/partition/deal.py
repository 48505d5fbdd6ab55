"""From the settings of a spec to the samples of each node."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costbench.errors import InputError
from costbench.training.partition.by_field import by_field
from costbench.training.partition.by_label import dirichlet, label_skew, shards
from costbench.training.randomness import Purpose, random_generator

Indices = NDArray[np.int64]

KINDS = ("iid", "label-skew", "dirichlet", "shards", "field")
NO_FIELDS: Mapping[str, NDArray[Any]] = MappingProxyType({})


def partition(
    labels: Indices,
    nodes: int,
    kind: str,
    seed: int,
    *,
    skew: float | None = None,
    alpha: float | None = None,
    per_node: int | None = None,
    name: str | None = None,
    fields: Mapping[str, NDArray[Any]] = NO_FIELDS,
    file: str = "spec",
) -> list[Indices]:
    """Deal every sample to exactly one node.

    Parameters
    ----------
    labels : int64 [n], class of each sample
    nodes : number of nodes
    kind : "iid"; "label-skew" with `skew` in [0, 1]; "dirichlet" with `alpha` > 0; "shards" with `per_node`
        >= 1; "field" with the `name` of one of the `fields`
    seed : seed of the run
    fields : the fields of the data set by name, [n] each, the entry of every sample
    file : the name under which an error refers to the spec

    Returns
    -------
    one int64 array of indices into `labels` for each node, none of them empty

    Raises
    ------
    InputError : fewer samples than nodes, an unknown kind, a parameter that is missing or out of range, no
        Dirichlet draw that gives every node a sample, more shards than samples, an unknown field, or one with
        fewer distinct entries than nodes

    Notes
    -----
    - iid: a random order cut into consecutive shares; their sizes differ by at most 1.
    - label-skew (Sparse-Push, arXiv 2102.05715; read in scripts of its first author): of each class the first
      int(skew * class size) indices go, in class order, to a sorted pool, and the rest to a shuffled pool;
      node i takes the i-th consecutive share of both. The shares differ by at most 1 sample in either pool,
      and so do the nodes. skew 0 is iid, skew 1 gives contiguous label shards.
    - dirichlet (Li, Diao, Chen, He, "Federated Learning on Non-IID Data Silos", ICDE 2022, known as
      NIID-Bench): how a class is shared among the nodes is one draw of Dirichlet(alpha, ..., alpha),
      independent between the classes, and all are drawn again until no node is empty. NIID-Bench's code also
      stops giving to nodes that are already full, which changes the law; that is left out here.
    - shards (McMahan et al., "Communication-Efficient Learning of Deep Networks from Decentralized Data",
      AISTATS 2017): the samples in class order are cut into nodes * per_node shards, whose sizes differ by at
      most 1, and these are dealt at random.
    - field: all samples with the same entry go to the same node; the entries, in a random order, each to the
      node that holds fewest samples so far. Node sizes are as unequal as the entries make them.
    """
    if len(labels) < nodes:
        raise InputError(file, "nodes", nodes, f"at most one node a sample, {len(labels)}")
    chance = random_generator(seed, Purpose.PARTITION)
    match kind:
        case "iid":
            return label_skew(labels, nodes, 0.0, chance)
        case "label-skew":
            if skew is None or not 0 <= skew <= 1:
                raise InputError(file, "task.partition.skew", skew, "a number from 0 to 1")
            return label_skew(labels, nodes, skew, chance)
        case "dirichlet":
            if alpha is None or not 0 < alpha < np.inf:
                raise InputError(file, "task.partition.alpha", alpha, "a number above 0")
            return dirichlet(labels, nodes, alpha, chance, file)
        case "shards":
            most = len(labels) // nodes
            if per_node is None or not 1 <= per_node <= most:
                allowed = f"1 to {most}: {len(labels)} samples on {nodes} nodes"
                raise InputError(file, "task.partition.per_node", per_node, allowed)
            return shards(labels, nodes, per_node, chance)
        case "field":
            if name is None or name not in fields:
                there = sorted(fields) or "no field: this data set has none"
                raise InputError(file, "task.partition.name", name, there)
            return by_field(fields[name], nodes, name, chance, file)
    raise InputError(file, "task.partition.kind", kind, KINDS)
