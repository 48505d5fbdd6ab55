"""Speed of pricing: a long ledger on one profile and radio, and on many profiles.

    python benchmarks/pricing.py [--rounds 78200] [--profiles 100]

The ledger has 16 nodes with one out-neighbour each (one-peer exponential graph). In one, all messages
have the same size, as with positions of fixed length; in the other every message has its own, as with an
entropy code, so that no two rounds are alike. Prices start from the tables in memory, run on one thread,
and are given as seconds, as rows a second, and as the growth from a quarter of the rounds to all (4 is
linear). Peak memory is that of a process of its own. Prints one JSON document.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from typing import Annotated

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas as pd
import typer

from costbench.pricing.counts import Counts
from costbench.pricing.price import price
from costbench.profile import HardwareProfile, load_profile

NODES, DRAWS = 16, 1000
TARGETS = ("phone/wifi", "phone/lte", "jetson-nano/wifi", "phone/ble")
GROWTH = 4


def main(
    rounds: Annotated[int, typer.Option(min=16)] = 78_200,
    profiles: Annotated[int, typer.Option(min=1)] = 100,
    memory_of: Annotated[str, typer.Option(hidden=True)] = "",
) -> None:
    """Measure pricing on one thread."""
    if memory_of:
        _price(ledger(rounds, alike=False), memory_of, DRAWS)
        typer.echo(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        return
    document = {
        "messages": rounds * NODES,
        "rounds_alike": {target: seconds(rounds, target, alike=True) for target in TARGETS},
        "every_round_different": {target: seconds(rounds, target, alike=False) for target in TARGETS},
        "profiles": many(rounds, profiles),
        "peak_memory_mib": {target: peak(rounds, target) for target in TARGETS[:2]},
    }
    typer.echo(json.dumps(document, indent=1))


def ledger(rounds: int, alike: bool) -> Counts:
    """Counts of a run whose messages have one size, or each its own."""
    when, sender = np.repeat(np.arange(rounds), NODES), np.tile(np.arange(NODES), rounds)
    octets = np.full(len(when), 50_000)
    if not alike:
        octets = np.random.default_rng(0).integers(40_000, 60_000, len(when))
    zeros = np.zeros(len(when), np.int64)
    messages = pd.DataFrame(
        {
            "round": when,
            "sender": sender.astype(np.int32),
            "receiver": ((sender + 2 ** (when % 4)) % NODES).astype(np.int32),
            "content": zeros.astype(np.int32),
            "elements": octets // 4,
            "value_bits": 8 * octets,
            **dict.fromkeys(("index_bits", "side_bits", "padding_bits", "header_bits"), zeros),
            "delivered": np.ones(len(when), bool),
        }
    )
    work = {"forward": 700, "backward": 1400, "optimizer": 1, "mix": 1}
    rows = [
        (0, rounds, node, phase, "float32", mega * 10**6, 4 * 10**7, 2 * 10**7, 180)
        for node in range(NODES)
        for phase, mega in work.items()
    ]
    columns = [
        *["round_start", "round_stop", "node", "phase", "dtype"],
        *["flop", "bytes_read", "bytes_written", "launches"],
    ]
    return Counts("benchmark000", "benchmark", NODES, rounds, messages, pd.DataFrame(rows, columns=columns))


def seconds(rounds: int, target: str, alike: bool) -> dict[str, float]:
    """Time of a nominal price and of one with draws, and how it grows with the rounds."""
    whole, part = ledger(rounds, alike), ledger(rounds // GROWTH, alike)
    nominal, drawn = (_timed(whole, target, draws) for draws in (1, DRAWS))
    return {
        "nominal_s": nominal,
        f"with_{DRAWS}_draws_s": drawn,
        "million_messages_a_second": 1e-6 * rounds * NODES / drawn,
        f"growth_of_{GROWTH}_times_the_rounds": drawn / _timed(part, target, DRAWS),
    }


def many(rounds: int, profiles: int) -> dict[str, float]:
    """Time of one ledger on many profiles, with draws: the shipped ones again and again under other names."""
    counts = ledger(rounds, alike=True)
    base = [load_profile(name) for name in ("phone", "drone", "jetson-nano", "raspberry-pi-4")]
    begun = time.perf_counter()
    for number in range(profiles):
        profile: HardwareProfile = base[number % len(base)]
        price(counts, profile.model_copy(update={"id": f"{profile.id}-{number}"}), "wifi", DRAWS)
    return {"profiles": profiles, f"with_{DRAWS}_draws_s": time.perf_counter() - begun}


def peak(rounds: int, target: str) -> float:
    """Peak memory of a process that makes the ledger and prices it, every round different [MiB]."""
    command = [sys.executable, __file__, "--rounds", str(rounds), "--memory-of", target]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) / 1024


def _timed(counts: Counts, target: str, draws: int) -> float:
    begun = time.perf_counter()
    _price(counts, target, draws)
    return time.perf_counter() - begun


def _price(counts: Counts, target: str, draws: int) -> None:
    profile, radio = target.split("/")
    price(counts, load_profile(profile), radio, draws)


if __name__ == "__main__":
    typer.run(main)
