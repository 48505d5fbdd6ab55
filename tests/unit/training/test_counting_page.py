"""docs/counting.md prints the formulas that count; the table names operators that there are, each once."""

from pathlib import Path

import torch

from costbench.training.counters.operators import markdown
from costbench.training.counters.operators.elementwise import UNTAGGED
from costbench.training.counters.operators.moving import FREE, MOVES
from costbench.training.counters.operators.table import FAMILIES

PAGE = Path(__file__).parents[3] / "docs" / "counting.md"
HEADING = "## The formulas"
NAMED = [name for family in FAMILIES.values() for formula in family.FORMULAS for name in formula.names]


def test_the_page_prints_the_formulas():
    printed = PAGE.read_text(encoding="utf-8").partition(HEADING)[2]
    assert printed.partition("\n\n### ")[2] == "\n".join(markdown()).removeprefix("### ").rstrip("\n") + "\n"


def test_every_formula_has_words_and_a_source():
    formulas = [formula for family in FAMILIES.values() for formula in family.FORMULAS]
    assert all(formula.says and formula.source and formula.names for formula in formulas)


def test_no_operator_is_in_two_tables():
    listed = [*NAMED, *MOVES, *FREE, *UNTAGGED]
    assert len(listed) == len(set(listed))


def test_every_name_is_an_operator_of_torchs():
    for name in {*NAMED, *MOVES, *FREE, *UNTAGGED}:
        namespace, _, operator = name.rpartition("::")
        there = getattr(torch.ops, namespace or "aten")
        assert hasattr(there, operator) or hasattr(there, f"{operator}_"), name
