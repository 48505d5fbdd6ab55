"""The commands that price: `price` and `report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from costbench.cli.options import (
    RUNS,
    Altitude,
    AsJson,
    Boundary,
    Carbon,
    Cast,
    CompatibilityMode,
    Distance,
    Domains,
    Positions,
    PowerSave,
    RunArguments,
    RunsDirectory,
    Samples,
    Surroundings,
    Sync,
    Targets,
)
from costbench.cli.outcome import guarded, note, print_json


@guarded
def price(
    run: RunArguments,
    profile: Targets,
    samples: Samples = 1000,
    sync: Sync = "barrier",
    cast: Cast = "unicast",
    power_save: PowerSave = False,
    boundary: Boundary = "device",
    distance: Distance = None,
    positions: Positions = False,
    altitude: Altitude = None,
    environment: Surroundings = None,
    domains: Domains = 1,
    carbon: Carbon = None,
    compatibility: CompatibilityMode = None,
    as_json: AsJson = False,
    csv: Annotated[Optional[Path], typer.Option(help="Write the costs of every node to this file.")] = None,  # noqa: UP045
    runs: RunsDirectory = RUNS,
) -> None:
    """Price what was counted, for devices and radios; never trains again."""
    given = locals()
    from costbench.cli.pricing import price_document, price_frame, price_runs

    if as_json and csv is not None:
        raise typer.BadParameter("give either --json or --csv")
    priced = price_runs(run, _request(given))
    if as_json:
        print_json(price_document(priced))
    elif csv is not None:
        price_frame(priced).to_csv(csv, index=False)
        note(f"wrote {csv}")
    else:
        from costbench.cli.price_tables import print_prices

        print_prices(priced)


@guarded
def report(
    run: RunArguments,
    profile: Targets,
    out: Annotated[Path, typer.Option(help="Directory of the report.")],
    samples: Samples = 1000,
    sync: Sync = "barrier",
    cast: Cast = "unicast",
    power_save: PowerSave = False,
    boundary: Boundary = "device",
    distance: Distance = None,
    positions: Positions = False,
    altitude: Altitude = None,
    environment: Surroundings = None,
    domains: Domains = 1,
    carbon: Carbon = None,
    compatibility: CompatibilityMode = None,
    runs: RunsDirectory = RUNS,
) -> None:
    """Write index.html, report.md, report.json, tables and figures."""
    given = locals()
    from costbench.cli.pricing import price_runs
    from costbench.reporting.report import write_report
    from costbench.runstore import RunStore

    priced = price_runs(run, _request(given))
    store = RunStore(runs)
    typer.echo(write_report([store.find(reference) for reference in run], priced, out) / "index.html")


def _request(given: dict[str, Any]) -> Any:
    """The options of a command, by their names in `Request`."""
    from costbench.cli.scenarios import Request

    return Request(**{option: given[option] for option in Request.__dataclass_fields__})
