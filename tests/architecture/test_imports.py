"""Who may import whom, read from the source of every module; and what runs where torch is absent."""

import ast
import graphlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from costbench.runstore import RunStore
from costbench.spec import RunSpec

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "costbench"
LAYERS = [
    {"errors", "validated", "units", "sourced", "quantities", "shipped"},
    {"spec", "ledger", "laws", "profile"},
    {"runstore"},
    {"training", "pricing", "sensing"},
    {"reporting"},
    {"reproduction", "validation"},
    {"cli"},
]
RANK = {part: rank for rank, layer in enumerate(LAYERS) for part in layer}
HOMES = {
    "torch": ("training/", "sensing/calibrate"),
    "torchvision": ("training/", "sensing/calibrate"),
    "matplotlib": ("reporting/figures",),
    "typer": ("cli/",),
    "rich": ("cli/",),
}
DISTRIBUTIONS = {
    "google_crc32c": "google-crc32c",
    "yaml": "pyyaml",
    "PIL": "pillow",
    "pydantic_core": "pydantic",
}


def name_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imported(path):
    """Dotted names of everything that a module imports, inside functions too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: a relative import"
            inner = {f"{node.module}.{alias.name}" for alias in node.names} & set(SOURCES)
            yield from inner or {str(node.module)}


IMPORTS = {module: set(imported(path)) for module, path in SOURCES.items()}


def part_of(module):
    """The part of the package that a module belongs to; None for costbench itself."""
    return [*module.split("."), None][1]


def internal(module):
    return {name for name in IMPORTS[module] if name.split(".")[0] == "costbench"}


def external(module):
    return {name.split(".")[0] for name in IMPORTS[module]} - {"costbench"} - sys.stdlib_module_names


def test_every_part_has_a_layer():
    parts = {part_of(module) for module in SOURCES} - {None, "__main__"}
    assert parts <= set(RANK), "a new part of the package needs a place in LAYERS"


@pytest.mark.parametrize("module", SOURCES)
def test_imports_go_downwards(module):
    here = part_of(module)
    if here in (None, "__main__"):
        return
    for name in internal(module) - {"costbench"}:
        there = part_of(name)
        assert there == here or RANK[there] <= RANK[here], f"{module} imports {name}, which lies above"


def test_training_pricing_and_sensing_do_not_know_each_other():
    apart = LAYERS[3]
    for module in SOURCES:
        if part_of(module) in apart:
            others = {part_of(name) for name in internal(module)} & (apart - {part_of(module)})
            assert not others, f"{module} imports {others}"


def test_no_module_imports_itself_through_others():
    graph = {module: internal(module) & set(SOURCES) for module in SOURCES}
    list(graphlib.TopologicalSorter(graph).static_order())


@pytest.mark.parametrize("module", SOURCES)
def test_heavy_packages_stay_at_home(module):
    path = SOURCES[module].relative_to(PACKAGE).as_posix()
    for package in external(module) & set(HOMES):
        assert path.startswith(HOMES[package]), f"{module} imports {package}"


def test_what_is_imported_is_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {re.split(r"[^\w-]", line)[0].lower() for line in project["dependencies"]}
    used = {DISTRIBUTIONS.get(name, name) for module in SOURCES for name in external(module)}
    assert used <= declared
    assert not declared - used, "declared, but imported nowhere"


def test_there_are_modules_to_look_at():
    assert len(SOURCES) > 30
    assert "torch" in external("costbench.training.nodes")
    assert "costbench.spec" in internal("costbench.training.algorithms.build")


RUN_ALL = """
import json, sys
BLOCKED = {blocked!r}
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"{{name}} is blocked")
sys.meta_path.insert(0, Blocker())
from costbench.cli import main
for arguments in {commands!r}:
    sys.argv = ["costbench", *arguments]
    try:
        main()
        code = 0
    except SystemExit as end:
        code = end.code
    except ModuleNotFoundError as error:
        code = str(error).replace(" ", "-")
    print("exit", code, *arguments[:1], file=sys.stderr)
print(json.dumps(sorted({{name.split(".")[0] for name in sys.modules}})), file=sys.stderr)
"""


def run_all(commands, blocked=()):
    """Run commands in one fresh process: their exit codes, stderr, and the packages loaded at the end."""
    script = RUN_ALL.format(commands=commands, blocked=set(blocked))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    loaded = set(done.stderr.splitlines()[-1].strip('[]"').split('", "'))
    return re.findall(r"^exit (\S+)", done.stderr, re.M), done.stderr, loaded


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    from costbench.training.run import execute

    spec = RunSpec.model_validate(
        {
            "name": "tiny",
            "nodes": 2,
            "rounds": 1,
            "task": {"dataset": "fashion-mnist-small", "model": {"kind": "lenet"}, "batch": 2},
            "optimizer": {"lr": 0.1},
            "topology": {"kind": "ring"},
            "algorithm": {"kind": "sparse-push", "keep": 0.01, "gamma": 0.1},
        }
    )
    return execute(spec, RunStore(tmp_path_factory.mktemp("runs"))).path


def test_only_training_needs_torch(trained, tmp_path):
    run = str(trained)
    commands = [
        ["--help"],
        ["--version"],
        ["show", run],
        ["show", run, "--json"],
        ["verify", run],
        ["price", run, "--profile", "phone/wifi,drone", "--samples", "10"],
        ["price", run, "--profile", "phone", "--samples", "10", "--json"],
        ["report", run, "--profile", "phone/wifi", "--samples", "10", "--out", str(tmp_path / "report")],
        ["profiles", "list"],
        ["profiles", "show", "phone"],
        ["data", "list"],
    ]
    codes, stderr, loaded = run_all(commands, blocked=["torch", "torchvision"])
    assert codes == ["0"] * len(commands), stderr
    assert not {"torch", "torchvision"} & loaded
    assert "Traceback" not in stderr


def test_help_loads_nothing_heavy():
    codes, _, loaded = run_all(
        [["--help"], *([name, "--help"] for name in ("run", "sweep", "price", "reproduce"))]
    )
    assert codes == ["0"] * 5
    assert "costbench" in loaded
    assert not {"torch", "torchvision", "pandas", "pyarrow", "scipy", "matplotlib", "numpy"} & loaded


def test_the_blocker_blocks():
    codes, _, _ = run_all([["run", "quickstart"]], blocked=["torch"])
    assert codes == ["torch-is-blocked"]
