from pathlib import Path

import pytest

from pricing import tariff

TARIFFS = Path(__file__).parents[3] / "tariffs"


@pytest.fixture(scope="session")
def prices() -> tariff.Tariff:
    return tariff.read((TARIFFS / "tariff.csv").read_text(encoding="utf-8"))


@pytest.fixture
def small() -> tariff.Tariff:
    return tariff.read("zone,up_to_grams,cents\nA,1000,800\nA,2000,1600\n")
