"""costbench: what it costs each device to learn together, in joules, seconds, bits and bytes."""

__version__ = "0.1.0"
