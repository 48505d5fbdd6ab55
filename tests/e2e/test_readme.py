"""What the README shows is what a reader gets."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import yaml

from costbench.spec import RunSpec, load_spec

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, re.S)


def test_every_command_of_the_readme_works(tmp_path):
    commands = [line[2:] for block in blocks("console") for line in block.splitlines()]
    assert commands[0] == "costbench run quickstart"
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "costbench"
        done = subprocess.run(
            [sys.executable, "-m", "costbench", *arguments], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, (command, done.stderr)


def test_the_run_id_of_the_readme_is_that_of_the_recipe():
    shown = re.search(r"costbench show ([0-9a-f]+)", README).group(1)
    assert load_spec("quickstart").run_id().startswith(shown)


def test_the_spec_of_the_readme_is_valid():
    (text,) = blocks("yaml")
    spec = RunSpec.model_validate(yaml.safe_load(text))
    assert spec.algorithm.keep == 0.01


def test_the_recipes_of_the_demo_differ_in_the_algorithm_alone():
    specs = [load_spec(f"demo-{name}") for name in ("sgp", "sparse-push", "scsp")]
    assert {spec.algorithm.kind for spec in specs} == {"sgp", "sparse-push", "scsp"}
    rest = [spec.model_dump(exclude={"name", "algorithm"}) for spec in specs]
    assert rest[0] == rest[1] == rest[2]
