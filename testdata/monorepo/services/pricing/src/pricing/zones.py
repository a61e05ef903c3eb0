"""Which tariff zone a postcode belongs to."""

from __future__ import annotations

import re

HOME = "DE"
NEIGHBOURS = {"AT", "BE", "CZ", "DK", "FR", "LU", "NL", "PL"}
UNION = {"BG", "CY", "EE", "ES", "FI", "GR", "HR", "HU", "IE", "IT", "LT", "LV", "MT", "PT", "RO", "SE", "SI", "SK"}

# Islands and exclaves, whatever their country says; the longest prefix wins.
PREFIXES = {"ES-35": "D", "ES-38": "D", "FR-97": "D", "FR-20": "C", "DE-78266": "B", "DE-27498": "B"}


def normal(postcode: str) -> str:
    """A postcode as it is compared: capitals, no blanks, no country in front."""
    plain = re.sub(r"[\s-]", "", postcode).upper()
    if not plain.isascii() or not plain.isalnum():
        raise ValueError(f"not a postcode: {postcode!r}")
    return plain


def zone(country: str, postcode: str) -> str:
    """A is home, B the neighbours, C the rest of the union, D the world."""
    place = f"{country}-{normal(postcode)}"
    for length in range(len(place), 3, -1):
        if place[:length] in PREFIXES:
            return PREFIXES[place[:length]]
    if country == HOME:
        return "A"
    if country in NEIGHBOURS:
        return "B"
    return "C" if country in UNION else "D"
