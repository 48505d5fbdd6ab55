"""Wire codecs: vectors to bytes and back. What a message weighs is the length of these bytes."""

from costbench.training.wire.codec import Bits, Message, Wire

__all__ = ["Bits", "Message", "Wire"]
