import csv
from datetime import date

import pytest

from conftest import TARIFFS
from pricing import quote
from pricing.money import Money
from pricing.quote import Parcel
from pricing.tariff import NoBand


def vectors():
    with open(TARIFFS / "vectors.csv", encoding="utf-8", newline="") as file:
        return [pytest.param(row, id=row["name"]) for row in csv.DictReader(file)]


@pytest.mark.parametrize("row", vectors())
def test_vectors(prices, row):
    parcel = Parcel(row["zone"], *(int(row[name]) for name in ("grams", "length", "width", "height")))
    if row["cents"] == "too_heavy":
        with pytest.raises(NoBand):
            quote.net(parcel, prices)
    else:
        assert quote.net(parcel, prices) == Money(int(row["cents"]))


@pytest.mark.parametrize(
    ("monthly", "share"),
    [(0, 0), (49, 0), (50, 300), (249, 300), (250, 700), (999, 700), (1000, 1200), (10**6, 1200)],
)
def test_discount_steps(monthly, share):
    assert quote.discount(monthly) == share


def test_no_negative_month():
    with pytest.raises(ValueError):
        quote.discount(-1)


def test_the_bill_adds_up(small):
    made = quote.make(Parcel("A", 900, 100, 100, 100), small, date(2025, 3, 3), monthly=250)
    assert (made.net, made.discount, made.tax) == (Money(850), Money(60), Money(150))
    assert made.total == Money(940)


def test_no_tax_abroad(prices):
    made = quote.make(Parcel("D", 400, 100, 100, 100), prices, date(2025, 3, 3))
    assert made.tax == Money(0)
    assert made.total == made.net


@pytest.mark.parametrize(
    ("today", "until"),
    [
        (date(2025, 1, 1), date(2025, 1, 31)),
        (date(2025, 1, 24), date(2025, 1, 31)),
        (date(2025, 1, 25), date(2025, 2, 28)),
        (date(2024, 1, 31), date(2024, 2, 29)),
        (date(2025, 12, 31), date(2026, 1, 31)),
    ],
)
def test_valid_to_the_end_of_a_month(small, today, until):
    assert quote.make(Parcel("A", 1, 1, 1, 1), small, today).valid_until == until


@pytest.mark.parametrize("field", ["grams", "length", "width", "height"])
def test_nothing_is_flat(field):
    sizes = {"grams": 1, "length": 1, "width": 1, "height": 1, field: 0}
    with pytest.raises(ValueError, match=f"{field} must be positive"):
        Parcel("A", **sizes)


@pytest.mark.slow
def test_turning_a_parcel_changes_nothing(prices):
    for length in range(50, 1500, 45):
        for width in range(50, 800, 90):
            for height in range(50, 400, 90):
                ways = {
                    (Parcel("A", 700, *sides).chargeable, Parcel("A", 700, *sides).oversize)
                    for sides in ((length, width, height), (height, length, width), (width, height, length))
                }
                assert len(ways) == 1


def test_heavier_is_never_cheaper(prices):
    last = Money(0)
    for grams in range(1, 31_501, 50):
        now = quote.net(Parcel("B", grams, 10, 10, 10), prices)
        assert not now < last
        last = now


@pytest.mark.skip(reason="the carrier has not told us its fuel table for next year")
def test_fuel_of_next_year():
    assert quote.FUEL == 650
