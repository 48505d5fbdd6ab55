"""Which messages are lost: independently or in bursts, the same whatever was asked before."""

import numpy as np
import pytest

from costbench.spec.graph import Bursts, Links
from costbench.training.randomness import Purpose, random_generator
from costbench.training.simulate import Simulation
from costbench.training.topology import build, out_weights
from costbench.training.transport import BurstStates, InProcess

NODES, ROUNDS = 10, 4000
BURSTY = Links(drop=0.0, bursts=Bursts(enter=0.05, leave=0.25))


def transport(links, seed=3, graph="complete"):
    return InProcess(build(graph, NODES), out_weights, links, seed)


def lost(links, rounds=ROUNDS):
    """bool [rounds, links of the complete graph]."""
    carried = transport(links)
    off_diagonal = ~np.eye(NODES, dtype=bool)
    return np.array([~carried.arrivals(t)[off_diagonal] for t in range(rounds)])


def test_without_losses_everything_arrives():
    carried = transport(Links())
    assert (carried.arrivals(0) == carried.links(0)).all()


def test_independent_losses_have_the_probability_of_the_spec_and_no_memory():
    losses = lost(Links(drop=0.2))
    # 90 links x 4,000 rounds: the standard deviation of the share is 0.0007
    assert losses.mean() == pytest.approx(0.2, abs=0.004)
    after_a_loss = losses[1:][losses[:-1]].mean()
    assert after_a_loss == pytest.approx(0.2, abs=0.008)


def test_bursts_have_the_stationary_share_and_the_mean_length_of_the_chain():
    losses = lost(BURSTY)
    # bad with probability enter / (enter + leave) = 1/6; a bad spell lasts 1 / leave = 4 rounds
    assert losses.mean() == pytest.approx(1 / 6, abs=0.01)
    stays_lost = losses[1:][losses[:-1]].mean()
    assert 1 / (1 - stays_lost) == pytest.approx(4, rel=0.05)
    assert losses[0].mean() == pytest.approx(1 / 6, abs=0.15)


def test_a_bad_link_loses_with_its_own_probability():
    links = Links(drop=0.1, bursts=Bursts(enter=0.05, leave=0.25, drop=0.7))
    # 5/6 x 0.1 + 1/6 x 0.7
    assert lost(links).mean() == pytest.approx(0.2, abs=0.01)


def test_states_do_not_depend_on_the_order_of_questions():
    forward = BurstStates(BURSTY.bursts, NODES, seed=1)
    states = [forward.bad(t).copy() for t in range(50)]
    jumping = BurstStates(BURSTY.bursts, NODES, seed=1)
    for t in (30, 7, 49, 0, 8):
        np.testing.assert_array_equal(jumping.bad(t), states[t])
    assert any((states[t] != states[t + 1]).any() for t in range(49))


def test_exchanges_of_a_round_lose_independently():
    carried = transport(Links(drop=0.5))
    assert (carried.arrivals(4, 0) != carried.arrivals(4, 1)).any()
    np.testing.assert_array_equal(carried.arrivals(4, 1), transport(Links(drop=0.5)).arrivals(4, 1))


def test_links_that_are_not_used_carry_nothing():
    carried = transport(Links(drop=0.5), graph="directed-ring")
    assert not (carried.arrivals(2) & ~carried.links(2)).any()


def test_losses_of_the_first_exchange_are_those_of_earlier_versions():
    links = build("complete", NODES).at(0)
    survives = random_generator(3, Purpose.LOSSES, 5).random(links.shape) >= 0.3
    np.testing.assert_array_equal(transport(Links(drop=0.3)).arrivals(5), links & survives)


def test_bursts_stand_in_the_ledger_and_change_training(spec_of):
    def final(links):
        simulation = Simulation(spec_of(rounds=12, links=links))
        for _ in simulation.run():
            pass
        table = simulation.recorder.ledger().messages.to_pandas()
        return table["delivered"].mean(), simulation.fleet.model_rows.clone()

    share, lossy = final({"bursts": {"enter": 0.4, "leave": 0.4}})
    whole, sound = final({})
    assert 0 < share < 1 == whole
    assert not (lossy == sound).all()
