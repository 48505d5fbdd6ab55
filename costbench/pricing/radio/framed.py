"""What a radio that sends frames on a shared channel pays: terms from its times on the air."""

from __future__ import annotations

from collections.abc import Callable

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

    With power save they sleep where they would listen and overhear, except in the silences around frames of
    their own. The processor is awake for the node's own frames.

    Parameters
    ----------
    on_air : times of every node, by name of what it does
    fleet : numbers of the devices
    scenario : how the devices exchange

    Returns
    -------
    Terms by name: times [s] and energies above idle [J]
    """
    sums, host = on_air.sums, fleet.radio("host_power")
    transmit, receive = (fleet.radio(f"{way}_power") + host for way in ("transmit", "receive"))
    quiet = ("sleep", "sleep") if scenario.power_save else ("listen", "overhear")
    listen, resting, overhear = (fleet.radio(f"{way}_power") for way in ("listen", *quiet))
    overhead = sums.sending_overhead + sums.receiving_overhead
    overhead_energy = transmit * sums.sending_overhead + receive * sums.receiving_overhead
    return {
        "transmit": Spent(sums.sending, transmit * sums.sending),
        "receive": Spent(sums.receiving, receive * sums.receiving),
        "listen": Spent(on_air.silent, listen * sums.sensing + resting * (on_air.silent - sums.sensing)),
        "overhear": Spent(on_air.overheard, overhear * on_air.overheard),
        "overhead_frames": Spent(overhead, overhead_energy),
    }


def trips_on_air(
    kinds: RoundKinds,
    airtime: Callable[[np.ndarray], Airtime],
    scenario: Scenario,
    acknowledged: bool,
    tries: np.ndarray,
) -> list[Trip]:
    """The hops of messages from node to node, or to all receivers at once.

    Parameters
    ----------
    kinds : kinds of round with their messages
    airtime : times [1, Z], [s] of messages of some lengths [B], by name of its parts
    scenario : how the devices exchange
    acknowledged : bool, whether a unicast frame is answered, as int [1]
    tries : [S], how often a frame is sent [1]

    Returns
    -------
    One hop a message; with broadcast one a content, and one that is heard by each receiver
    """
    rows = kinds.messages
    octets, length = np.unique(-(-rows.bits // 8), return_inverse=True)
    times, zeros = airtime(octets), np.zeros(len(tries))
    arrives, repeats = rows.delivered & (rows.bits > 0), Repeats(zeros.astype(int), tries, zeros)
    if scenario.cast == "unicast":
        ends = (rows.round_kind, rows.sender, rows.receiver)
        return [Trip(*ends, times, length, arrives, acknowledged, repeats)]
    first, once = rows.first_of_contents(), repeats.never()
    nobody, nowhere = np.full(len(first), -1), np.zeros(len(first), bool)
    sent = (rows.round_kind[first], rows.sender[first], nobody, times, length[first], nowhere)
    ears = np.full(len(rows.sender), -1)
    heard = (rows.round_kind, ears, rows.receiver, times, length, arrives)
    return [Trip(*sent, False, once), Trip(*heard, False, once, free=True)]
