"""Counters: what one device computes and holds, from the operators that really ran."""
