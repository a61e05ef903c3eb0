"""Amounts of money in whole cents, and the roundings that a bill needs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

SYMBOLS = {"€": "EUR", "$": "USD", "£": "GBP"}

_AMOUNT = re.compile(r"(?P<sign>-?)(?P<whole>\d{1,3}(?:[., ]\d{3})+|\d+)(?:(?P<point>[.,])(?P<cents>\d{2}))?", re.ASCII)


class CurrencyMismatch(ValueError):
    """Two amounts of different currencies met."""


def half_even(value: Fraction) -> int:
    """Rounds to the nearest whole number; a tie goes to the even one."""
    return round(value)


def half_up(value: Fraction) -> int:
    """Rounds to the nearest whole number; a tie goes away from zero."""
    doubled = abs(value) * 2
    rounded = (doubled.numerator + doubled.denominator) // (2 * doubled.denominator)
    return -rounded if value < 0 else rounded


@dataclass(frozen=True, order=False)
class Money:
    cents: int
    currency: str = "EUR"

    def __post_init__(self) -> None:
        if not isinstance(self.cents, int) or isinstance(self.cents, bool):
            raise TypeError(f"cents must be a whole number, not {self.cents!r}")
        if not re.fullmatch(r"[A-Z]{3}", self.currency):
            raise ValueError(f"no such currency: {self.currency!r}")

    def __add__(self, other: Money) -> Money:
        return Money(self.cents + self._same(other), self.currency)

    def __sub__(self, other: Money) -> Money:
        return Money(self.cents - self._same(other), self.currency)

    def __lt__(self, other: Money) -> bool:
        return self.cents < self._same(other)

    def _same(self, other: Money) -> int:
        if other.currency != self.currency:
            raise CurrencyMismatch(f"{self.currency} and {other.currency}")
        return other.cents

    def share(self, basis_points: int) -> Money:
        """The given share of this amount, in hundredths of a percent, ties to even."""
        return Money(half_even(Fraction(self.cents * basis_points, 10_000)), self.currency)

    def allocate(self, weights: list[int]) -> list[Money]:
        """Splits without losing a cent: what is left over goes to the largest remainders, first come first."""
        if not weights or any(weight < 0 for weight in weights) or sum(weights) == 0:
            raise ValueError(f"cannot split by {weights}")
        total = sum(weights)
        shares = [self.cents * weight // total for weight in weights]
        left = self.cents - sum(shares)
        by_remainder = sorted(range(len(weights)), key=lambda i: (-(self.cents * weights[i] % total), i))
        for i in by_remainder[:left]:
            shares[i] += 1
        return [Money(cents, self.currency) for cents in shares]

    def __str__(self) -> str:
        sign = "-" if self.cents < 0 else ""
        whole, cents = divmod(abs(self.cents), 100)
        return f"{sign}{whole}.{cents:02d} {self.currency}"


def parse(text: str) -> Money:
    """Reads "12.50", "12,50 €", "€ 1.234,56" or "1,234.56 USD". Anything that can be read two ways is refused."""
    rest = text.strip().replace("\u00a0", " ").replace("\u2212", "-")
    named = [symbol for symbol in rest if symbol in SYMBOLS]
    currency = SYMBOLS[named[0]] if named else "EUR"
    for symbol in named:
        rest = rest.replace(symbol, "", 1)
    code = re.search(r"\s*\b([A-Z]{3})$", rest)
    if code:
        named.append(code.group(1))
        currency, rest = code.group(1), rest[: code.start()]
    if len(named) > 1:
        raise ValueError(f"which currency? {text!r}")
    match = _AMOUNT.fullmatch(rest.strip())
    if not match:
        raise ValueError(f"not an amount: {text!r}")
    groups = {mark for mark in match["whole"] if not mark.isdigit()}
    if len(groups) > 1 or (match["point"] and match["point"] in groups):
        raise ValueError(f"not an amount: {text!r}")
    if groups & {".", ","} and match["point"] is None:
        raise ValueError(f"thousands or decimals? {text!r}")
    whole = int("".join(mark for mark in match["whole"] if mark.isdigit()))
    cents = whole * 100 + int(match["cents"] or 0)
    return Money(-cents if match["sign"] else cents, currency)
