"""Public functions of pricing say what goes in and out, with shape and unit, and pricing needs no torch."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import costbench.pricing

FOLDER = Path(costbench.pricing.__file__).parent
FILES = sorted(FOLDER.rglob("*.py"))
BANNED = {"size", "cost", "time", "data", "value", "info", "params", "result"}
#: arguments that carry no number: containers documented field by field, names and predicates
NO_UNIT = re.compile(
    r"kinds|counts|profile|radio|draws|exchange|timeline|gaps|sums|mode|mac|key|profile_id|quantity|run|number"
    r"|a, b|messages|compute|standard|active|shared|clock|convention|low, mode, high|amounts"
    r"|fleet|scenario|devices?|model|place|one_channel"
)


def functions(path):
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield node


PUBLIC = [(path, node) for path in FILES for node in functions(path)]


def sections(node):
    """Numpydoc sections by their title."""
    parts = re.split(r"\n(\w+)\n-+\n", inspect.cleandoc(ast.get_docstring(node) or ""))
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def is_accessor(node):
    """One-line accessors and constructors of the profile's sections explain themselves in one line."""
    return len(node.body) <= 4 and len(node.args.args) <= 2 and "\n" not in (ast.get_docstring(node) or "\n")


@pytest.mark.parametrize(("path", "node"), PUBLIC, ids=lambda part: getattr(part, "name", ""))
def test_docstring_has_parameters_and_returns(path, node):
    if is_accessor(node):
        return
    found = sections(node)
    assert {"Parameters", "Returns"} <= set(found), f"{path.name}: {node.name}"
    documented = set(re.findall(r"\w+", " ".join(re.findall(r"(?m)^([\w, ]+) :", found["Parameters"]))))
    arguments = [a.arg for a in (*node.args.args, *node.args.kwonlyargs)]
    assert set(arguments) == documented, f"{path.name}: {node.name}"


@pytest.mark.parametrize(("path", "node"), PUBLIC, ids=lambda part: getattr(part, "name", ""))
def test_every_number_has_a_unit_in_brackets(path, node):
    for entry in re.split(r"\n(?=\S)", sections(node).get("Parameters", "")):
        names, _, description = entry.partition(" : ")
        if names and not NO_UNIT.fullmatch(names):
            unit = re.search(r"\[[^\]]+\]|any unit|same unit|int \[|bool \[|\bfolder\b|name of", description)
            assert unit, f"{path.name}: {node.name}: {names}"


def test_functions_that_raise_say_so():
    for path, node in PUBLIC:
        raises = any(isinstance(part, ast.Raise) for part in ast.walk(node))
        if raises and not is_accessor(node):
            assert "Raises" in sections(node), f"{path.name}: {node.name}"


def test_no_bare_names_that_say_nothing():
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else []
            names += [node.arg] if isinstance(node, ast.arg) else []
            assert not BANNED & set(names), f"{path.name}:{getattr(node, 'lineno', 0)}: {names}"


def test_files_are_short():
    beside = [FOLDER.parent / f"{name}.py" for name in ("sourced", "quantities", "units")]
    for path in [*FILES, *(FOLDER.parent / "profile").glob("*.py"), *beside]:
        assert len(path.read_text().splitlines()) <= 300, path.name


def test_pricing_needs_neither_torch_nor_training():
    script = (
        "import sys; sys.modules['torch'] = None;"
        "import costbench.pricing.price, costbench.pricing.conventions;"
        "print([m for m in sys.modules if m.startswith(('costbench.training', 'costbench.reporting'))])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.returncode) == ("[]", 0), done.stderr


def test_units_and_profiles_import_no_heavy_package():
    script = (
        "import sys; import costbench.units, costbench.profile;"
        "print(sorted({'numpy', 'pandas', 'scipy', 'torch', 'pyarrow'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_model_constants_are_no_default_arguments():
    allowed = {"samples", "seed", "cells_limit"}
    for path, node in PUBLIC:
        named = [*node.args.args[len(node.args.args) - len(node.args.defaults) :], *node.args.kwonlyargs]
        defaults = [*node.args.defaults, *node.args.kw_defaults]
        for argument, default in zip(named, defaults, strict=True):
            number = isinstance(default, ast.Constant) and isinstance(default.value, int | float)
            assert not number or argument.arg in allowed, f"{path.name}: {node.name}: {argument.arg}"
