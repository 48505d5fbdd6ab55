"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

RUNS = Path("runs")

RunArguments = Annotated[
    list[str], typer.Argument(metavar="RUN...", help="Run directory, or a unique prefix of its run id.")
]
RunsDirectory = Annotated[Path, typer.Option("--runs", help="Directory of the runs.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]

Targets = Annotated[
    str,
    typer.Option(
        "--profile",
        metavar="P[@MODE][/RADIO],...",
        help="Devices to price for, such as phone/wifi,phone/lte,jetson-orin-nano@MAXN_SUPER or a path to a "
        "YAML file; phone/wifi*12+jetson-nano/wifi*4 is a mixed fleet in the order of the nodes.",
    ),
]
Samples = Annotated[int, typer.Option(min=1, help="Draws of the uncertain parameters.")]
Sync = Annotated[
    str,
    typer.Option(metavar="barrier|neighbourhood", help="Nodes wait for all others, or for those they hear."),
]
Cast = Annotated[
    str,
    typer.Option(
        metavar="unicast|broadcast", help="A message to each receiver, or equal contents of a round once."
    ),
]
PowerSave = Annotated[
    bool, typer.Option("--power-save", help="Radios sleep while the channel is not their own.")
]
Boundary = Annotated[
    str,
    typer.Option(
        metavar="device|device+access-point|end-to-end",
        help="What the energies hold; batteries are devices'.",
    ),
]
Distance = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option(metavar="METRES", help="Every link is this long; Wi-Fi rates then follow from it."),
]
Positions = Annotated[
    bool, typer.Option("--positions", help="Links are as long as in the run's geometric graph.")
]
Altitude = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option(metavar="METRES", help="One end's height above the other, for air-to-ground environments."),
]
Surroundings = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        "--environment",
        metavar="NAME",
        help="What lies between the nodes, such as indoor-los, or a YAML file.",
    ),
]
Domains = Annotated[
    int, typer.Option(min=1, help="Collision domains: as many groups of nodes do not disturb each other.")
]
Carbon = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(metavar="G|LOW:G:HIGH", help="Grams of CO2e a kWh of your electricity; no default."),
]
CompatibilityMode = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        "--compatibility",
        metavar="TABLE/DEVICE",
        help="Compute by a published table's own rule, such as skiptrain/xiaomi-12-pro; not a measurement.",
    ),
]
