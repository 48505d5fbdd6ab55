"""The models that a spec can name, and the user's own."""

from costbench.training.models.builder import IMAGE_SIDE, build, image_shape
from costbench.training.models.dropout import seed_dropout

__all__ = ["IMAGE_SIDE", "build", "image_shape", "seed_dropout"]
