import numpy as np
import pandas as pd
import pytest

from costbench.pricing.counts import Counts, payload_bits
from costbench.pricing.gaps import find_gaps
from costbench.pricing.rounds import group_rounds


def test_rounds_that_are_alike_form_one_kind(counts):
    # A one-peer graph on 4 nodes: distance 1 in even rounds, 2 in odd rounds.
    messages = [(r, s, (s + 1 + r % 2) % 4, 1000) for r in range(10) for s in range(4)]
    kinds = group_rounds(counts(4, 10, messages, [(n, "forward", 100, 1) for n in range(4)]))
    assert kinds.kind_of_round.tolist() == [0, 1] * 5
    assert kinds.repeats.tolist() == [5, 5]
    assert kinds.compute_kind.tolist() == [0, 0]
    assert len(kinds.messages.bits) == 8
    assert len(kinds.compute.node) == 4


def test_a_lost_message_makes_another_kind(counts):
    kinds = group_rounds(counts(2, 3, [(r, 0, 1, 8) for r in range(3)], lost=[(1, 0, 1)]))
    assert kinds.kind_of_round.tolist() == [0, 1, 0]


def test_ranges_of_compute_give_the_counts_of_each_round(counts):
    run = counts(1, 6, (), [(0, "forward", 100, 1)])
    first = run.compute.assign(round_stop=4)
    merge = run.compute.assign(round_start=4, phase="mix", flop=7)
    run = Counts(run.run_id, run.name, 1, 6, run.messages, pd.concat([first, merge], ignore_index=True))
    kinds = group_rounds(run)
    assert kinds.kind_of_round.tolist() == [0, 0, 0, 0, 1, 1]
    assert kinds.compute.flop.tolist() == [100, 7]
    assert kinds.compute.compute_kind.tolist() == [0, 1]


def test_payload_is_all_that_the_transport_is_handed():
    parts = {"value_bits": [320], "index_bits": [140], "side_bits": [32], "padding_bits": [4]}
    assert payload_bits(pd.DataFrame({**parts, "header_bits": [64]})).tolist() == [560]


@pytest.mark.parametrize("shared", [False, True])
def test_gaps_of_a_run_that_exchanges_every_third_round(counts, shared):
    # Node 0 sends in rounds 2, 5, 8: two gaps that are alike, each across two silent rounds.
    kinds = group_rounds(counts(2, 9, [(r, 0, 1, 8) for r in (2, 5, 8)], [(0, "forward", 1, 1)]))
    active = np.array([[False, False], [True, True]])
    gaps = find_gaps(kinds, active, shared, one_channel=shared)
    assert gaps.node.tolist() == [0, 1]
    assert gaps.repeats.tolist() == [2, 2]
    assert (gaps.round_after - gaps.round_before).tolist() == [3, 3]
    assert not gaps.adjacent
    # contexts: silent rounds (6), the first exchange (1), later exchanges (2)
    assert sorted(gaps.times.tolist()) == [1, 2, 6]


def test_gaps_tell_the_round_before_apart_without_a_shared_channel(counts):
    messages = [(0, 0, 1, 8), (1, 0, 1, 800), (2, 0, 1, 8), (3, 0, 1, 800)]
    kinds = group_rounds(counts(2, 4, messages))
    active = np.ones((2, 2), bool)
    assert find_gaps(kinds, active, shared=False, one_channel=False).repeats.tolist() == [2, 1, 2, 1]
    assert find_gaps(kinds, active, shared=True, one_channel=True).repeats.tolist() == [3, 3]
