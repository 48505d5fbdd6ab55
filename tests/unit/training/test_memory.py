"""Live bytes follow storages, not tensors."""

import torch

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
