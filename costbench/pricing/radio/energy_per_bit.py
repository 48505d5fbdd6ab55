"""An energy a bit and nothing else: for quick comparisons, and to see what publications with one see."""

from __future__ import annotations

import numpy as np

from costbench.pricing.fleet import Fleet
from costbench.pricing.radio.exchange import Exchange, Spent, Window, no_state
from costbench.pricing.radio.traffic import traffic_of
from costbench.pricing.rounds import RoundKinds
from costbench.pricing.scenario import Scenario


def exchange(kinds: RoundKinds, fleet: Fleet, scenario: Scenario) -> Exchange:
    """Communication of a run at a fixed energy a bit.

    Every node transfers on its own at its rate, without headers, states or silence. With broadcast, equal
    contents of a round are sent once and received by each.

    Parameters
    ----------
    kinds : kinds of round with their messages
    fleet : numbers of the devices
    scenario : how the devices exchange

    Returns
    -------
    Times [s] and energies above idle [J] of the run

    Validity
    --------
    Large transfers: small ones cost more a bit, by headers, promotion and tail

    Source
    ------
    S. Savazzi, S. Kianoush, V. Rampa, M. Bennis, A Framework for Energy and Carbon Footprint Analysis of
    Distributed and Federated Edge Learning, PIMRC 2021, eq. (3)
    """
    rows = kinds.messages
    traffic = traffic_of(kinds, rows.bits, rows.delivered)
    outgoing = rows.bits
    if scenario.cast == "broadcast":
        outgoing = np.zeros_like(rows.bits)
        first = rows.first_of_contents()
        outgoing[first] = rows.bits[first]
    sending = traffic_of(kinds, outgoing, rows.delivered)
    rate = fleet.radio("rate")
    sent, _ = sending.over_run(kinds)
    _, received = traffic.over_run(kinds)
    bits = (sending.sent + traffic.received)[None]
    return Exchange(
        shared=False,
        active=traffic.active,
        window=Window(1 / rate[:, None, :], bits, np.arange(kinds.nodes)),
        terms={
            "transmit": Spent(sent / rate, fleet.radio("transmit_energy") * sent),
            "receive": Spent(received / rate, fleet.radio("receive_energy") * received),
        },
        promotion=no_state(fleet),
        tail=no_state(fleet),
    )
