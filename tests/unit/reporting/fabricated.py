"""Three runs of 16 nodes, made up but sealed like real ones, and round prices for them.

sgp sends every parameter as float32 in each of 400 rounds; sparse-push sends 1 % of them; scsp is
sparse-push with 50 dense rounds at the end.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from costbench.ledger import SCHEMAS, Ledger, message_bits
from costbench.pricing.priced import Priced
from costbench.pricing.scenario import Scenario
from costbench.pricing.terms import COMMUNICATION_TERMS, TERMS
from costbench.pricing.traced import TracedInput
from costbench.runstore import Run, RunStore
from costbench.spec import RunSpec

NODES, ROUNDS, MERGE = 16, 400, 50
PARAMETERS = 269_722
SHAPES = [[16, 1, 3, 3]] + [[64, 64, 3, 3]] * 6 + [[32, 32, 3, 3]] * 4 + [[64]] * 54
DENSE_BYTES, SPARSE_BYTES = 1_078_984, 15_600
FLOP = {
    "forward": 655_360_000,
    "backward": 1_310_720_000,
    "optimizer": 1_618_332,
    "compress": 809_166,
    "mix": 539_444,
}
MEMORY = {
    "parameters": 1_078_888,
    "gradients": 1_078_888,
    "optimizer": 1_078_888,
    "algorithm": 2_157_776,
    "messages": 31_200,
    "activations": 14_680_064,
    "workspace": 2_097_152,
    "peak": 21_102_336,
}
ALGORITHMS = {
    "sgp": {"kind": "sgp"},
    "sparse-push": {"kind": "sparse-push", "keep": 0.01, "gamma": 0.03},
    "scsp": {"kind": "scsp", "keep": 0.01, "gamma": 0.03, "merge_rounds": MERGE},
}
FINAL_ACCURACY = {"sgp": 0.78, "sparse-push": 0.36, "scsp": 0.62}


def spec_of(kind: str) -> RunSpec:
    return RunSpec.model_validate(
        {
            "name": f"{kind}-skewed",
            "nodes": NODES,
            "rounds": ROUNDS,
            "task": {
                "dataset": "fashion-mnist-small",
                "model": {"kind": "resnet20"},
                "batch": 8,
                "partition": {"kind": "label-skew", "skew": 0.8},
            },
            "optimizer": {"lr": 0.1, "momentum": 0.9},
            "topology": {"kind": "one-peer-exponential"},
            "algorithm": ALGORITHMS[kind],
        }
    )


def sealed_run(store: RunStore, kind: str) -> Run:
    """Write and seal the made-up run of one algorithm."""
    spec = spec_of(kind)
    with store.writing(spec.run_id()) as partial:
        return store.seal(partial, record_of(spec, kind), ledger_of(kind))


def all_rounds(kind: str) -> int:
    return ROUNDS + (MERGE if kind == "scsp" else 0)


def record_of(spec: RunSpec, kind: str) -> dict:
    layout = [
        {"name": f"layer{i}", "shape": s, "numel": int(np.prod(s))} for i, s in enumerate(layout_shapes())
    ]
    return {
        "run_id": spec.run_id(),
        "spec": spec.resolved(),
        "rounds": all_rounds(kind),
        "parameters": PARAMETERS,
        "layout": layout,
        "provenance": {
            "code_version": "0.1.0",
            "packages": {"numpy": "2.0.0", "torch": "2.9.0"},
            "platform": {"machine": "x86_64", "python": "3.11.9", "system": "Linux-6.1"},
            "threads": {"workers": 2, "intra_op": 1},
            "started_utc": "2026-01-02T03:04:05Z",
            "stopped_utc": "2026-01-02T03:09:05Z",
            "dataset": {"name": "fashion-mnist-small", "sha256": "ab" * 32, "licence": "MIT"},
        },
        "partition": {
            "samples": [375] * NODES,
            "class_counts": [[300, 75, *[0] * 8]] * NODES,
            "mean_js_distance": 0.61,
        },
        "conventions": {
            "flop": "2 a multiply-add, 1 any other operation",
            "keep": "k = max(1, int(numel * keep)) per tensor",
        },
        "uncounted_operators": ["aten::mystery"] if kind == "sparse-push" else [],
        "gauges": {"wall_s": 300.0},
        "final_parameters_sha256": "cd" * 32,
        "algorithm_reading": "final-merge reading" if kind == "scsp" else "as published",
    }


def layout_shapes() -> list[list[int]]:
    """65 tensors that hold PARAMETERS entries together."""
    rest = PARAMETERS - sum(int(np.prod(shape)) for shape in SHAPES)
    return [*SHAPES[:-1], [SHAPES[-1][0] + rest]]


def ledger_of(kind: str) -> Ledger:
    return Ledger(messages_of(kind), compute_of(kind), memory_table(), metrics_of(kind))


#: entries of a sparse message: 1 % of each tensor, at least one
KEPT = sum(max(1, int(np.prod(shape)) // 100) for shape in layout_shapes())


def messages_of(kind: str) -> pa.Table:
    rounds = np.repeat(np.arange(all_rounds(kind)), NODES)
    sender = np.tile(np.arange(NODES), all_rounds(kind))
    dense = (rounds >= ROUNDS) | (kind == "sgp")
    index = np.where(dense, 0, KEPT * 13 + 5)
    header = np.where(dense, 96 * 8 - 32, 8 * 24)
    total = np.where(dense, DENSE_BYTES, SPARSE_BYTES) * 8
    elements = np.where(dense, PARAMETERS, KEPT)
    side = np.full_like(total, 32)
    columns = {
        "round": rounds,
        "sender": sender,
        "receiver": (sender + 2 ** (rounds % 4)) % NODES,
        "content": np.zeros_like(rounds),
        "elements": elements,
        "value_bits": 32 * elements,
        "index_bits": index,
        "side_bits": side,
        "padding_bits": total - 32 * elements - index - side - header,
        "header_bits": header,
        "delivered": np.ones(len(rounds), dtype=bool),
        "codec": np.where(dense, "dense", "packed"),
    }
    return pa.table(columns).cast(SCHEMAS["messages"])


def compute_of(kind: str) -> pa.Table:
    rows = [compute_row(node, phase, 0, ROUNDS) for node in range(NODES) for phase in FLOP]
    rows += [compute_row(node, "evaluate", ROUNDS - 1, ROUNDS, 10**12) for node in range(NODES)]
    if kind == "scsp":
        rows += [compute_row(node, "mix", ROUNDS, ROUNDS + MERGE) for node in range(NODES)]
    return pa.Table.from_pylist(rows, schema=SCHEMAS["compute"])


def compute_row(node: int, phase: str, start: int, stop: int, flop: int | None = None) -> dict:
    return {
        "round_start": start,
        "round_stop": stop,
        "node": node,
        "phase": phase,
        "dtype": "float32",
        "flop": FLOP[phase] if flop is None else flop,
        "bytes_read": 40_000_000,
        "bytes_written": 20_000_000,
        "launches": 180,
    }


def memory_table() -> pa.Table:
    rows = [
        {"node": n, "category": category, "bytes": held}
        for n in range(NODES)
        for category, held in MEMORY.items()
    ]
    return pa.Table.from_pylist(rows, schema=SCHEMAS["memory"])


def metrics_of(kind: str) -> pa.Table:
    rounds = [*range(50, ROUNDS + 1, 50)] + ([ROUNDS + MERGE] if kind == "scsp" else [])
    steps = [metric(t, None, "train", "train_loss", 2.3 * np.exp(-t / 150)) for t in range(1, ROUNDS + 1)]
    evaluations = [row for when in rounds for row in evaluation(kind, when)]
    return pa.Table.from_pylist([*steps, *evaluations], schema=SCHEMAS["metrics"])


def evaluation(kind: str, when: int) -> list[dict]:
    before_merge = "sparse-push" if when <= ROUNDS else kind
    final = FINAL_ACCURACY["sgp" if kind == "sgp" else before_merge]
    mean = 0.1 + (final - 0.1) * (1 - np.exp(-when / 120))
    nodes = mean + 0.06 * np.linspace(-1, 1, NODES)
    fleet = {
        "test_accuracy": float(nodes.mean()),
        "test_loss": 2.3 * (1 - mean),
        "consensus_distance": 0.4 - 0.3 * mean,
    }
    rows = [metric(when, None, "test", name, number) for name, number in fleet.items()]
    rows += [metric(when, n, "test", "test_accuracy", float(a)) for n, a in enumerate(nodes)]
    rows += [metric(when, None, "test-of-mean", "test_accuracy", min(mean + 0.08, 1.0))]
    return rows


def metric(when: int, node: int | None, split: str, name: str, number: float) -> dict:
    return {"round": when, "node": node, "split": split, "metric": name, "value": number}


#: joules a bit sent and received, joules of listening and of one tail
RADIOS = {
    "wifi": (4e-9, 2e-9, 20.0, 0.01),
    "lte": (9e-8, 2e-8, 120.0, 1.8),
    "ble": (2.3e-8, 2.3e-8, 8.0, 0.0),
}

#: key, (value, low, high, unit), kind, source, line, share of the spread
INPUTS = [
    ("compute.launch_time", (20.0, 8.0, 60.0, "us"), "assumed", "general knowledge", 54, 0.62),
    (
        "compute.power.train_power",
        (4.2, 3.0, 5.6, "W"),
        "paper",
        "A. Author, Power of a phone, 2021",
        60,
        0.3,
    ),
    ("idle.power", (100.0, 100.0, 100.0, "mW"), "paper", "A. Author, Power of a phone, 2021", 30, 0.0),
]


def made_up_price(run: Run, profile: str, radio: str, samples: int = 200) -> Priced:
    """A price of round numbers; node n pays (1 + 0.02 n) times what node 0 pays."""
    per_node = costs_of(run, radio)
    draws = drawn(per_node, samples)
    for p in (10, 50, 90):
        per_node[f"total_j_p{p}"] = np.percentile(draws["total_j"], p, axis=0)
    return Priced(
        run_id=run.run_id,
        name=run.name,
        profile=profile,
        radio=radio,
        tier="B",
        scenario=Scenario(),
        samples=samples,
        terms=terms_of(per_node, run.rounds),
        per_node=per_node,
        draws=draws,
        inputs=[
            TracedInput(profile, key, *numbers, kind, source, f"{profile}.yaml:{line}", share)
            for key, numbers, kind, source, line, share in INPUTS
        ],
        carbon_g=None,
        ignored_actions=["evaluate"],
        notes=[],
    )


def costs_of(run: Run, radio: str) -> pd.DataFrame:
    per_bit, per_bit_in, listen_j, tail_j = RADIOS[radio]
    bits = bits_of(run)
    on_air = (per_bit * bits, per_bit_in * bits, listen_j, 0.0, tail_j * 20, tail_j * 400, 6.0, 0.0, 0.0)
    joules = dict(zip(TERMS, (900.0, 300.0, 40.0, *on_air), strict=True))
    skew = 1 + 0.02 * np.arange(NODES)
    identity = {"node": range(NODES), "device": "phone"}
    nodes = pd.DataFrame({**identity, **{f"{t}_j": j * skew for t, j in joules.items()}})
    nodes["total_j"] = nodes[[f"{t}_j" for t in TERMS]].sum(axis=1)
    nodes["above_idle_j"] = nodes["total_j"] - nodes["compute_static_j"] - nodes["waiting_j"]
    nodes["compute_s"], nodes["communicate_s"], nodes["wait_s"] = 200.0, bits / 1e8, 12.0
    nodes["total_s"] = 212.0 + bits / 1e8
    nodes["battery_percent"] = 100 * nodes["total_j"] / 60_000
    nodes["rounds_until_empty"] = 60_000 / nodes["total_j"] * ROUNDS
    return nodes.assign(flight_time_lost_min=np.nan, flight_carrying_min=np.nan)


def bits_of(run: Run) -> float:
    """Bits that each node of a made-up run sends."""
    return float(message_bits(run.ledger.messages).sum()) / NODES


def drawn(per_node: pd.DataFrame, samples: int) -> dict[str, np.ndarray]:
    """Draws whose compute and communication scale by one factor each, the same for every run."""
    compute, radio = np.random.default_rng(0).lognormal(0, 0.25, (2, samples, 1))
    on_air = per_node[[f"{t}_j" for t in COMMUNICATION_TERMS]].sum(axis=1).to_numpy()
    return {
        "total_j": (per_node["total_j"].to_numpy() - on_air) * compute + on_air * radio,
        "above_idle_j": (per_node["above_idle_j"].to_numpy() - on_air) * compute + on_air * radio,
        "communication_j": on_air * radio,
        "time_s": per_node["total_s"].to_numpy() * compute,
    }


def terms_of(per_node: pd.DataFrame, rounds: int) -> pd.DataFrame:
    long = per_node.melt("node", [f"{t}_j" for t in TERMS], "term", "energy_j")
    long["term"] = long["term"].str.removesuffix("_j")
    return long.assign(round_start=0, round_stop=rounds, time_s=10.0)


def store_with_runs(root: Path) -> list[Run]:
    store = RunStore(root)
    return [sealed_run(store, kind) for kind in ALGORITHMS]
