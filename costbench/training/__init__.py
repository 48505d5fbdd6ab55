"""Decentralized training that is counted: the only part of costbench that needs torch."""
