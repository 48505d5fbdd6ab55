"""How many times fewer bits Sparse-Push sends: 467, 466 and 438 in arXiv 2102.05715.

ratio = T dense / (T sparse + R dense), per out-edge; T sparse rounds, R = 50 dense rounds at the end.
"""

from __future__ import annotations

from costbench import spec
from costbench.pricing.conventions import Tensors, dense_bits, ratio_with_final_rounds, sparse_bits
from costbench.reproduction.claim import Claim, reading_words
from costbench.reproduction.settings import EPOCHS, FINAL_ROUNDS, IMAGE, KEEP, ROUNDS, TOP_K
from costbench.training.first_message import FirstMessage, model_of

Model = spec.Vgg11 | spec.ResNet


def vgg11() -> Claim:
    """VGG11 without normalisation, 467."""
    return _claim("vgg11-467", "467", spec.Vgg11(kind="vgg11"), 10)


def vgg11_bn() -> Claim:
    """VGG11 with BatchNorm, 466."""
    return _claim("vgg11bn-466", "466", spec.Vgg11(kind="vgg11", norm="batch"), 10)


def resnet110() -> Claim:
    """ResNet-110 with 100 classes, 438."""
    of_option_b = _ratio(_message(spec.ResNet(kind="resnet110", shortcut="B"), 100))
    further = f"; with option-B shortcuts {of_option_b:.1f}"
    return _claim("resnet110-438", "438", spec.ResNet(kind="resnet110", shortcut="A"), 100, further)


def _claim(name: str, printed: str, model: Model, classes: int, further: str = "") -> Claim:
    message = _message(model, classes)
    computed = _ratio(message)
    n, k = sum(message.numels), sum(message.kept(KEEP))
    rule = (
        f"T dense / (T sparse + {FINAL_ROUNDS} dense), dense 4 (N + 1) bytes, sparse 6 K + 3 bytes, "
        f"N = {n:,}, K = {k:,}, T = {EPOCHS} x {ROUNDS // EPOCHS}; "
        f"{reading_words(computed, printed, 'cut')}{further}"
    )
    fixed, auto = _ratio_on_the_wire(message)
    return Claim(name, printed, computed, rule, "exact rule", "cut", fixed, auto)


def _message(model: Model, classes: int) -> FirstMessage:
    return FirstMessage(model_of(model, IMAGE, classes))


def _ratio(message: FirstMessage) -> float:
    """By the paper's accounting, `aketi`."""
    tensors = Tensors(list(message.numels), message.kept(KEEP))
    dense, sparse = dense_bits("aketi", sum(tensors.numel)), sparse_bits("aketi", tensors)
    return ratio_with_final_rounds(dense, sparse, ROUNDS, FINAL_ROUNDS)


def _ratio_on_the_wire(message: FirstMessage) -> tuple[float, float]:
    """With encoded messages and the push-sum weight in each: packed, of fixed length, and the shortest."""
    dense, packed, auto = (
        message.bits(TOP_K, codec, side_numbers=1).total for codec in ("dense", "packed", "auto")
    )
    return (
        ratio_with_final_rounds(dense, packed, ROUNDS, FINAL_ROUNDS),
        ratio_with_final_rounds(dense, auto, ROUNDS, FINAL_ROUNDS),
    )
