"""Images that stand in for a data set where only shapes count: FLOP and bytes do not depend on pixels."""

from __future__ import annotations

import numpy as np

from costbench.training.data.images import Images

TRAIN_IMAGES, CLASSES = 2048, 10
SHAPE = (3, 32, 32)


def cifar10_shaped() -> Images:
    """Random images of CIFAR-10's shape, uint8 [2048, 3, 32, 32], with 10 classes; one image to test on."""
    generator = np.random.default_rng(0)
    pixels = generator.integers(0, 256, (TRAIN_IMAGES + 1, *SHAPE), dtype=np.uint8)
    labels = np.arange(TRAIN_IMAGES + 1) % CLASSES
    return Images.of(
        "made-up", pixels[1:], labels[1:], pixels[:1], labels[:1], licence="none: random numbers"
    )
