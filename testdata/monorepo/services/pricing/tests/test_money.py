from fractions import Fraction

import pytest

from pricing.money import CurrencyMismatch, Money, half_even, half_up, parse


@pytest.mark.parametrize(
    ("value", "even", "up"),
    [("1/2", 0, 1), ("3/2", 2, 2), ("5/2", 2, 3), ("-1/2", 0, -1), ("-5/2", -2, -3), ("7/3", 2, 2), ("0", 0, 0)],
)
def test_roundings_differ_on_ties_only(value, even, up):
    assert half_even(Fraction(value)) == even
    assert half_up(Fraction(value)) == up


@pytest.mark.parametrize(
    ("text", "cents", "currency"),
    [
        ("12.50", 1250, "EUR"),
        ("12,50 €", 1250, "EUR"),
        ("€ 1.234,56", 123456, "EUR"),
        ("1,234.56 USD", 123456, "USD"),
        ("1 234,56 €", 123456, "EUR"),
        ("1\u00a0234\u00a0567,00", 123456700, "EUR"),
        ("£0.99", 99, "GBP"),
        ("-0,01", -1, "EUR"),
        ("\u22125", -500, "EUR"),
        (" 7 CHF ", 700, "CHF"),
    ],
)
def test_parse(text, cents, currency):
    assert parse(text) == Money(cents, currency)


@pytest.mark.parametrize(
    "text",
    ["", "€", "12,5", "1.234", "1,234", "1.234.56", "1,234,56", "12.50.00", "1e3", "twelve", "- 5", "١٢", "12,50 € $"],
)
def test_parse_refuses_what_is_not_clear(text):
    with pytest.raises(ValueError):
        parse(text)


def test_parse_and_print_agree():
    for cents in (-123456, -1, 0, 1, 99, 100, 101, 99_999_999):
        assert parse(str(Money(cents))) == Money(cents)


@pytest.mark.parametrize(
    ("cents", "weights", "shares"),
    [
        (100, [1, 1, 1], [34, 33, 33]),
        (1, [1, 1], [1, 0]),
        (-100, [1, 1, 1], [-33, -33, -34]),
        (1000, [0, 1], [0, 1000]),
        (5, [3, 7], [2, 3]),
        (0, [2, 5], [0, 0]),
    ],
)
def test_allocate(cents, weights, shares):
    assert [share.cents for share in Money(cents).allocate(weights)] == shares


@pytest.mark.slow
def test_allocate_never_loses_a_cent():
    for cents in range(-301, 300, 3):
        for first in range(1, 24):
            for second in range(0, 12):
                parts = Money(cents).allocate([first, second, 7])
                assert sum(part.cents for part in parts) == cents
                exact = [cents * weight / (first + second + 7) for weight in (first, second, 7)]
                assert all(abs(part.cents - value) < 1 for part, value in zip(parts, exact))


@pytest.mark.parametrize("weights", [[], [0, 0], [1, -1]], ids=["none", "all zero", "negative"])
def test_allocate_refuses(weights):
    with pytest.raises(ValueError, match="cannot split"):
        Money(100).allocate(weights)


def test_currencies_do_not_mix(subtests):
    euro, dollar = Money(1), Money(1, "USD")
    for name, act in {"add": lambda: euro + dollar, "subtract": lambda: euro - dollar, "compare": lambda: euro < dollar}.items():
        with subtests.test(name), pytest.raises(CurrencyMismatch):
            act()


def test_floats_are_not_money():
    with pytest.raises(TypeError):
        Money(12.5)


@pytest.mark.xfail(reason="the yen has no cents; amounts are kept in hundredths for now")
def test_yen():
    assert str(Money(500, "JPY")) == "500 JPY"
