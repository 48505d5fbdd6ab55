"""Scenario: how the devices of a run exchange and wait, and what a price is to hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from costbench.profile.compatibility import Compatibility
from costbench.profile.environment import Environment
from costbench.quantities import CarbonIntensity

Cast = Literal["unicast", "broadcast"]
Sync = Literal["barrier", "neighbourhood"]
Boundary = Literal["device", "device+access-point", "end-to-end"]


@dataclass(frozen=True)
class Place:
    """Where the nodes are.

    Attributes
    ----------
    environment : what lies between them, and how it attenuates
    distance : float [N, N], on the ground between sender and receiver, above 0 off the diagonal [m]
    altitude : of one end above the other, where the environment reaches into the air, else None [m]
    """

    environment: Environment
    distance: np.ndarray
    altitude: float | None = None


@dataclass(frozen=True)
class Scenario:
    """What a ledger and profiles leave open.

    Attributes
    ----------
    cast : "unicast": a message to each receiver; "broadcast": equal contents of a round go out once
    sync : "barrier": a round begins when every node has finished the last; "neighbourhood": when the node
        itself and those it hears have
    power_save : whether a radio sleeps while the channel is not its own, instead of listening
    boundary : what the energies hold: "device", "device+access-point" (and the base station), "end-to-end"
        (and the network behind it)
    place : where the nodes are; None: the links are those of the profiles
    domain_of_node : int [N], collision domain of each node, numbered from 0; None: all share one
    carbon : grams of CO2e a kWh, as the user states it; None: no grams
    compatibility : a published table whose rule replaces the compute model; None: no
    """

    cast: Cast = "unicast"
    sync: Sync = "barrier"
    power_save: bool = False
    boundary: Boundary = "device"
    place: Place | None = None
    domain_of_node: np.ndarray | None = None
    carbon: CarbonIntensity | None = None
    compatibility: Compatibility | None = None

    def domains(self, nodes: int) -> np.ndarray:
        """Collision domain of each node, int [N]."""
        return np.zeros(nodes, np.int64) if self.domain_of_node is None else self.domain_of_node

    def to_json(self) -> dict[str, object]:
        """What `costbench price --json` prints of it."""
        return {
            "cast": self.cast,
            "sync": self.sync,
            "power_save": self.power_save,
            "boundary": self.boundary,
            "environment": self.place.environment.id if self.place else None,
            "longest_distance_m": float(self.place.distance.max()) if self.place else None,
            "collision_domains": 1 if self.domain_of_node is None else len(set(self.domain_of_node.tolist())),
            "carbon_g_per_kwh": self.carbon.value if self.carbon else None,
            "compatibility": self.compatibility.id if self.compatibility else None,
        }


#: what profiles say, a message to each receiver, all waiting for all
AS_IS = Scenario()
