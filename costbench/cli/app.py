"""The commands of `costbench`. Results on stdout, progress and notes on stderr.

Exit 0 ok, 1 a check failed, 2 wrong usage, 3 bad input file, 130 interrupted.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from costbench.cli.helping import CommandOfSpecs, CommandOfSuites
from costbench.cli.options import RUNS, AsJson, RunArguments, RunsDirectory
from costbench.cli.outcome import guarded, note, print_json
from costbench.cli.price_commands import price, report
from costbench.cli.profile_commands import profiles_app

app = typer.Typer(
    name="costbench",
    help="Run decentralized learning, count what every device sent, computed and held, and price it.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
data_app = typer.Typer(help="Data sets: list and fetch.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(profiles_app, name="profiles")
app.add_typer(data_app, name="data")


def main() -> None:
    """Entry point of the `costbench` command."""
    app(prog_name="costbench")


def _version(wanted: bool) -> None:
    if wanted:
        from costbench import __version__

        typer.echo(f"costbench {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command()
@guarded
def demo(
    out: Annotated[Path, typer.Option(help="Directory of the report.")] = Path("reports/demo"),
    runs: RunsDirectory = RUNS,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
) -> None:
    """Train, count, price and report on shipped real data; no network."""
    from costbench.cli.demonstration import demonstrate

    demonstrate(out, runs, quiet)


@app.command(cls=CommandOfSpecs)
@guarded
def run(
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="YAML file, or name of a shipped recipe.")],
    overrides: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--set", metavar="KEY=VALUE", help="Override a key of the spec; may be repeated."),
    ] = None,
    runs: RunsDirectory = RUNS,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail where an operator has no formula for its FLOP.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
) -> None:
    """Train what SPEC says, count it, and seal the run; goes on where an interrupted try stopped."""
    from costbench.cli.running import run_with_progress
    from costbench.spec import load_spec

    sealed = run_with_progress([(load_spec(spec, overrides or []), spec)], runs, quiet, strict)[0]
    typer.echo(sealed.path)


@app.command(cls=CommandOfSuites)
@guarded
def sweep(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="YAML file, or name of a shipped suite.")],
    runs: RunsDirectory = RUNS,
    jobs: Annotated[int, typer.Option(min=1, help="Runs at a time, each in its own process.")] = 1,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the table in Markdown.")] = False,
    figure: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Also draw quality against bits, or a speed-up: .svg, .pdf or .png."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
) -> None:
    """Run every variant of SUITE with every seed, skipping finished ones, and compare what they reached."""
    from costbench.cli.sweep_table import check_figure, print_sweep, write_figure
    from costbench.cli.sweeping import sweep as run_all
    from costbench.spec import load_suite

    loaded, specs = load_suite(suite)
    if figure:
        check_figure(figure)
    swept = run_all(loaded, specs, runs, jobs, quiet)
    print_sweep(loaded, *swept, markdown)
    if figure:
        write_figure(loaded, swept.runs, figure)
    if swept.diverged:
        raise typer.Exit(1)


@app.command()
@guarded
def show(
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="Run directory, or a unique prefix of its run id.")
    ],
    as_json: AsJson = False,
    runs: RunsDirectory = RUNS,
) -> None:
    """Print what was counted in a run."""
    from costbench.reporting.summary import codecs
    from costbench.reporting.summary import show as summarise
    from costbench.runstore import RunStore

    found = RunStore(runs).find(run)
    document = summarise(found)
    if as_json:
        print_json(document)
    else:
        from costbench.cli.printing import print_counts

        print_counts(document, codecs(found))


@app.command()
@guarded
def verify(run: RunArguments, runs: RunsDirectory = RUNS) -> None:
    """Hash the files of sealed runs again and check the conservation laws; goes on after a bad one."""
    from costbench.cli.verifying import verify_runs

    verify_runs(run, runs)


app.command()(price)
app.command()(report)


@app.command()
@guarded
def validate(
    file: Annotated[
        Optional[list[Path]],  # noqa: UP045
        typer.Option(help="A file of measurements instead of the shipped ones; may be repeated."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Predict published measurements and compare; exit 1 where one falls out of its tolerance."""
    from costbench.cli.validating import print_validation

    print_validation(file or [], as_json)


@app.command()
@guarded
def reproduce(
    paper: Annotated[
        str,
        typer.Argument(metavar="PAPER", help="sparse-push or adaptive-serverless."),
    ],
    as_json: AsJson = False,
) -> None:
    """Compute the cost figures that PAPER prints, from real models and messages, and show both."""
    from costbench.cli.reproducing import print_reproduction

    print_reproduction(paper, as_json)


@data_app.command("list")
@guarded
def data_list() -> None:
    """List the data sets: shipped, fetched or missing."""
    from costbench.cli.printing import print_data_sets

    print_data_sets()


@data_app.command("fetch")
@guarded
def data_fetch(name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the data set.")]) -> None:
    """Fetch a data set, check its hashes, and keep it for later runs."""
    from costbench.training.data.fetch import fetch

    typer.echo(fetch(name, note=note))
