"""Files have one clear job each: none grows long, and none is named after having none."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "costbench").rglob("*.py"))
BANNED = {"utils", "util", "helpers", "helper", "common", "misc", "base", "core", "manager"}
LONGEST = 300


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_module_is_longer_than_300_lines(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


def test_no_module_or_folder_is_named_after_nothing():
    named = {part.removesuffix(".py") for path in SOURCES for part in path.relative_to(ROOT).parts}
    words = {word for name in named for word in name.strip("_").split("_")}
    assert not words & BANNED


def test_every_module_says_what_it_is_for():
    for path in SOURCES:
        if path.name not in ("__init__.py", "__main__.py"):
            assert path.read_text(encoding="utf-8").startswith('"""'), path
