"""What a radio that sends frames on a shared channel pays: terms from its times on the air."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from costbench.pricing.fleet import Fleet
from costbench.pricing.radio.airtime import Airtime
from costbench.pricing.radio.exchange import Exchange, Spent, Window, state
from costbench.pricing.radio.on_air import OnAir, Repeats, Trip
from costbench.pricing.rounds import RoundKinds
from costbench.pricing.scenario import Scenario


def exchange_of(kinds: RoundKinds, fleet: Fleet, scenario: Scenario, trips: list[Trip]) -> Exchange:
    """The exchange of hops on channels that collision domains share.

    Parameters
    ----------
    kinds : kinds of round with their messages
    fleet : numbers of the devices
    scenario : how the devices exchange
    trips : hops of all messages, by name of their times

    Returns
    -------
    Times [s] and energies above idle [J] of the run
    """
    on_air = OnAir.of(kinds, trips, scenario.domains(kinds.nodes), fleet.rows)
    return Exchange(
        shared=True,
        active=on_air.active,
        window=Window(on_air.weights, on_air.features, on_air.domain_of_node),
        terms=terms_of(on_air, fleet, scenario),
        promotion=state(fleet, "promotion"),
        tail=state(fleet, "tail"),
    )


def terms_of(on_air: OnAir, fleet: Fleet, scenario: Scenario) -> dict[str, Spent]:
    """What the radios draw for their times on the air.

    With power save they sleep where they would listen and overhear. The processor is awake for the node's
    own frames.

    Parameters
    ----------
    on_air : times of every node, by name of what it does
    fleet : numbers of the devices
    scenario : how the devices exchange

    Returns
    -------
    Terms by name: times [s] and energies above idle [J]
    """
    host = fleet.radio("host_power")
    transmit, receive = (fleet.radio(f"{way}_power") + host for way in ("transmit", "receive"))
    quiet = ("sleep_power", "sleep_power") if scenario.power_save else ("listen_power", "overhear_power")
    listen, overhear = (fleet.radio(power) for power in quiet)
    overhead = on_air.sending_overhead + on_air.receiving_overhead
    overhead_energy = transmit * on_air.sending_overhead + receive * on_air.receiving_overhead
    return {
        "transmit": Spent(on_air.sending, transmit * on_air.sending),
        "receive": Spent(on_air.receiving, receive * on_air.receiving),
        "listen": Spent(on_air.silent, listen * on_air.silent),
        "overhear": Spent(on_air.overheard, overhear * on_air.overheard),
        "overhead_frames": Spent(overhead, overhead_energy),
    }


def trips_on_air(
    kinds: RoundKinds, airtime: Airtime, scenario: Scenario, acknowledged: bool, tries: np.ndarray
) -> list[Trip]:
    """The hops of messages from node to node, or to all receivers at once.

    Parameters
    ----------
    kinds : kinds of round with their messages
    airtime : times of each message [1, M], [s]
    scenario : how the devices exchange
    acknowledged : bool, whether a unicast frame is answered, as int [1]
    tries : [S], how often a frame is sent [1]

    Returns
    -------
    One hop a message; with broadcast one a content, and one that is heard by each receiver
    """
    rows = kinds.messages
    arrives = rows.delivered & (rows.bits > 0)
    zeros = np.zeros(len(tries))
    repeats = Repeats(zeros.astype(int), tries, zeros)
    ends = (rows.round_kind, rows.sender, rows.receiver)
    if scenario.cast == "unicast":
        return [Trip(*ends, airtime, arrives, acknowledged, repeats)]
    contents = np.stack([rows.round_kind, rows.sender, rows.content], axis=1)
    _, chosen = np.unique(contents, axis=0, return_index=True)
    sent = Airtime(*(part[:, chosen] for part in vars(airtime).values()))
    sent = replace(sent, control=0 * sent.control)
    nobody = np.full(len(chosen), -1)
    silent = np.zeros(len(chosen), bool)
    leaving = Trip(rows.round_kind[chosen], rows.sender[chosen], nobody, sent, silent, False, repeats.never())
    no_one = np.full(len(rows.sender), -1)
    heard = Trip(rows.round_kind, no_one, rows.receiver, airtime, arrives, False, repeats.never(), free=True)
    return [leaving, heard]
