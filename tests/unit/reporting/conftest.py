"""Fabricated runs and prices for the reporting tests; sealed once a session."""

import fabricated
import pytest


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    return fabricated.store_with_runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="session")
def priced(runs):
    return [fabricated.made_up_price(run, "phone", radio) for radio in fabricated.RADIOS for run in runs]
