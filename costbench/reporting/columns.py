"""The columns of every CSV table of a report: the schema, and what each one means.

`reports/README.md` is generated from here: `python -m costbench.reporting.columns > reports/README.md`.
"""

from __future__ import annotations

from importlib.resources import files

from costbench.pricing.conventions import CONVENTIONS
from costbench.pricing.terms import TERMS

FLOP_CONVENTION = "2 per multiply-add"
UNIT_SUFFIXES = ("_g", "_j", "_s", "_min", "_bits", "_bytes", "_flop", "_percent", "_ratio")
#: columns without a unit suffix: labels, plain counts, and numbers without a dimension
PLAIN_COUNTS = (
    "node",
    "nodes",
    "round",
    "rounds",
    "seed",
    "parameters",
    "messages_sent",
    "messages_received",
    "sent_elements",
    "samples",
    "training_samples",
    "bottleneck_node",
    "rounds_until_empty",
)
DIMENSIONLESS = ("test_loss", "train_loss", "consensus_distance", "mean_js_distance")
#: columns whose unit stands in the column `unit` beside them
UNIT_BESIDE = ("nominal", "low", "high")

_RUN = {"run_id": "first 12 hex digits of the SHA-256 of the resolved spec", "name": "the spec's name"}
_PRICE = {
    **_RUN,
    "profile": "hardware profile that the counts were priced for",
    "radio": "radio of that profile",
    "tier": "A measured time and power, B measured time and table power, C roofline plus overhead",
}
_PROVENANCE = {"provenance": "how the numbers of this row came about: counted, or modelled with its tier"}
_MISSING = {"missing": "the columns that are empty in this row, each with its reason"}
_FLOP = {
    **{
        f"{phase}_flop": f"FLOP of the {phase} phase over all rounds"
        for phase in ("forward", "backward", "optimizer", "compress", "mix")
    },
    "total_flop": "sum of the five phases; evaluation is not a device's cost and is not in it",
    "flop_convention": "what one FLOP is, as the run recorded it",
}
_SENT = {
    "sent_bits": "all bits handed to the transport; equal contents count once a receiver",
    "value_bits": "bits of values in them",
    "index_bits": "bits of positions in them",
    "side_bits": "bits of other numbers in them, such as push-sum weights and norms",
    "padding_bits": "bits that fill the last byte of a field",
    "header_bits": "bits of headers",
    "received_bits": "bits that arrived",
}
_ACCURACY = {
    "test_accuracy_percent": "test accuracy at the last evaluation, mean over nodes",
    "test_accuracy_min_percent": "that of the worst node",
    "test_accuracy_max_percent": "that of the best node",
    "average_model_test_accuracy_percent": "test accuracy of the mean of all nodes' models",
}
_RATIOS = {
    "energy_total": "energy",
    "energy_above_idle": "energy above idle",
    "energy_communication": "energy of communication",
    "elapsed": "time",
}


def _range(name: str, unit: str, words: str) -> dict[str, str]:
    draws = {f"{name}_p{p}_{unit}": f"its {p}th percentile over the draws" for p in (10, 50, 90)}
    return {f"{name}_{unit}": words, **draws}


def _comparison(prefix: str, words: str) -> dict[str, str]:
    return {
        f"{prefix}_ratio": f"{words} of the baseline / {words} of this run; 2 is half the cost",
        **{f"{prefix}_p{p}_ratio": f"its {p}th percentile over paired draws" for p in (10, 50, 90)},
        f"{prefix}_sign_share_percent": "share of the draws in which the difference has its nominal sign",
        f"{prefix}_verdict": "less, more, not distinguishable (under 90 % of draws agree), or baseline",
    }


_COMPARISONS = {
    name: text for prefix, words in _RATIOS.items() for name, text in _comparison(prefix, words).items()
}

COLUMNS: dict[str, dict[str, str]] = {
    "runs": {
        **_RUN,
        "algorithm": "kind of the algorithm in the spec",
        "algorithm_reading": "which reading of the published algorithm was run",
        "dataset": "name of the data set",
        "model": "kind of the model",
        "topology": "kind of the graph",
        "nodes": "number of devices",
        "rounds": "rounds, those of a final merge included",
        "seed": "the spec's seed",
        "parameters": "parameters of one model",
        "mean_js_distance": "skew: mean Jensen-Shannon distance of the nodes' labels to all labels",
        "messages_sent": "messages of all nodes",
        "sent_elements": "numbers that these messages carry",
        **_SENT,
        "dropped_bits": "bits that links lost",
        "sent_per_device_bits": "sent_bits / nodes",
        "sent_bits_ratio": "bits a device of the baseline sends / bits a device of this run sends",
        **_FLOP,
        "peak_memory_bytes": "largest peak memory of a node",
        "encoded_ratio": "dense float32 messages / messages as they were encoded",
        **{f"{name}_ratio": f"the same by the accounting convention `{name}`" for name in CONVENTIONS[1:]},
        **_ACCURACY,
        "test_loss": "test loss at the last evaluation, mean over nodes",
        "consensus_distance": "consensus distance at the last evaluation",
        "uncounted_operators": "operators whose FLOP are unknown and not in the counts; empty is good",
        "dataset_sha256": "content hash of the data set",
        "ledger_sha256": "hash of the sealed tables of counts",
        **_PROVENANCE,
        **_MISSING,
    },
    "per_node_counts": {
        **_RUN,
        "node": "device",
        "training_samples": "samples in the node's share of the data",
        "messages_sent": "messages that it sent",
        "messages_received": "messages that reached it",
        **_SENT,
        **_FLOP,
        "parameters_bytes": "memory for parameters",
        "gradients_bytes": "memory for gradients",
        "optimizer_bytes": "memory for optimizer state",
        "algorithm_bytes": "memory for the algorithm's state, such as error memory",
        "messages_bytes": "memory for encoded messages",
        "activations_bytes": "memory for activations",
        "workspace_bytes": "memory for temporaries",
        "peak_bytes": "largest memory alive at one moment; not the sum of the categories",
        **_PROVENANCE,
        **_MISSING,
    },
    "cost": {
        **_PRICE,
        "boundary": "system boundary of the energy",
        **_range("energy_total", "j", "energy of a device over the run, mean over devices"),
        **_range("energy_above_idle", "j", "the part of it above the idle device, mean over devices"),
        **_range("energy_communication", "j", "the part of it for communication, mean over devices"),
        "energy_fleet_j": "energy of all devices",
        "energy_max_node_j": "energy of the device that spends most",
        **_range("elapsed", "s", "time of the run, of the slowest device"),
        "compute_s": "time a device computes, mean over devices",
        "communicate_s": "time a device communicates, mean over devices",
        "wait_s": "time a device waits for others, mean over devices",
        "battery_percent": "share of a full battery, mean over devices",
        "battery_max_node_percent": "share of a full battery, of the device that spends most",
        "rounds_until_empty": "rounds that a full battery lasts, of the device that empties it first",
        "flight_time_lost_min": "flight time that the energy costs a drone, mean over devices",
        "flight_carrying_min": "flight time that carrying the idle computer costs on every flight",
        "carbon_fleet_g": "grams of CO2e of all devices, with the intensity that the user gave",
        "carbon_fleet_p10_g": "its 10th percentile over the draws",
        "carbon_fleet_p90_g": "its 90th percentile over the draws",
        "dominant_term": "term with the most energy of all devices",
        "dominant_term_percent": "its share of the energy",
        "waiting_percent": "share of the energy that idle devices draw while they do not compute",
        "bottleneck_node": "device that computes and communicates for longest",
        "bottleneck_device": "hardware of that device",
        "spread_from": "input that most of the spread comes from: profile and key",
        "spread_from_percent": "its share of the variance over the draws",
        "cast": "unicast, or broadcast of equal contents",
        "sync": "barrier, or neighbourhood",
        "samples": "draws behind the percentiles",
        **_ACCURACY,
        **_PROVENANCE,
        **_MISSING,
    },
    "cost_per_node": {
        **_PRICE,
        "node": "device",
        "device": "hardware of this device",
        **{f"{term}_j": f"energy: {words}" for term, words in TERMS.items()},
        "total_j": "sum of these terms",
        "above_idle_j": "the part of it above the idle device",
        "total_p10_j": "10th percentile of total_j over the draws",
        "total_p50_j": "50th percentile of total_j over the draws",
        "total_p90_j": "90th percentile of total_j over the draws",
        "compute_s": "time it computes",
        "communicate_s": "time it communicates",
        "wait_s": "time it waits",
        "total_s": "time of the run on this device",
        "battery_percent": "share of a full battery",
        "rounds_until_empty": "rounds that a full battery lasts",
        "flight_time_lost_min": "flight time that the energy costs a drone",
        "flight_carrying_min": "flight time that carrying the idle computer costs on every flight",
        **_PROVENANCE,
        **_MISSING,
    },
    "cost_terms": {
        **_PRICE,
        "term": "what the energy is spent on",
        "energy_fleet_j": "energy of all devices for this term",
        "energy_per_device_j": "energy_fleet_j / nodes",
        "energy_share_percent": "share of the run's energy",
        "elapsed_per_device_s": "time a device spends on this term, mean over devices",
        **_PROVENANCE,
    },
    "compare": {
        **_RUN,
        "baseline_run_id": "the run whose devices send most bits a round",
        "baseline_name": "its name",
        "profile": _PRICE["profile"],
        "radio": _PRICE["radio"],
        "tier": _PRICE["tier"],
        "sent_bits_ratio": "bits a device of the baseline / bits a device of this run",
        **_COMPARISONS,
        **_ACCURACY,
        "baseline_test_accuracy_percent": "test_accuracy_percent of the baseline",
        **_PROVENANCE,
        **_MISSING,
    },
    "accuracy": {
        **_RUN,
        "round": "how many rounds were over when the nodes were evaluated",
        "sent_per_device_bits": "bits a device has sent by then, mean over devices",
        **{name: text.replace("at the last evaluation", "then") for name, text in _ACCURACY.items()},
        **_PROVENANCE,
        **_MISSING,
    },
    "learning": {
        **_RUN,
        "round": "how many rounds were over",
        "sent_per_device_bits": "bits a device has sent by then, mean over devices",
        "train_loss": "cross-entropy on the round's batches, mean over nodes",
        **_PROVENANCE,
        **_MISSING,
    },
    "inputs": {
        **_RUN,
        "priced_profile": _PRICE["profile"],
        "radio": _PRICE["radio"],
        "profile": "profile, or environment, that states the number",
        "key": "dotted key of the number",
        "nominal": "nominal number",
        "low": "low end of its range",
        "high": "high end of its range",
        "unit": "unit of the three",
        "kind": "how the source knows it; assumed: nobody published it",
        "place": "file and line",
        "source": "publication, datasheet or data set",
        "spread_percent": "share of the variance of the fleet's energy over the draws that comes from it",
        **_MISSING,
    },
    "sources": {
        "profile": _PRICE["profile"],
        "radio": _PRICE["radio"],
        "kind": "source: a publication to cite; assumed input: a number that nobody published",
        "statement": "the source or the assumed input",
    },
}

_FILES = {
    "index.html": "the report as one page without scripts; it loads nothing from the network",
    "report.md": "the same for a repository, with linked figures",
    "report.json": "everything for programs: `show`, `price` and `compare` documents, schema 1",
    "tables/*.csv": "the tables below; UTF-8, full precision, an empty cell is a number that is missing",
    "figures/*.svg": "the figures (png and pdf on request)",
    "specs/*.yaml": "the resolved spec of each run: `costbench run specs/RUN_ID.yaml` counts it again",
}


def readme() -> str:
    """The text of reports/README.md."""
    opening = files("costbench.reporting").joinpath("templates/reports_readme.md").read_text("utf-8")
    parts = [opening, "## Files\n", _markdown_table("file", _FILES)]
    for name, columns in COLUMNS.items():
        parts += [f"## tables/{name}.csv\n", _markdown_table("column", columns)]
    return "\n".join(parts)


def _markdown_table(first: str, rows: dict[str, str]) -> str:
    lines = [f"| {first} | meaning |", "|---|---|", *(f"| `{key}` | {text} |" for key, text in rows.items())]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(readme(), end="")
