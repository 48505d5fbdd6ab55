"""Write a report directory: pages, tables, figures and specs, all or nothing."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import yaml

from costbench.errors import CheckFailed, UsageError
from costbench.reporting import figures
from costbench.reporting.compare import compare
from costbench.reporting.document import compose
from costbench.reporting.headline import headline
from costbench.reporting.html import render_html, render_markdown
from costbench.reporting.summary import SCHEMA, show
from costbench.reporting.tables import all_tables
from costbench.runstore import Run

if TYPE_CHECKING:
    from costbench.pricing.priced import Priced

RECORD, MADE_BY = "report.json", "costbench report"

__all__ = ["headline", "report_document", "write_report"]


def write_report(
    runs: Sequence[Run], priced: Sequence[Priced], out: Path, formats: Sequence[str] = ("svg",)
) -> Path:
    """Write the report of some runs into a directory.

    Parameters
    ----------
    runs : the runs, in the order in which they are shown
    priced : their prices, at least one a run for the pages to speak of joules
    out : the directory; an existing costbench report there is replaced as a whole
    formats : some of svg, png and pdf; svg is always written, since the page shows it

    Returns
    -------
    `out`.

    Raises
    ------
    UsageError : no runs, a run twice, prices of other runs, or an unknown format
    CheckFailed : `out` holds something that is not a costbench report
    """
    out, priced = Path(out), _each_once(priced)
    _check_request(runs, priced, formats)
    _check_replaceable(out)
    with _replacing(out) as partial:
        _write(runs, priced, partial, tuple(dict.fromkeys(("svg", *formats))), out.name)
    return out


def _each_once(priced: Sequence[Priced]) -> list[Priced]:
    return list({(price.run_id, price.profile, price.radio): price for price in priced}.values())


def _check_request(runs: Sequence[Run], priced: Sequence[Priced], formats: Sequence[str]) -> None:
    ids = [run.run_id for run in runs]
    if not ids or len(set(ids)) < len(ids):
        raise UsageError("a report needs at least one run, and each run once")
    if strangers := sorted({price.run_id for price in priced} - set(ids)):
        raise UsageError(f"prices of runs that are not in the report: {', '.join(strangers)}")
    if unknown := [kind for kind in formats if kind not in figures.FORMATS]:
        raise UsageError(f"figure format {unknown[0]!r}: give one of {', '.join(figures.FORMATS)}")


def _check_replaceable(out: Path) -> None:
    """Refuse to replace anything that `write_report` has not written itself."""
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise CheckFailed(f"{out}: not a directory; give --out a directory")
    if not out.exists() or not any(out.iterdir()):
        return
    ours = _files_of_report(out)
    if ours is None:
        raise CheckFailed(f"{out}: holds files but is no costbench report; give --out another directory")
    found = {path.relative_to(out).as_posix() for path in out.rglob("*") if not path.is_dir()}
    if strange := sorted(found - ours):
        raise CheckFailed(f"{out / strange[0]}: not part of the report there; move it before it is replaced")


def _files_of_report(out: Path) -> set[str] | None:
    try:
        record = json.loads((out / RECORD).read_text(encoding="utf-8"))
        return {*record["files"], RECORD} if record["made_by"] == MADE_BY else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


@contextmanager
def _replacing(out: Path) -> Iterator[Path]:
    """A directory beside `out` to write in, which takes its place when the block succeeds."""
    out.parent.mkdir(parents=True, exist_ok=True)
    token = secrets.token_hex(4)
    partial, old = (out.parent / f".{out.name}.{word}-{token}" for word in ("partial", "old"))
    partial.mkdir()
    try:
        yield partial
        if out.exists():
            out.rename(old)
        try:
            partial.rename(out)
        except OSError:
            if old.exists():
                old.rename(out)
            raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        if out.exists():
            shutil.rmtree(old, ignore_errors=True)


def _write(
    runs: Sequence[Run], priced: Sequence[Priced], partial: Path, formats: tuple[str, ...], name: str
) -> None:
    shown = [show(run) for run in runs]
    tables = all_tables(runs, priced, shown)
    drawn = figures.draw(tables, formats)
    svg = {Path(file).stem: text.decode() for file, text in drawn.items() if file.endswith(".svg")}
    document = compose(runs, priced, tables, list(svg), name)
    _write_tables(tables, partial / "tables")
    figures.write(drawn, partial / "figures")
    _write_specs(runs, partial / "specs")
    _write_text(partial / "index.html", render_html(document, svg))
    _write_text(partial / "report.md", render_markdown(document, "svg"))
    files = sorted(path.relative_to(partial).as_posix() for path in partial.rglob("*") if path.is_file())
    _write_json(partial / RECORD, {**report_document(runs, priced, shown), "files": files})


def report_document(
    runs: Sequence[Run], priced: Sequence[Priced], shown: list[dict[str, Any]]
) -> dict[str, Any]:
    """report.json without its list of files: what was counted, the prices, and the comparison."""
    return {
        "schema": SCHEMA,
        "made_by": MADE_BY,
        "show": shown,
        "price": _price_documents(priced),
        "compare": compare(runs, priced),
    }


def _price_documents(priced: Sequence[Priced]) -> list[dict[str, Any]]:
    """`price --json` documents, one for each boundary and number of draws."""
    documents: dict[tuple[str, int], dict[str, Any]] = {}
    for price in priced:
        head = {"schema": SCHEMA, "boundary": price.boundary, "samples": price.samples, "runs": []}
        documents.setdefault((price.boundary, price.samples), head)["runs"].append(price.to_json())
    return list(documents.values())


def _write_tables(tables: dict[str, pd.DataFrame], directory: Path) -> None:
    directory.mkdir()
    for name, table in tables.items():
        table.to_csv(directory / f"{name}.csv", index=False, lineterminator="\n")


def _write_specs(runs: Sequence[Run], directory: Path) -> None:
    directory.mkdir()
    for run in runs:
        text = yaml.safe_dump(run.record["spec"], sort_keys=False, allow_unicode=True)
        _write_text(directory / f"{run.run_id}.yaml", text)


def _write_json(path: Path, document: dict[str, Any]) -> None:
    _write_text(path, json.dumps(document, indent=1, allow_nan=False) + "\n")


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
