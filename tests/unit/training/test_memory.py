"""Live bytes follow storages, not tensors."""

import torch
from torch import nn

from costbench.training.counters.memory import MemoryCounter
from costbench.training.counters.phases import phase


def test_a_large_tensor_on_the_cpu_is_seen():
    with MemoryCounter() as counter:
        tensor = torch.zeros(25_000_000)
    assert counter.peak == tensor.nbytes == 100_000_000


def test_a_view_keeps_its_storage_alive_and_is_not_counted_again():
    with MemoryCounter() as counter:
        base = torch.zeros(1000)
        view = base[10:]
        del base
        other = torch.zeros(10)
    assert counter.peak == 4000 + 40
    assert len(view) and len(other)


def test_freed_bytes_can_be_used_again():
    with MemoryCounter() as counter:
        for _ in range(5):
            tensor = torch.zeros(1000)
            del tensor
    assert counter.peak == 4000


def test_categories_come_from_the_phase_and_from_what_is_held():
    held = torch.zeros(8)
    with MemoryCounter() as counter:
        counter.hold("parameters", held)
        counter.hold("algorithm", held[2:])
        with phase("forward"):
            activation = torch.zeros(4)
        with phase("compress", holds="messages"):
            message = torch.zeros(2, dtype=torch.uint8)
    assert dict(counter.peak_of) == {"parameters": 32, "activations": 16, "messages": 2}
    assert counter.peak == 50
    assert len(activation) and len(message)


def test_a_storage_that_grows_is_booked_at_its_new_length():
    with MemoryCounter() as counter:
        tensor = torch.zeros(10)
        tensor.resize_(1000)
        tensor.zero_().add_(1.0)
        other = torch.zeros(10)
    assert counter.peak == 4000 + 40
    assert len(tensor) and len(other)


def test_a_tensor_that_takes_another_storage_lets_go_of_its_own():
    with MemoryCounter() as counter:
        tensor, other = torch.zeros(1000), torch.zeros(500)
        tensor.set_(other)
        third = torch.zeros(1000)
    # at first 6,000; then other's 2,000 and 4,000 more
    assert counter.peak == 6000
    assert tensor.data_ptr() == other.data_ptr() and len(third)


def test_a_storage_at_the_address_of_one_that_is_gone_is_another_one():
    with MemoryCounter() as counter:
        for n in range(1, 200):
            with phase("forward" if n % 2 else "compress"):
                torch.zeros(n)
        kept = torch.zeros(50)
    assert counter.peak == 4 * 199
    assert len(kept)


def test_the_order_in_which_storages_are_freed_does_not_matter():
    with MemoryCounter() as counter:
        a, b, c = torch.zeros(100), torch.zeros(200), torch.zeros(300)
        del b, a
        d = torch.zeros(300)
        del c, d
        e = torch.zeros(600)
    assert counter.peak == 4 * 600
    assert len(e)


def test_a_sparse_tensor_is_its_indices_and_values():
    dense = torch.eye(4)
    with MemoryCounter() as counter:
        sparse = dense.to_sparse()
    # 4 entries: two indices of 8 bytes and a value of 4 each
    assert counter.peak >= 4 * (2 * 8 + 4)
    assert sparse.is_sparse


def test_an_allocators_blocks_round_every_storage_up():
    with MemoryCounter(block=512) as counter:
        tensors = torch.zeros(1), torch.zeros(128), torch.zeros(129)
    assert counter.peak == 512 + 512 + 1024
    assert len(tensors) == 3


def test_what_an_operator_outside_torch_returns_is_followed():
    with MemoryCounter() as counter, phase("compress", holds="messages"):
        counter.saw("mine", [], [torch.arange(3)], 0)
    assert counter.peak_of["messages"] == 24


def activations(uses):
    """Bytes held for the backward pass of one layer of 8 x 8 numbers that is used so many times."""
    layer, x = nn.Linear(8, 8, bias=False), torch.randn(4, 8, requires_grad=True)
    with MemoryCounter() as counter, phase("forward"):
        counter.hold("parameters", layer.weight)
        for _ in range(uses):
            x = layer(x).tanh()
    assert x.requires_grad
    return counter.peak_of["activations"]


def test_a_layer_that_is_used_again_holds_activations_again():
    # 4 x 8 x 4 = 128 bytes: the result of tanh is kept for every use, that of the layer until tanh is there
    assert [activations(uses) for uses in (1, 2, 3)] == [256, 384, 512]
