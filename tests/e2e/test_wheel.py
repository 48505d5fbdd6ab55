"""The wheel that the tree builds carries everything that the commands read."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_wheel_carries_profiles_recipes_data_templates_and_licences(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    carried = set(zipfile.ZipFile(wheel).namelist())
    in_package = {str(path.relative_to(ROOT)) for path in (ROOT / "costbench").rglob("*") if wanted(path)}
    profiles = {
        f"costbench/{path.relative_to(ROOT)}" for path in (ROOT / "hardware_profiles").rglob("*.yaml")
    }
    assert len(profiles) > 5
    missing = (in_package | profiles) - carried
    assert not missing
    assert any(name.endswith("licenses/LICENSE") for name in carried)


def wanted(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts
