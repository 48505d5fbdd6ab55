"""Wire codecs: vectors to bytes and back. What a message weighs is the length of these bytes."""

from costbench.training.wire.codec import Wire
from costbench.training.wire.message import Bits, Message

__all__ = ["Bits", "Message", "Wire"]
