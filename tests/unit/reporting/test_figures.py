"""Figures: the same bytes for the same numbers, in the same colours, with axes that have units."""

import re
import subprocess
import sys

import pytest

from costbench.reporting import figures
from costbench.reporting.figures.style import run_labels
from costbench.reporting.tables import all_tables


@pytest.fixture(scope="module")
def tables(runs, priced):
    return all_tables(runs, priced)


@pytest.fixture(scope="module")
def drawn(tables):
    return figures.draw(tables)


@pytest.fixture
def only_wire(tables):
    """Tables that have numbers for one figure only."""
    return {**tables, **{name: tables[name].iloc[:0] for name in ("cost", "accuracy", "learning")}}


def words_of(svg: bytes) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg.decode())


def test_every_figure_has_a_caption(drawn):
    assert sorted(drawn) == [f"{name}.svg" for name in sorted(figures.CAPTIONS)]


def test_the_same_tables_give_the_same_bytes(tables, drawn):
    assert figures.draw(tables) == drawn


def test_svg_carry_no_date_and_no_maker(drawn):
    for svg in drawn.values():
        assert b"<dc:date>" not in svg
        assert b"<dc:creator>" not in svg


def test_labels_carry_units(drawn):
    assert any(word.endswith("kJ") for word in words_of(drawn["energy.svg"]))
    assert any(word.endswith("bit") for word in words_of(drawn["accuracy.svg"]))
    assert "80 %" in words_of(drawn["tradeoff.svg"])
    assert "3.45\u00a0Gbit" in words_of(drawn["wire.svg"])


def test_bars_end_at_the_energy_of_the_table(tables):
    figure = figures.energy(tables)
    ends = [max(bar.get_x() + bar.get_width() for bar in row) for row in bars_by_row(figure.axes[0])]
    expected = tables["cost"].loc[tables["cost"]["radio"] == "wifi", "energy_total_j"]
    assert ends == pytest.approx(list(expected), rel=1e-12)


def bars_by_row(axes):
    rows = {}
    for bar in axes.patches:
        rows.setdefault(round(bar.get_y(), 6), []).append(bar)
    return [rows[y] for y in sorted(rows)]


def test_text_that_looks_like_markup_is_drawn_as_it_is(only_wire):
    named = only_wire["runs"].assign(name=["<b>$x_1$ & _", "b", "c"])
    svg = figures.draw({**only_wire, "runs": named})["wire.svg"].decode()
    assert "&lt;b&gt;$x_1$ &amp; _" in svg


def test_labels_are_distinct_for_runs_of_one_name(tables):
    twins = tables["runs"].assign(name="twin")
    assert len(set(run_labels(twins).values())) == 3


def test_without_prices_or_evaluations_their_figures_are_left_out(runs, only_wire):
    assert sorted(figures.draw(all_tables(runs[:1], []))) == ["accuracy.svg", "learning.svg", "wire.svg"]
    assert sorted(figures.draw(only_wire)) == ["wire.svg"]


def test_png_and_pdf(only_wire):
    drawn = figures.draw(only_wire, ("png", "pdf"))
    assert drawn["wire.png"].startswith(b"\x89PNG")
    assert drawn["wire.pdf"].startswith(b"%PDF")


def test_matplotlib_is_imported_only_to_draw_and_torch_never():
    code = (
        "import sys, costbench.reporting.report; sys.exit(bool({'matplotlib', 'torch'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
