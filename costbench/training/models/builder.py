"""From a spec's `task.model` to a model that fits the data set.

Shapes: B batch, C channels, H rows, W columns, F fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from costbench import spec
from costbench.errors import InputError
from costbench.training.models.deepfm import DeepFm
from costbench.training.models.dropout import with_own_generators
from costbench.training.models.lenet import LeNet
from costbench.training.models.mlp import Mlp
from costbench.training.models.resnet import ResNet
from costbench.training.models.vgg import Vgg11
from costbench.training.user_code import imported, reason

IMAGE_SIDE = 32
"""Rows and columns of the images that the convolutional networks take."""

CONVOLUTIONAL = (spec.ResNet, spec.LeNet, spec.Vgg11)
Settings = spec.ResNet | spec.LeNet | spec.Vgg11 | spec.Mlp | spec.DeepFm | spec.UserModel

_CHECKED_BATCH = 2


def build(
    settings: Settings,
    input_shape: tuple[int, ...],
    outputs: int,
    vocabulary: Sequence[int] | None = None,
    file: str = "spec",
) -> nn.Module:
    """The model that the spec asks for, freshly initialised from torch's global generator.

    Parameters
    ----------
    settings : the spec's `task.model`
    input_shape : of one sample: (C, H, W) of an image (`image_shape`), or (F,) of a row of ids
    outputs : classes of images; 1 for tables
    vocabulary : number of entries of each field [F]; None for images
    file : name under which an error refers to the spec

    Returns
    -------
    module from float32 [B, C, H, W] to logits [B, outputs], or from int64 [B, F] to logits [B]

    Raises
    ------
    InputError : the model does not take such data, or a user's model cannot be built or does not fit
    """
    if isinstance(settings, spec.UserModel):
        model, key = _user_model(settings, input_shape, outputs, vocabulary, file), "task.model.callable"
    else:
        _refuse_other_data(settings, vocabulary, file)
        image_shape(settings, input_shape, file)
        model, key = _shipped_model(settings, input_shape, outputs, vocabulary or ()), "task.model.kind"
    found = settings.callable if isinstance(settings, spec.UserModel) else settings.kind
    shape = (_CHECKED_BATCH,) if vocabulary is not None else (_CHECKED_BATCH, outputs)
    problem = _problem(model, _zeros(input_shape, vocabulary), shape)
    if problem:
        raise InputError(file, key, found, problem)
    return model


def image_shape(settings: Settings, shape: tuple[int, ...], file: str = "spec") -> tuple[int, ...]:
    """Shape (C, H, W) in which the model takes images that are (C, H, W) in the data set.

    The convolutional networks take images of 32x32 pixels, to which smaller ones are zero-padded; all others
    take the data set's own shape. Raises InputError where the images are larger.
    """
    if not isinstance(settings, CONVOLUTIONAL):
        return shape
    channels, rows, columns = shape
    if max(rows, columns) > IMAGE_SIDE:
        allowed = (
            f"mlp or module:callable: the images are {rows}x{columns}, larger than {IMAGE_SIDE}x{IMAGE_SIDE}"
        )
        raise InputError(file, "task.model.kind", settings.kind, allowed)
    return channels, IMAGE_SIDE, IMAGE_SIDE


def _refuse_other_data(settings: Settings, vocabulary: Sequence[int] | None, file: str) -> None:
    if isinstance(settings, spec.DeepFm) != (vocabulary is not None):
        allowed = (
            "a model for images, such as lenet: the data set holds no tables of categorical fields"
            if vocabulary is None
            else "deepfm or module:callable: the data set holds tables of categorical fields, no images"
        )
        raise InputError(file, "task.model.kind", settings.kind, allowed)


def _shipped_model(
    settings: Settings, input_shape: tuple[int, ...], outputs: int, vocabulary: Sequence[int]
) -> nn.Module:
    match settings:
        case spec.ResNet():
            blocks = (int(settings.kind.removeprefix("resnet")) - 2) // 6
            return ResNet(blocks, input_shape[0], outputs, settings.shortcut, settings.norm)
        case spec.LeNet():
            return LeNet(input_shape[0], outputs, settings.norm)
        case spec.Vgg11():
            return Vgg11(input_shape[0], outputs, settings.norm, settings.dropout)
        case spec.Mlp():
            return Mlp(input_shape, outputs, settings.hidden)
        case spec.DeepFm():
            return DeepFm(vocabulary, settings.embedding, settings.hidden, settings.dropout)
    raise AssertionError(settings.kind)


def _user_model(
    settings: spec.UserModel,
    input_shape: tuple[int, ...],
    outputs: int,
    vocabulary: Sequence[int] | None,
    file: str,
) -> nn.Module:
    key = "task.model.callable"
    make = imported(settings.callable, key, file)
    shapes: dict[str, Any] = {"input_shape": input_shape, "outputs": outputs}
    if vocabulary is not None:
        shapes["vocabulary"] = tuple(vocabulary)
    try:
        model = make(**shapes, **settings.options)
    except Exception as error:
        allowed = f"a callable of {', '.join(shapes)} and the options ({reason(error)})"
        raise InputError(file, key, settings.callable, allowed) from None
    if not isinstance(model, nn.Module):
        raise InputError(file, key, settings.callable, f"a callable that returns an nn.Module, not {model!r}")
    return with_own_generators(model)


def _zeros(input_shape: tuple[int, ...], vocabulary: Sequence[int] | None) -> Tensor:
    dtype = torch.float32 if vocabulary is None else torch.int64
    return torch.zeros(_CHECKED_BATCH, *input_shape, dtype=dtype)


def _problem(model: nn.Module, inputs: Tensor, shape: tuple[int, ...]) -> str:
    """What keeps the model from being trained, found out by one forward pass; "" if nothing does."""
    model.eval()
    try:
        with torch.no_grad():
            outputs = model(inputs)
    except Exception as error:
        return f"a model that takes inputs {tuple(inputs.shape)} ({reason(error)})"
    model.train()
    if not isinstance(outputs, Tensor) or outputs.shape != shape:
        found = tuple(outputs.shape) if isinstance(outputs, Tensor) else type(outputs).__name__
        return f"a model that returns logits {shape} for inputs {tuple(inputs.shape)}, not {found}"
    parameters = list(model.parameters())
    if not parameters or any(parameter.dtype != torch.float32 for parameter in parameters):
        return "a model with parameters, all of them float32"
    return ""
