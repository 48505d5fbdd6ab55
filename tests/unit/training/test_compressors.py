"""Compressors by hand, and what their vectors do to a row.

Shapes: D parameters.
"""

import pytest
import torch

from costbench import spec
from costbench.training import compressors
from costbench.training.compressors import NoCompression, Qsgd, RandomK, Sign, TopK, kept
from costbench.training.counters.compute import ComputeCounter
from costbench.training.counters.phases import phase
from costbench.training.layout import Layout
from costbench.training.vectors import Block, Dense, Levels, Signs
from costbench.training.wire import Wire


def layout_of(numels):
    return Layout(tuple(f"t{i}" for i in range(len(numels))), tuple((n,) for n in numels))


LAYOUT = layout_of([30, 1, 9])
ALL = {
    "top-k": TopK(LAYOUT, 0.1),
    "global top-k": TopK(LAYOUT, 0.1, "global"),
    "random-k": RandomK(LAYOUT, 0.1),
    "global random-k": RandomK(LAYOUT, 0.1, "global"),
    "sign": Sign(LAYOUT),
    "qsgd": Qsgd(LAYOUT, 4),
    "none": NoCompression(LAYOUT),
}
EVERY = pytest.mark.parametrize("compressor", ALL.values(), ids=ALL)


@pytest.fixture(name="v_D")
def normal():
    return torch.randn(40, generator=torch.Generator().manual_seed(0))


def test_top_k_goes_by_magnitude():
    q = TopK(layout_of([3]), 0.34)(torch.tensor([-5.0, 1.0, 2.0]), 0)
    assert q.index.tolist() == [0]
    assert q.entries.tolist() == [-5.0]


def test_top_k_of_every_tensor_or_of_all():
    v_D = torch.tensor([1.0, 2.0, 30.0, -40.0])
    assert sorted(TopK(layout_of([2, 2]), 0.5)(v_D, 0).index.tolist()) == [1, 3]
    assert sorted(TopK(layout_of([2, 2]), 0.5, "global")(v_D, 0).index.tolist()) == [2, 3]


def test_keep_rounds_down_but_never_to_nothing():
    assert kept(1005, 0.1) == 100
    assert [kept(n, 0.1) for n in (1, 9, 10, 19, 20)] == [1, 1, 1, 1, 2]
    assert kept(1005, 1.0) == 1005


@pytest.mark.parametrize("kind", [TopK, RandomK])
def test_k_is_counted_tensor_by_tensor_or_once(kind):
    # max(1, int(3.0)) + max(1, int(0.1)) + max(1, int(0.9)) = 3 + 1 + 1; int(40 * 0.1) = 4
    assert kind(LAYOUT, 0.1).kept == [3, 1, 1]
    assert kind(LAYOUT, 0.1, "global").kept == [4]


def test_random_positions_follow_from_the_seed(v_D):
    compressor = RandomK(LAYOUT, 0.3)
    assert torch.equal(compressor(v_D, 7).index, compressor(-v_D, 7).index)
    drawn = {tuple(compressor(v_D, seed).index.tolist()) for seed in (0, 1, 2, 2**31, 2**32 - 1)}
    assert len(drawn) == 5


def test_drawing_leaves_the_global_generator_alone(v_D):
    before = torch.get_rng_state()
    for compressor in ALL.values():
        compressor(v_D, 3)
    assert torch.equal(torch.get_rng_state(), before)


def test_sign_by_hand():
    q = Sign(layout_of([4, 2]))(torch.tensor([1.0, -3.0, 0.0, -0.0, 0.5, 1.5]), 0)
    # (1 + 3 + 0 + 0) / 4 = 1 and (0.5 + 1.5) / 2 = 1; zeros have the sign of plus
    assert q.scale.tolist() == [1.0, 1.0]
    assert q.dense().tolist() == [1.0, -1.0, 1.0, 1.0, 1.0, 1.0]


def test_sign_has_two_values_though_there_are_zeros():
    v_D = torch.zeros(100)
    v_D[::3] = -2.0
    assert len(set(Sign(layout_of([100]))(v_D, 0).dense().tolist())) == 2


def test_qsgd_by_hand():
    """[3, -4, 0]: norm 5; s = 5: s |v| / norm = 3, 4, 0 are whole numbers, so that xi changes nothing."""
    q = Qsgd(layout_of([3]), 5)(torch.tensor([3.0, -4.0, 0.0]), 11)
    assert q.multiples.tolist() == [3, -4, 0]
    # tau = 1 + min(3 / 25, sqrt(3) / 5) = 1.12; 5 / (5 x 1.12)
    assert q.scale.tolist() == pytest.approx([1 / 1.12])


def test_tau_takes_the_smaller_term():
    # n = 16: s = 1: min(16, 4) = 4; s = 8: min(16 / 64, 4 / 8) = 0.25
    for levels, tau in ((1, 5.0), (8, 1.25)):
        assert Qsgd(layout_of([16]), levels).steps_T.tolist() == [levels * tau]


def test_no_level_is_above_s():
    """With one entry a tensor |v| / ||v|| is 1, and s + xi rounds up to s + 1 in float32 at times."""
    s, tensors = 2**15 - 1, 4000
    q = Qsgd(layout_of(tensors * [1]), s)(torch.ones(tensors), 0)
    assert q.multiples.tolist() == tensors * [s]


def test_levels_differ_from_seed_to_seed(v_D):
    compressor = Qsgd(LAYOUT, 4)
    assert torch.equal(compressor(v_D, 1).multiples, compressor(v_D, 1).multiples)
    assert not torch.equal(compressor(v_D, 1).multiples, compressor(v_D, 2).multiples)


@EVERY
def test_the_spec_builds_it(compressor):
    layout_free = {
        "TopK": spec.TopK(kind="top-k", keep=0.1),
        "RandomK": spec.RandomK(kind="random-k", keep=0.1),
        "Sign": spec.Sign(kind="sign"),
        "Qsgd": spec.Qsgd(kind="qsgd", levels=4),
        "NoCompression": spec.NoCompression(kind="none"),
    }
    settings = layout_free[type(compressor).__name__]
    if getattr(compressor, "numels", LAYOUT.numels) != LAYOUT.numels:
        settings = settings.model_copy(update={"scope": "global"})
    built = compressors.build(settings, LAYOUT)
    assert type(built) is type(compressor)
    for name in ("numels", "kept", "levels"):
        assert getattr(built, name, None) == getattr(compressor, name, None)


@EVERY
def test_a_vector_shares_no_memory_with_its_source(compressor, v_D):
    q = compressor(v_D, 1)
    before = q.dense().clone()
    v_D.zero_()
    assert torch.equal(q.dense(), before)


@EVERY
def test_the_error_memory_keeps_what_was_not_sent(compressor, v_D):
    q, e_D = compressor(v_D, 1), v_D.clone()
    q.add_to(e_D, -1.0)
    assert torch.equal(e_D, v_D - q.dense())
    if hasattr(q, "index"):
        assert e_D[q.index].tolist() == q.elements * [0.0]


@EVERY
def test_scaling_and_adding(compressor, v_D):
    q = compressor(v_D, 1)
    half, y_D = q.scaled(0.5), torch.ones(40)
    assert type(half) is type(q)
    assert torch.equal(half.dense(), 0.5 * q.dense())
    q.add_to(y_D, 2.0)
    assert torch.allclose(y_D, 1 + 2 * q.dense())


def test_scaling_a_quantised_vector_touches_its_scale_alone(v_D):
    signs, levels = Sign(LAYOUT)(v_D, 0), Qsgd(LAYOUT, 4)(v_D, 0)
    assert signs.scaled(0.3).negative is signs.negative
    assert levels.scaled(0.3).multiples is levels.multiples


def test_a_block_touches_its_own_entries_alone():
    block, y_D = Block(1, torch.tensor([2.0, 3.0]), 5), torch.ones(5)
    block.add_to(y_D, -1.0)
    assert y_D.tolist() == [1.0, -1.0, -2.0, 1.0, 1.0]
    assert block.dense().tolist() == [0.0, 2.0, 3.0, 0.0, 0.0]
    assert block.scaled(2.0).dense().tolist() == [0.0, 4.0, 6.0, 0.0, 0.0]
    assert block.elements == 2


def test_elements_are_the_numbers_carried(v_D):
    elements = [compressor(v_D, 0).elements for compressor in ALL.values()]
    assert elements == [5, 4, 5, 4, 40, 40, 40]
    assert isinstance(ALL["none"](v_D, 0), Dense)
    assert isinstance(ALL["sign"](v_D, 0), Signs)
    assert isinstance(ALL["qsgd"](v_D, 0), Levels)


@EVERY
def test_every_operator_of_a_message_is_counted(compressor, v_D):
    wire = Wire(LAYOUT.numels, compressor)
    with ComputeCounter() as counter, phase("mix"):
        q = compressor(v_D, 1)
        decoded, _ = wire.decode(wire.encode(q.scaled(0.5), torch.ones(1)).payload)
        decoded.add_to(v_D, 0.1)
    assert not counter.uncounted
    assert any(name == "compress" for name, _ in counter.by_phase)


@pytest.mark.parametrize("numel", [1000, 3000])
def test_what_compressing_costs(numel):
    """Random-k permutes n, sorts k; qsgd draws, compares, divides, rounds (1 each), sums squares (2)."""
    v_D, layout = torch.randn(numel), layout_of([numel])
    with ComputeCounter() as counter:
        RandomK(layout, 0.1)(v_D, 0)
    # the permutation, k ceil(log2 k) comparisons, and the addition of the tensor's start to each of the k
    k = numel // 10
    assert sum(counts.flop for counts in counter.by_phase.values()) == numel + k * (k - 1).bit_length() + k
    with ComputeCounter() as counter:
        Qsgd(layout, 4)(v_D, 0)
    assert sum(counts.flop for counts in counter.by_phase.values()) >= 6 * numel
