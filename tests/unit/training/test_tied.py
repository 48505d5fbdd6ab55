"""A parameter under two names is one parameter: it lies in the row once and stays tied."""

import torch
from torch import nn
from torch.nn import functional as F

from costbench.training.nodes import Batch, Buffer, Fleet

WORDS, WIDTH = 7, 5


class TiedModel(nn.Module):
    """An embedding whose table is also the output layer's weight."""

    def __init__(self, tied=True):
        super().__init__()
        self.table, self.out = nn.Embedding(WORDS, WIDTH), nn.Linear(WIDTH, WORDS, bias=False)
        if tied:
            self.out.weight = self.table.weight

    def forward(self, ids):
        return self.out(self.table(ids))


def fleet_of(model, nodes=2):
    return Fleet(model, nodes, {"x": Buffer("parameters", "parameters")}, "x", F.cross_entropy)


BATCH = Batch(torch.tensor([0, 1, 3]), torch.tensor([2, 2, 6]))


def test_a_tied_table_lies_in_the_row_once():
    fleet = fleet_of(TiedModel())
    assert fleet.layout.names == ("table.weight",)
    assert fleet.layout.parameters == WORDS * WIDTH
    assert fleet_of(TiedModel(tied=False)).layout.parameters == 2 * WORDS * WIDTH


def test_it_stays_tied_in_every_node_and_in_a_copy():
    fleet = fleet_of(TiedModel())
    for node in (*fleet.nodes, fleet.nodes[0].alone()):
        assert node.model.out.weight is node.model.table.weight
        node.x.add_(1.0)
        assert torch.equal(node.model.out.weight.flatten(), node.x)


def test_training_moves_both_uses_and_equals_torchs_own():
    torch.manual_seed(0)
    model = TiedModel()
    (node,) = fleet_of(model, nodes=1).nodes
    mine = torch.optim.SGD(model.parameters(), lr=0.5)
    for _ in range(3):
        mine.zero_grad()
        F.cross_entropy(model(BATCH.inputs), BATCH.labels).backward()
        mine.step()
        node.x.sub_(node.gradient(BATCH), alpha=0.5)
    assert torch.equal(node.x, model.table.weight.flatten())
    assert torch.equal(node.model.out.weight, model.out.weight)


def test_a_layer_that_is_used_under_two_names_is_one_layer():
    shared = nn.Linear(3, 3)
    fleet = fleet_of(nn.Sequential(shared, nn.ReLU(), shared))
    assert fleet.layout.parameters == 3 * 3 + 3
    model = fleet.nodes[1].model
    assert model[0] is model[2] and model[0].weight is model[2].weight
