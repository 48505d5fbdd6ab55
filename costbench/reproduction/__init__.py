"""Published cost figures beside ours, computed from the real models, messages and rounds."""

from costbench.reproduction.claim import Claim
from costbench.reproduction.papers import PAPERS, Reproduction, reproduce

__all__ = ["PAPERS", "Claim", "Reproduction", "reproduce"]
