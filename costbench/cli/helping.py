"""Help that lists what can be named; the spec is imported only when somebody asks."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand


class CommandOfSpecs(TyperCommand):
    """A command whose --help ends with the kinds that a spec may name, and the shipped recipes."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        from costbench.spec import recipe_names
        from costbench.spec.kinds import listing

        with formatter.section("What a spec may name, with the keys of each; explained in docs/"):
            formatter.write_dl([(key, names) for key, names in listing().items()])
        with formatter.section("Shipped recipes"):
            formatter.write_text(", ".join(recipe_names()))


class CommandOfSuites(TyperCommand):
    """A command whose --help ends with the shipped suites and what each asks."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        from costbench.spec import load_suite, suite_names

        with formatter.section("Shipped suites"):
            formatter.write_dl([(name, load_suite(name)[0].question) for name in suite_names()])
