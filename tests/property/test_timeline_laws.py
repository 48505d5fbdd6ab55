"""The vectorised clocks against a clock that is played round by round and node by node."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from costbench.pricing.gaps import find_gaps
from costbench.pricing.neighbourhood import neighbourhood_timeline, one_after_another
from costbench.pricing.radio.exchange import Exchange, State, Window
from costbench.pricing.rounds import ComputeRows, MessageRows, RoundKinds
from costbench.pricing.timeline import barrier_timeline

N = 4
SETTINGS = settings(max_examples=80, deadline=None)
times = st.sampled_from([0.0, 0.125, 0.5, 1.0, 3.0])


@st.composite
def runs(draw, draws=2):
    """A run of a few kinds of round, its computing [S, V, N] and its exchange; numbers exact in binary."""
    shared = draw(st.booleans())
    kinds = draw(st.integers(1, 3))
    kind_of_round = np.array(
        [*range(kinds), *draw(st.lists(st.integers(0, kinds - 1), max_size=5))], dtype=np.int64
    )
    links = draw(
        st.lists(
            st.tuples(st.integers(0, kinds - 1), st.integers(0, N - 1), st.integers(0, N - 1)), max_size=8
        )
    )
    links = sorted({link for link in links if link[1] != link[2]})
    rows = np.array(links, dtype=np.int64).reshape(-1, 3)
    column = np.array(draw(st.lists(st.integers(0, 1), min_size=N, max_size=N))) if shared else np.arange(N)
    _, column = np.unique(column, return_inverse=True)
    active = np.zeros((kinds, N), bool)
    active[rows[:, 0], rows[:, 1]] = active[rows[:, 0], rows[:, 2]] = True
    features = np.array([[[draw(times) * active[u, n] for n in range(N)] for u in range(kinds)]])
    compute_kind = np.array([draw(st.integers(0, 1)) for _ in range(kinds)])
    _, compute_kind = np.unique(compute_kind, return_inverse=True)
    compute = np.array([[[draw(times) for _ in range(N)] for _ in range(2)] for _ in range(draws)])
    ones = np.ones(len(rows), bool)
    none = np.zeros(0)
    run = RoundKinds(
        N,
        kind_of_round,
        np.bincount(kind_of_round),
        compute_kind,
        ComputeRows(*[none.astype(int)] * 2, *[none] * 3, none.astype(bool)),
        MessageRows(rows[:, 0], rows[:, 1], rows[:, 2], 0 * rows[:, 0], 8 + 0 * rows[:, 0], ones),
    )
    each = draw(st.sampled_from([1, N]))
    weights = np.array([[[draw(st.sampled_from([1.0, 2.0])) for _ in range(each)]] for _ in range(draws)])
    state = [np.array([[draw(times) for _ in range(each)] for _ in range(draws)]) for _ in range(2)]
    power = np.ones((draws, 1))
    exchange = Exchange(
        shared, active, Window(weights, features, column), {}, State(state[0], power), State(state[1], power)
    )
    return run, compute[:, : compute_kind.max() + 1], exchange


def of(numbers, draw, node):
    """An entry of [S, N] or [S, 1]."""
    return numbers[draw, min(node, numbers.shape[1] - 1)]


def needs(exchange, draw, kind, node):
    weights = exchange.window.weights
    return weights[draw, 0, min(node, weights.shape[2] - 1)] * exchange.window.features[0, kind, node]


def barrier_by_hand(run, compute, exchange, draw):
    """Total, and lists over nodes: communicating, promotions, tail. Gaps are those without promotions."""
    columns = exchange.window.column_of_node
    plain, total = 0.0, 0.0
    ended = [None] * N
    communicate, promotions, tail = ([0.0] * N for _ in range(3))
    for kind in run.kind_of_round:
        own = compute[draw, run.compute_kind[kind]]
        opens, closes, late = [], [], [0.0] * N
        for node in range(N):
            friends = [m for m in range(N) if columns[m] == columns[node]]
            opens.append(max(own[m] for m in friends))
            closes.append(opens[node] + sum(needs(exchange, draw, kind, m) for m in friends))
        for node in range(N):
            if not exchange.active[kind, node]:
                continue
            gap = math.inf if ended[node] is None else plain + opens[node] - ended[node]
            if ended[node] is not None:
                tail[node] += min(gap, of(exchange.tail.duration, draw, node))
            if gap > of(exchange.tail.duration, draw, node):
                promotions[node] += 1
                late[columns[node]] = max(late[columns[node]], of(exchange.promotion.duration, draw, node))
            ended[node] = plain + closes[node]
        for node in range(N):
            if exchange.active[kind, node]:
                communicate[node] += closes[node] - opens[node] + late[columns[node]]
        total += max(closes[n] + late[columns[n]] for n in range(N))
        plain += max(closes)
    tail = [
        t + (of(exchange.tail.duration, draw, n) if ended[n] is not None else 0) for n, t in enumerate(tail)
    ]
    return total, communicate, promotions, tail


def neighbourhood_by_hand(run, compute, exchange, draw):
    """Lists over nodes: end, communicating, promotions, tail."""
    columns = exchange.window.column_of_node
    begins, ended = [0.0] * N, [None] * N
    communicate, promotions, tail = ([0.0] * N for _ in range(3))
    for kind in run.kind_of_round:
        computed = [begins[n] + compute[draw, run.compute_kind[kind], n] for n in range(N)]
        done, ready = list(computed), list(computed)
        sending = [n for n in range(N) if exchange.active[kind, n]]
        for node in sending:
            limit = of(exchange.tail.duration, draw, node)
            gap = math.inf if ended[node] is None else computed[node] - ended[node]
            tail[node] += 0.0 if ended[node] is None else min(gap, limit)
            if gap > limit:
                promotions[node] += 1
                ready[node] += of(exchange.promotion.duration, draw, node)
        free = dict.fromkeys(columns, 0.0)
        for node in sorted(sending, key=lambda n: ready[n]):
            begin = max(ready[node], free[columns[node]]) if exchange.shared else ready[node]
            done[node] = free[columns[node]] = begin + needs(exchange, draw, kind, node)
        for node in sending:
            communicate[node] += done[node] - computed[node]
            ended[node] = done[node]
        begins = list(done)
        rows = run.messages
        for k, sender, receiver in zip(rows.round_kind, rows.sender, rows.receiver, strict=True):
            if k == kind:
                begins[receiver] = max(begins[receiver], done[sender])
    tail = [
        t + (of(exchange.tail.duration, draw, n) if ended[n] is not None else 0) for n, t in enumerate(tail)
    ]
    return begins, communicate, promotions, tail


def barrier(run, compute, exchange):
    one_channel = exchange.window.columns == 1
    gaps = find_gaps(run, exchange.active, exchange.shared, one_channel)
    return barrier_timeline(run, compute, exchange, gaps)


@given(runs())
@SETTINGS
def test_a_barrier_is_played_as_round_by_round(case):
    run, compute, exchange = case
    found = barrier(run, compute, exchange)
    for draw in range(len(compute)):
        total, communicate, promotions, tail = barrier_by_hand(run, compute, exchange, draw)
        assert found.total[draw] == pytest.approx([total] * N, rel=1e-12)
        assert found.communicate[draw] == pytest.approx(communicate, rel=1e-12)
        rows = np.broadcast_to(found.promotions, found.total.shape)
        assert rows[draw] == pytest.approx(promotions)
        assert found.tail[draw] == pytest.approx(tail, rel=1e-12)


@given(runs())
@SETTINGS
def test_neighbourhoods_are_played_as_round_by_round(case):
    run, compute, exchange = case
    found = neighbourhood_timeline(run, compute, exchange)
    for draw in range(len(compute)):
        by_hand = neighbourhood_by_hand(run, compute, exchange, draw)
        for part, expected in zip(("total", "communicate", "promotions", "tail"), by_hand, strict=True):
            assert getattr(found, part)[draw] == pytest.approx(expected, rel=1e-12), part


@given(runs(draws=1))
@SETTINGS
def test_waiting_for_fewer_never_takes_longer_than_for_all_without_wakings(case):
    run, compute, exchange = case
    awake = State(np.zeros((1, 1)), np.ones((1, 1)))
    exchange = Exchange(exchange.shared, exchange.active, exchange.window, {}, awake, awake)
    few, everyone = neighbourhood_timeline(run, compute, exchange), barrier(run, compute, exchange)
    assert (few.total <= everyone.total * (1 + 1e-12)).all()


@given(st.lists(st.tuples(times, times), min_size=1, max_size=6))
def test_a_channel_serves_in_the_order_of_readiness(pairs):
    ready, lasting = (np.array([pair[i] for pair in pairs]) for i in range(2))
    free, ends = 0.0, {}
    for place in sorted(range(len(pairs)), key=lambda i: ready[i]):
        free = ends[place] = max(free, ready[place]) + lasting[place]
    done = one_after_another(ready[None], lasting[None])[0]
    assert done == pytest.approx([ends[place] for place in range(len(pairs))], rel=1e-12)
