"""The commands of `costbench profiles`."""

from __future__ import annotations

from typing import Annotated

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
