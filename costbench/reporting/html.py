"""The pages of a report: one self-contained HTML file, and the same as Markdown."""

from __future__ import annotations

import re
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from costbench.reporting import numerals
from costbench.reporting.columns import COLUMNS, UNIT_SUFFIXES
from costbench.reporting.document import Document
from costbench.reporting.figures import INK, PAPER
from costbench.reporting.tables import reason

_DESCRIPTIONS = {name: text for columns in COLUMNS.values() for name, text in columns.items()}

_LABELS = {
    "mean_js_distance": "label skew (mean Jensen-Shannon distance)",
    "test_accuracy_min_percent": "of the worst node",
    "test_accuracy_max_percent": "of the best node",
    "average_model_test_accuracy_percent": "of the average model",
}


def render_html(document: Document, svg: dict[str, str]) -> str:
    """index.html: no script, no request to any network.

    Parameters
    ----------
    document : what to print
    svg : figure name -> SVG text, inlined into the page
    """
    inlined = {name: Markup(inline_svg(text)) for name, text in svg.items()}
    environment = _environment(autoescape=True)
    return environment.get_template("index.html.j2").render(doc=document, svg=inlined)


def render_markdown(document: Document, suffix: str) -> str:
    """report.md, with its figures linked as figures/NAME.SUFFIX."""
    environment = _environment(autoescape=False)
    environment.filters["md"] = escape_markdown
    return environment.get_template("report.md.j2").render(doc=document, suffix=suffix)


def _environment(autoescape: bool) -> Environment:
    environment = Environment(
        loader=PackageLoader("costbench.reporting"),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "exact": exact,
        "missing": numerals.is_missing,
        "label": label,
        "unbroken": unbroken,
    }
    environment.globals |= {
        "text": numerals.text,
        "low_end": numerals.low_end,
        "reason": reason,
        "describe": _DESCRIPTIONS.get,
    }
    return environment


def exact(cell: Any) -> str:
    """A cell as it stands in the CSV file: unrounded, empty if missing."""
    return "" if numerals.is_missing(cell) else str(cell)


def unbroken(sentence: str) -> str:
    """A sentence whose ranges, such as 1.01–1.02, do not break over two lines."""
    return sentence.replace("–", "\u2060–\u2060")


def label(column: str) -> str:
    """A column's name in words, without the unit that stands in its cells."""
    if column in _LABELS:
        return _LABELS[column]
    suffix = next((unit for unit in UNIT_SUFFIXES if column.endswith(unit)), "")
    return column.removesuffix(suffix).replace("_", " ")


def inline_svg(text: str) -> str:
    """An SVG for the inside of a page: ink follows the page's text colour, ids cannot clash."""
    body = text[text.index("<svg") :]
    body = re.sub(r' id="[A-Za-z][A-Za-z0-9.]*_\d+"', "", body)
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", body, count=1)
    body = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", body, count=1)
    return body.replace(f"fill: {PAPER}", "fill: none").replace(INK, "currentColor")


def escape_markdown(text: object) -> str:
    """Text that Markdown and its tables print as it is."""
    return re.sub(r"([\\`*_{}\[\]<>|#~])", r"\\\1", str(text)).replace("\n", " ")
