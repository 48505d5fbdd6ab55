"""Bytes read and written by one operator, by hand: float32 4 bytes, int64 8."""

import pytest
import torch
from counts import counter_of
from torch.nn import functional as F

from costbench.training.counters.compute import ComputeCounter, Counts
from costbench.training.counters.phases import phase


def bytes_of(work):
    """(read, written) of all operators of work()."""
    counts = counter_of(work, strict=False).by_phase.values()
    return sum(c.bytes_read for c in counts), sum(c.bytes_written for c in counts)


@pytest.fixture
def x():
    return torch.rand(10, 20)


def test_an_input_that_is_used_twice_is_read_once(x):
    y = torch.rand(10, 20)
    assert bytes_of(lambda: x * y) == (1600, 800)
    assert bytes_of(lambda: x * x) == (800, 800)


def test_in_place_reads_and_writes_what_it_changes(x):
    y = torch.rand(10, 20)
    assert bytes_of(lambda: x.add_(y)) == (1600, 800)
    assert bytes_of(lambda: x.mul_(2)) == (800, 800)


def test_filling_and_copying_read_only_their_source(x):
    y = torch.rand(10, 20)
    assert bytes_of(lambda: x.copy_(y)) == (800, 800)
    assert bytes_of(lambda: x.zero_()) == bytes_of(lambda: x.normal_()) == (0, 800)
    assert bytes_of(lambda: x.clone()) == (800, 800)


def test_an_output_that_is_given_is_written_and_not_read(x):
    y, out = torch.rand(10, 20), torch.empty(10, 20)
    assert bytes_of(lambda: torch.add(x, y, out=out)) == (1600, 800)


def test_an_expanded_tensor_is_as_large_as_what_it_expands(x):
    # 800 + 20 x 4; a broadcast without expanding is the same
    row = torch.rand(20)
    assert bytes_of(lambda: x + row.expand(10, 20)) == bytes_of(lambda: x + row) == (880, 800)
    # every second of 40 numbers
    every_second = torch.rand(40)[::2]
    assert bytes_of(lambda: x + every_second.expand(10, 20)) == (880, 800)


def test_overlapping_views_of_one_storage_are_read_once():
    # x[1:] and x[:-1] cover all 100 together; every second and the others between them too
    x, large = torch.rand(100), torch.rand(1000)
    assert bytes_of(lambda: x[1:] - x[:-1]) == (400, 396)
    assert bytes_of(lambda: large[1:100] - large[:99]) == (400, 396)
    assert bytes_of(lambda: x[::2] - x[1::2]) == (400, 200)
    assert bytes_of(lambda: x[:10] + x[50:60]) == (80, 40)
    # 99 windows of 2 cover the 100
    assert bytes_of(lambda: x.unfold(0, 2, 1) * 1.0) == (400, 99 * 2 * 4)


def test_a_part_of_a_tensor_is_read_in_part(x):
    assert bytes_of(lambda: x[:, :5] * 2) == (200, 200)
    assert bytes_of(lambda: x.t() * 2) == (800, 800)


def test_nothing_is_read_of_an_empty_tensor():
    assert bytes_of(lambda: torch.rand(0) + torch.rand(0)) == (0, 0)


def test_lookups_read_rows_and_not_the_table():
    # 3 rows of 20 and 3 indices of 8 bytes, of a table of 80,000 bytes
    table, ids = torch.rand(1000, 20), torch.tensor([5, 7, 5])
    expected = (240 + 24, 240)
    assert bytes_of(lambda: table[ids]) == expected
    assert bytes_of(lambda: table.index_select(0, ids)) == expected
    assert bytes_of(lambda: F.embedding(ids, table)) == expected
    assert bytes_of(lambda: table.gather(1, ids[None])) == (12 + 24, 12)


def test_a_bag_reads_its_rows_and_writes_their_sum():
    # 240 of rows, 24 of ids, 8 of the offset; the call also returns three int64 tensors of 1 or 3
    table, ids = torch.rand(1000, 20), torch.tensor([[5, 7, 5]])
    offset = torch.tensor([0])
    read, written = bytes_of(lambda: F.embedding_bag(ids[0], table, offset, mode="sum"))
    assert read == 240 + 24 + 8 and 80 <= written <= 80 + 3 * 3 * 8


def test_scattering_in_place_touches_the_rows_that_it_writes():
    table, ids, rows = torch.rand(1000, 20), torch.tensor([5, 7, 9]), torch.rand(3, 20)
    # reads rows, ids, and, to add, what was there
    assert bytes_of(lambda: table.index_add_(0, ids, rows)) == (240 + 24 + 240, 240)
    assert bytes_of(lambda: table.index_copy_(0, ids, rows)) == (240 + 24, 240)
    assert bytes_of(lambda: table.index_put_((ids,), rows)) == (240 + 24, 240)
    assert bytes_of(lambda: table.index_put_((ids,), rows, accumulate=True)) == (240 + 24 + 240, 240)
    mask, zero = torch.zeros(1000, 20, dtype=torch.bool), torch.zeros(())
    mask[3, :4] = True
    assert bytes_of(lambda: table.index_put_((mask,), zero))[1] == 16


def test_lists_of_tensors_are_read_and_written_whole():
    some, others = [torch.rand(3), torch.rand(4)], [torch.rand(3), torch.rand(4)]
    assert bytes_of(lambda: torch._foreach_add_(some, others)) == (56, 28)
    (counts,) = counter_of(lambda: torch._foreach_add_(some, others)).by_phase.values()
    assert (counts.launches, counts.flop) == (1, 7)


def test_a_sparse_matrix_is_its_indices_and_values():
    # 4 entries: two indices of 8 bytes and a value of 4 each
    eye, dense = torch.eye(4).to_sparse(), torch.rand(4, 5)
    assert bytes_of(lambda: eye @ dense)[0] == 4 * (2 * 8 + 4) + 80


def test_an_operator_outside_torch_moves_its_inputs_and_outputs():
    given, out = torch.rand(10), torch.zeros(3, dtype=torch.uint8)
    with ComputeCounter() as counter, phase("compress"):
        counter.saw("mine", ((given, given), {}), [out], 7)
    assert dict(counter.by_phase) == {("compress", "uint8"): Counts(7, 40, 3, 1)}


def test_meta_tensors_move_as_many_bytes_as_real_ones():
    moved = {}
    for device in ("cpu", "meta"):
        x, y = torch.ones(10, 20, device=device), torch.ones(10, 20, device=device)
        moved[device] = bytes_of(lambda x=x, y=y: (x * y).sum(dim=0))
    assert moved["cpu"] == moved["meta"] == (1600 + 800, 800 + 80)
