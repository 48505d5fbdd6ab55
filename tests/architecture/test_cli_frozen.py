"""The command line is a contract: a change of this test needs a reason in the commit."""

import typer

from costbench.cli.app import app

PRICING = [
    "--altitude METRES",
    "--boundary device|device+access-point|end-to-end",
    "--carbon G|LOW:G:HIGH",
    "--cast unicast|broadcast",
    "--compatibility TABLE/DEVICE",
    "--distance METRES",
    "--domains",
    "--environment NAME",
    "--positions",
    "--power-save",
    "--profile P[@MODE][/RADIO],... (required)",
    "--runs",
    "--samples",
    "--sync barrier|neighbourhood",
    "RUN... (one or more)",
]
COMMANDS = {
    "demo": ["--out", "--quiet", "--runs"],
    "run": ["--quiet", "--runs", "--set KEY=VALUE (repeated)", "--strict", "SPEC"],
    "sweep": ["--figure", "--jobs", "--markdown", "--quiet", "--runs", "SUITE"],
    "show": ["--json", "--runs", "RUN"],
    "verify": ["--runs", "RUN... (one or more)"],
    "price": ["--csv", "--json", *PRICING],
    "report": ["--out (required)", *PRICING],
    "reproduce": ["--json", "PAPER"],
    "validate": ["--file (repeated)", "--json"],
    "profiles list": [],
    "profiles show": ["--json", "PROFILE"],
    "profiles check": ["PROFILE... (one or more)"],
    "profiles diff": ["--json", "A", "B"],
    "profiles import": ["--base (required)", "--id", "--out (required)", "--voltage V", "FILE"],
    "data list": [],
    "data fetch": ["NAME"],
}


def commands(group, prefix=""):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{prefix}{name} ")
        else:
            yield prefix + name, sorted(map(described, command.params))


def described(parameter):
    if parameter.param_type_name == "argument":
        assert parameter.required
        name = parameter.metavar or parameter.name.upper()
        return name + (" (one or more)" if parameter.nargs == -1 else "")
    assert not parameter.secondary_opts, "no hidden --no- variants"
    words = [*parameter.opts, *([parameter.metavar] if parameter.metavar else [])]
    words += ["(required)"] if parameter.required else ["(repeated)"] if parameter.multiple else []
    return " ".join(words)


def test_the_commands_their_options_and_arguments():
    found = dict(commands(typer.main.get_command(app)))
    assert found == {name: sorted(options) for name, options in COMMANDS.items()}


def test_every_command_and_option_is_explained():
    for group in (typer.main.get_command(app),):
        for name, command in group.commands.items():
            assert command.help, name
            for parameter in command.params:
                assert getattr(parameter, "help", "there"), f"{name}: {parameter.name}"
