PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test test-slow lint clean

demo: $(VENV)/installed
	$(BIN)/costbench demo

test: lint
	$(BIN)/pytest -n 2 --dist loadfile -m "not slow"

test-slow: $(VENV)/installed-dev
	$(BIN)/pytest -m slow

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf $(VENV) build dist

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "costbench needs Python 3.11 or newer: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml $(BIN)/python
	$(BIN)/python -m pip install --quiet -e .
	touch $@

$(VENV)/installed-dev: pyproject.toml $(BIN)/python
	$(BIN)/python -m pip install --quiet -e ".[dev]"
	touch $@ $(VENV)/installed
