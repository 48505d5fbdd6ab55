"""The commands of `costbench profiles`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from costbench.cli.options import AsJson
from costbench.cli.outcome import guarded, print_json

profiles_app = typer.Typer(
    help="Hardware profiles: devices as sourced numbers.", no_args_is_help=True, rich_markup_mode=None
)

Profile = Annotated[str, typer.Argument(metavar="PROFILE", help="Profile id, or path to a YAML file.")]


@profiles_app.command("list")
@guarded
def profiles_list() -> None:
    """List the shipped profiles with their radios and power modes."""
    from costbench.cli.profiling import print_profiles

    print_profiles()


@profiles_app.command("show")
@guarded
def profiles_show(profile: Profile, as_json: AsJson = False) -> None:
    """Print every number of a profile with its range, unit, kind, source, file and line."""
    from costbench.cli.profiling import print_profile
    from costbench.profile import load_profile

    loaded = load_profile(profile)
    if as_json:
        print_json(loaded.model_dump(mode="json"))
    else:
        print_profile(loaded)


@profiles_app.command("check")
@guarded
def profiles_check(
    profile: Annotated[
        list[str], typer.Argument(metavar="PROFILE...", help="Profile ids, or paths to YAML files.")
    ],
) -> None:
    """Name everything that is missing or wrong in profiles; goes on after a bad one."""
    from costbench.cli.profiling import check_profiles

    check_profiles(profile)


@profiles_app.command("diff")
@guarded
def profiles_diff(
    first: Annotated[str, typer.Argument(metavar="A", help="Profile id, or path to a YAML file.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Profile id, or path to a YAML file.")],
    as_json: AsJson = False,
) -> None:
    """Print every key whose number differs between two profiles, and keys that one lacks."""
    from costbench.cli.profiling import print_differences

    print_differences(first, second, as_json)


@profiles_app.command("import")
@guarded
def profiles_import(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Android's power_profile.xml of the device.")],
    base: Annotated[str, typer.Option(help="Profile that gives what the file lacks.")],
    out: Annotated[Path, typer.Option(help="YAML file to write; must not exist.")],
    voltage: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(metavar="V", help="Nominal voltage of the battery; else that of the base."),
    ] = None,
    profile_id: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--id", help="Id of the new profile; else the name of OUT."),
    ] = None,
) -> None:
    """Write a profile whose processor and radios draw what a maker's power_profile.xml says."""
    from costbench.cli.importing import import_profile

    import_profile(file, base, out, voltage, profile_id)
