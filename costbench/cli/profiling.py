"""What `costbench profiles` prints: the list, one profile, what is wrong with files, what differs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from costbench.cli.outcome import note, print_json
from costbench.cli.printing import console
from costbench.cli.trials import unpriceable
from costbench.errors import CostbenchError
from costbench.pricing.compute import tier_of
from costbench.pricing.fleet import device_of, fleet_of
from costbench.profile import HardwareProfile, check_profile, list_profiles, load_profile
from costbench.profile.checking import faults, standing
from costbench.profile.differences import Entry, differences, entries
from costbench.profile.loading import profile_file
from costbench.units import unit_after


def _print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table of words: all columns left-aligned, the first one unbroken."""
    built = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    for position, column in enumerate(columns):
        built.add_column(column, no_wrap=position == 0, overflow="fold")
    for row in rows:
        built.add_row(*row)
    console().print(built)


def print_profiles() -> None:
    """The shipped profiles with their radios and power modes."""
    rows = [[one.id, one.kind, _tier(one), _device(one)] for one in map(load_profile, list_profiles())]
    _print_table("Hardware profiles", ["id", "kind", "tier", "device, radios, power modes"], rows)
    typer.echo("tier A: time and power measured; B: time measured; C: roofline and launch times")


def _device(profile: HardwareProfile) -> str:
    lines = [profile.title, ", ".join(profile.radios)]
    return "\n".join(lines + ([", ".join(profile.modes)] if profile.modes else []))


def _tier(profile: HardwareProfile) -> str:
    return tier_of(fleet_of([device_of(profile)], samples=1, seed=0, environment=None))


def print_profile(profile: HardwareProfile) -> None:
    """Every number of a profile, with its kind, source, and the line of the file that it stands on."""
    places = profile.places()
    typer.echo(f"{profile.id}: {profile.title}; tier {_tier(profile)}; {standing(profile)}")
    for key, entry in entries(profile).items():
        typer.echo(f"{key} = {_stated(entry)}")
        origin = "" if isinstance(entry, str) else f"{entry['kind']}: {entry['source']}"
        typer.echo("    " + "; ".join(filter(None, (places.get(key), origin))))


def _stated(entry: Entry) -> str:
    """What stands at a key: "6 (4 to 6.2) W", the ends of a table, or a word."""
    if isinstance(entry, str):
        return entry
    unit = unit_after(entry["unit"])
    if "values" in entry:
        numbers = entry["values"]
        return f"{len(numbers)} numbers, {min(numbers):g} to {max(numbers):g}{unit}"
    if entry["low"] == entry["high"]:
        return f"{entry['value']:g}{unit}"
    return f"{entry['value']:g} ({entry['low']:g} to {entry['high']:g}){unit}"


def check_profiles(references: Sequence[str]) -> None:
    """Say of each file everything that is wrong with it; exits with the code of the first bad one."""
    codes = [code for reference in references if (code := _checked(reference))]
    if len(references) > 1:
        note(f"{len(references) - len(codes)} of {len(references)} profiles are sound")
    if codes:
        raise typer.Exit(codes[0])


def _checked(reference: str) -> int:
    """The exit code of one profile, 0 where it is sound."""
    try:
        path = profile_file(reference)
    except CostbenchError as error:
        note(f"costbench: {error}")
        return error.exit_code
    wrong = faults(path) or unpriceable(check_profile(path), path)
    for fault in wrong:
        note(f"costbench: {fault}")
    if wrong:
        return wrong[0].exit_code
    profile = check_profile(path)
    typer.echo(f"{reference}: ok, {profile.id}; tier {_tier(profile)}; {standing(profile)}")
    return 0


def print_differences(first: str, second: str, as_json: bool) -> None:
    """Every key on which two profiles differ."""
    left, right = load_profile(first), load_profile(second)
    found = differences(left, right)
    if as_json:
        print_json({"schema": 1, "first": left.id, "second": right.id, **found.to_json()})
        return
    if found.none:
        typer.echo(f"{first} and {second} do not differ")
        return
    rows = [[key, *_side_by_side(*pair)] for key, pair in found.both.items()]
    rows += [[key, _stated(entry), "-"] for key, entry in found.only_first.items()]
    rows += [[key, "-", _stated(entry)] for key, entry in found.only_second.items()]
    _print_table(f"{first} and {second}", ["key", left.id, right.id], rows)
    typer.echo(
        f"{len(found.both)} keys differ, {len(found.only_first)} only in {left.id}, "
        f"{len(found.only_second)} only in {right.id}"
    )


def _side_by_side(first: Entry, second: Entry) -> tuple[str, str]:
    """The two numbers, with their kinds and sources where these differ."""
    if isinstance(first, str) or isinstance(second, str):
        return _stated(first), _stated(second)
    told = [key for key in ("kind", "source") if first[key] != second[key]]
    return _with(first, told), _with(second, told)


def _with(entry: dict[str, Any], keys: Sequence[str]) -> str:
    return "\n".join([_stated(entry), *(entry[key] for key in keys)])
