"""Compressors: what of a vector is sent."""

from __future__ import annotations

from costbench import spec
from costbench.spec.algorithm import CompressorPart
from costbench.training.compressors.compressor import Compressor
from costbench.training.compressors.dense import NoCompression
from costbench.training.compressors.quantisers import Qsgd, Sign
from costbench.training.compressors.sparsifiers import RandomK, TopK, kept
from costbench.training.layout import Layout

__all__ = ["Compressor", "NoCompression", "Qsgd", "RandomK", "Sign", "TopK", "build", "kept"]


def build(settings: CompressorPart, layout: Layout, values: str = "float32") -> Compressor:
    """The compressor that the spec asks for, of vectors that lie as `layout` says; `values` is what entries
    that are sent as numbers are rounded to."""
    match settings:
        case spec.TopK():
            return TopK(layout, settings.keep, settings.scope, values)
        case spec.RandomK():
            return RandomK(layout, settings.keep, settings.scope, values)
        case spec.Sign():
            return Sign(layout)
        case spec.Qsgd():
            return Qsgd(layout, settings.levels)
        case spec.NoCompression():
            return NoCompression(layout, values)
