"""Tariffs: what a zone costs up to a weight, read from the CSV that the sales team sends."""

from __future__ import annotations

import csv
import io
from bisect import bisect_left
from dataclasses import dataclass, field

from pricing import money

HEADER = ["zone", "up_to_grams", "cents"]


class BadTariff(ValueError):
    """A tariff that cannot be used; lines holds every mistake with its line number."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("; ".join(lines))
        self.lines = lines


class NoBand(LookupError):
    """No band of the zone is heavy enough."""


@dataclass
class Tariff:
    bands: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def price(self, zone: str, grams: int) -> int:
        """Cents of the first band that holds grams."""
        if grams <= 0:
            raise ValueError(f"a parcel weighs something, not {grams} g")
        bands = self.bands.get(zone)
        if bands is None:
            raise NoBand(f"unknown zone {zone}")
        at = bisect_left(bands, (grams, -1))
        if at == len(bands):
            raise NoBand(f"{grams} g is too heavy for zone {zone}")
        return bands[at][1]


def read(text: str) -> Tariff:
    """Reads a tariff, or raises BadTariff with all mistakes at once.

    Comma and semicolon separate, a byte order mark and blank lines are fine, "12,50" and "1250" both are prices
    in a file with semicolons. Bands may come in any order; two bands of one zone and weight may not.
    """
    text = text.removeprefix("\ufeff")
    first = text.split("\n", 1)[0]
    dialect = ";" if ";" in first else ","
    rows = csv.reader(io.StringIO(text), delimiter=dialect)
    mistakes: list[str] = []
    bands: dict[str, dict[int, int]] = {}
    header = [name.strip().lower() for name in next(rows, [])]
    if header != HEADER:
        raise BadTariff([f"line 1: header is {header}, expected {HEADER}"])
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        mistake = _take(row, bands)
        if mistake:
            mistakes.append(f"line {rows.line_num}: {mistake}")
    if not bands and not mistakes:
        mistakes.append("no bands")
    if mistakes:
        raise BadTariff(mistakes)
    return Tariff({zone: sorted(found.items()) for zone, found in bands.items()})


def _take(row: list[str], bands: dict[str, dict[int, int]]) -> str | None:
    if len(row) != len(HEADER):
        return f"{len(row)} columns"
    zone, weight, price = (cell.strip() for cell in row)
    if not zone.isalpha() or not zone.isupper():
        return f"zone {zone!r}"
    if not weight.isascii() or not weight.isdigit() or int(weight) == 0:
        return f"weight {weight!r}"
    try:
        cents = int(price) if price.isascii() and price.isdigit() else money.parse(price).cents
    except ValueError:
        return f"price {price!r}"
    if cents < 0:
        return f"price {price!r}"
    zone_bands = bands.setdefault(zone, {})
    if int(weight) in zone_bands:
        return f"zone {zone} has two prices up to {weight} g"
    zone_bands[int(weight)] = cents
    return None
