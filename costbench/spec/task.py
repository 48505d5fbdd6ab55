"""What is learned: data sets, models, and how the samples are dealt to the nodes."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator

from costbench.spec.part import CALLABLE, Callable_, Fraction, Part, Share, with_user_kind
from costbench.validated import Words

IMAGE_SETS = ("fashion-mnist-small", "fashion-mnist", "cifar10", "cifar100", "digits")
TABLE_SETS = ("movielens-100k", "census-income", "adult")
DATASETS = (*IMAGE_SETS, *TABLE_SETS)

Norm = Literal["batch", "group", "evonorm-s0"]
Widths = Annotated[list[Annotated[int, Field(ge=1)]], Field(description="units of every hidden layer")]


class ResNet(Part):
    """Residual network for 32x32 images, of depth 6 n + 2."""

    kind: Literal["resnet8", "resnet20", "resnet32", "resnet56", "resnet110"]
    shortcut: Literal["A", "B"] = "A"
    norm: Norm = "batch"


class LeNet(Part):
    """Two convolutions and three linear layers."""

    kind: Literal["lenet"]
    norm: Literal["none"] | Norm = "none"


class Vgg11(Part):
    """Eight convolutions and the head 512-512-classes."""

    kind: Literal["vgg11"]
    norm: Literal["none"] | Norm = "none"
    dropout: Share = 0.5


class Mlp(Part):
    """Linear layers with ReLU on the flattened image."""

    kind: Literal["mlp"]
    hidden: Widths = Field(default=[128, 64])


class DeepFm(Part):
    """Factorization machine and multilayer perceptron on shared embeddings of categorical fields."""

    kind: Literal["deepfm"]
    embedding: int = Field(default=16, ge=1, description="length of an embedding")
    hidden: Widths = Field(default=[64, 64])
    dropout: Share = 0.0


class UserModel(Part):
    """A model of the user's: the callable gets the shape of an input and the outputs, and the options."""

    kind: Literal["module"]
    callable: Callable_
    options: dict[str, Any] = Field(default={})


ModelPart = Annotated[
    Annotated[ResNet | LeNet | Vgg11 | Mlp | DeepFm | UserModel, Field(discriminator="kind")],
    BeforeValidator(with_user_kind),
]


class Iid(Part):
    """A random order cut into even shares."""

    kind: Literal["iid"] = "iid"


class LabelSkew(Part):
    """A share of every class in label order, the rest at random."""

    kind: Literal["label-skew"]
    skew: Fraction


class Dirichlet(Part):
    """Each class dealt to the nodes in proportions drawn from Dirichlet(alpha)."""

    kind: Literal["dirichlet"]
    alpha: float = Field(gt=0)


class Shards(Part):
    """Samples sorted by label, cut into equal shards, dealt to the nodes at random."""

    kind: Literal["shards"]
    per_node: int = Field(ge=1, description="shards a node")


class ByField(Part):
    """All samples with the same entry of a field on the same node."""

    kind: Literal["field"]
    name: str = Field(min_length=1, description="a field of the data set, such as user or education")


PartitionPart = Annotated[Iid | LabelSkew | Dirichlet | Shards | ByField, Field(discriminator="kind")]


class Task(Part):
    """Data, model, batch, and who holds which samples."""

    dataset: str = Field(description=f"one of {', '.join(DATASETS)}, or module:callable")
    model: ModelPart
    batch: int = Field(ge=1, description="samples a node and step")
    partition: PartitionPart = Iid()
    augment: bool = False

    @field_validator("dataset")
    @classmethod
    def _known(cls, dataset: str) -> str:
        if dataset in DATASETS or re.match(CALLABLE, dataset):
            return dataset
        raise ValueError(Words(f"one of {', '.join(DATASETS)}, or module:callable"))
