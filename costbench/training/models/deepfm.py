"""DeepFM: Guo et al., "DeepFM: A Factorization-Machine based Neural Network for CTR Prediction", IJCAI 2017.

Shapes: B batch, F fields, V entries of all fields together, K embedding length, D = F K.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import torch
from torch import Tensor, nn

from costbench.training.models.mlp import hidden_layers

EMBEDDING_STD = 0.01


class DeepFm(nn.Module):
    """Factorization machine and multilayer perceptron on the same embeddings of categorical fields.

    The logit is y_FM + y_DNN (equation 1): y_FM = b + sum_f w_f + sum_{f < g} <v_f, v_g> (equation 2), where
    the pairs are summed as 1/2 sum_k ((sum_f v_fk)^2 - sum_f v_fk^2) (Rendle, "Factorization Machines", 2010,
    lemma 3.1), and y_DNN is the perceptron on the concatenated v_f. All fields share one table of first-order
    weights [V, 1] and one of embeddings [V, K]; field f's entries begin at row offset f. Embeddings begin
    normal with deviation 0.01, first-order weights at 0.

    Parameters
    ----------
    vocabulary : number of entries of each field [F]
    embedding : K
    hidden : units of each hidden layer
    dropout : share of the hidden units that a training step sets to 0
    """

    offsets: Tensor

    def __init__(self, vocabulary: Sequence[int], embedding: int, hidden: Sequence[int], dropout: float):
        super().__init__()
        *offsets, entries = accumulate(vocabulary, initial=0)
        self.register_buffer("offsets", torch.tensor(offsets))
        self.first_order = nn.Embedding(entries, 1)
        self.embedding = nn.Embedding(entries, embedding)
        self.bias = nn.Parameter(torch.zeros(()))
        widths = [len(vocabulary) * embedding, *hidden]
        self.deep = nn.Sequential(*hidden_layers(widths, dropout), nn.Linear(widths[-1], 1))
        nn.init.zeros_(self.first_order.weight)
        nn.init.normal_(self.embedding.weight, std=EMBEDDING_STD)

    def forward(self, ids_BF: Tensor) -> Tensor:
        """Logits float32 [B] of ids int64 [B, F]."""
        rows_BF = ids_BF + self.offsets
        v_BFK = self.embedding(rows_BF)
        linear_B = self.first_order(rows_BF).sum(dim=(1, 2))
        pairs_B = 0.5 * (v_BFK.sum(dim=1).square() - v_BFK.square().sum(dim=1)).sum(dim=1)
        deep_B = self.deep(v_BFK.flatten(1)).squeeze(1)
        return self.bias + linear_B + pairs_B + deep_B
