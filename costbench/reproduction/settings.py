"""The settings of arXiv 2102.05715 (Sparse-Push) behind its cost figures.

Source: section 3 of the paper's accounting, reconstructed, and the scripts of its first author.
"""

from __future__ import annotations

from math import ceil

from costbench import spec
from costbench.training.data.registry import DATASETS

DEVICES, BATCH = 16, 128
KEEP = 0.001
EPOCHS, FINAL_ROUNDS = 200, 50
ROUNDS = EPOCHS * ceil(DATASETS["cifar10"].train_samples / BATCH)
"""T = 200 x 391; CIFAR-100 has as many images."""

IMAGE = (3, 32, 32)
TOP_K = spec.TopK(kind="top-k", keep=KEEP)
RESNET20 = spec.ResNet(kind="resnet20", shortcut="A")
