"""The command line: parse, call, print. Heavy imports happen inside the commands."""

from costbench.cli.app import main

__all__ = ["main"]
