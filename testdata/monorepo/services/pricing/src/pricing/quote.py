"""A quote: tariff, volume, oversize, fuel, discount and tax, in the order in which they appear on the bill."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from pricing.money import Money
from pricing.tariff import Tariff

MM3_PER_GRAM = 5000  # a litre counts as 200 g
LONGEST_MM = 1200
GIRTH_MM = 3000
OVERSIZE = Money(950)
FUEL = 625  # hundredths of a percent
TAX = {"A": 1900, "B": 1900, "C": 0, "D": 0}
STEPS = [(1000, 1200), (250, 700), (50, 300)]  # parcels a month, discount in hundredths of a percent


@dataclass(frozen=True)
class Parcel:
    zone: str
    grams: int
    length: int  # mm
    width: int
    height: int

    def __post_init__(self) -> None:
        for name in ("grams", "length", "width", "height"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be positive, not {getattr(self, name)}")

    @property
    def chargeable(self) -> int:
        """The greater of weight and volumetric weight, in grams; a started gram counts."""
        volumetric = -(-self.length * self.width * self.height // MM3_PER_GRAM)
        return max(self.grams, volumetric)

    @property
    def oversize(self) -> bool:
        longest, *others = sorted((self.length, self.width, self.height), reverse=True)
        return longest > LONGEST_MM or longest + 2 * sum(others) > GIRTH_MM


@dataclass(frozen=True)
class Quote:
    net: Money
    discount: Money
    tax: Money
    valid_until: date

    @property
    def total(self) -> Money:
        return self.net - self.discount + self.tax


def discount(monthly: int) -> int:
    """The discount for so many parcels a month, in hundredths of a percent."""
    if monthly < 0:
        raise ValueError(f"{monthly} parcels a month")
    return next((share for least, share in STEPS if monthly >= least), 0)


def net(parcel: Parcel, tariff: Tariff) -> Money:
    base = Money(tariff.price(parcel.zone, parcel.chargeable))
    if parcel.oversize:
        base = base + OVERSIZE
    return base + base.share(FUEL)


def make(parcel: Parcel, tariff: Tariff, today: date, monthly: int = 0) -> Quote:
    """Quotes hold to the end of the month, but seven days at least."""
    amount = net(parcel, tariff)
    off = amount.share(discount(monthly))
    return Quote(amount, off, (amount - off).share(TAX[parcel.zone]), _valid_until(today))


def _valid_until(today: date) -> date:
    following = date(today.year + today.month // 12, today.month % 12 + 1, 1)
    if (following - today).days <= 7:
        following = date(following.year + following.month // 12, following.month % 12 + 1, 1)
    return date.fromordinal(following.toordinal() - 1)
