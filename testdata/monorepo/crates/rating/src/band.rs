//! What a zone costs up to a weight.

use std::collections::BTreeMap;
use std::fmt;

use crate::fixed::share;
use crate::parcel::Parcel;

const OVERSIZE: i64 = 950;
const FUEL: i64 = 625;

/// Why there is no price, or no tariff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    NoZone(String),
    TooHeavy { zone: String, grams: u32 },
    Line { number: usize, what: &'static str },
    Empty,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoZone(zone) => write!(f, "unknown zone {zone}"),
            Error::TooHeavy { zone, grams } => write!(f, "{grams} g is too heavy for zone {zone}"),
            Error::Line { number, what } => write!(f, "line {number}: {what}"),
            Error::Empty => write!(f, "no bands"),
        }
    }
}

impl std::error::Error for Error {}

/// The bands of each zone, by the weight up to which they hold.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tariff {
    zones: BTreeMap<String, BTreeMap<u32, i64>>,
}

impl Tariff {
    /// Reads "zone,up_to_grams,cents" lines.
    ///
    /// ```
    /// use rating::band::{Error, Tariff};
    ///
    /// let tariff = Tariff::read("zone,up_to_grams,cents\nA,500,395\n").unwrap();
    /// assert_eq!(tariff.price("A", 500), Ok(395));
    /// assert_eq!(Tariff::read("zone,up_to_grams,cents\n"), Err(Error::Empty));
    /// ```
    pub fn read(text: &str) -> Result<Tariff, Error> {
        let mut tariff = Tariff::default();
        for (i, line) in text.lines().enumerate() {
            let wrong = |what| Error::Line { number: i + 1, what };
            if i == 0 {
                if line != "zone,up_to_grams,cents" {
                    return Err(wrong("header"));
                }
                continue;
            }
            let mut cells = line.split(',');
            let (Some(zone), Some(weight), Some(price), None) = (cells.next(), cells.next(), cells.next(), cells.next())
            else {
                return Err(wrong("columns"));
            };
            if zone.is_empty() {
                return Err(wrong("zone"));
            }
            let weight = weight.parse().ok().filter(|&grams: &u32| grams > 0).ok_or(wrong("weight"))?;
            let price = price.parse().ok().filter(|&cents: &i64| cents >= 0).ok_or(wrong("price"))?;
            let bands = tariff.zones.entry(zone.to_owned()).or_default();
            if bands.insert(weight, price).is_some() {
                return Err(wrong("two prices for one weight"));
            }
        }
        if tariff.zones.is_empty() {
            return Err(Error::Empty);
        }
        Ok(tariff)
    }

    /// Cents of the first band that holds `grams`.
    pub fn price(&self, zone: &str, grams: u32) -> Result<i64, Error> {
        let bands = self.zones.get(zone).ok_or_else(|| Error::NoZone(zone.to_owned()))?;
        let (_, &cents) =
            bands.range(grams..).next().ok_or_else(|| Error::TooHeavy { zone: zone.to_owned(), grams })?;
        Ok(cents)
    }

    /// The price of a parcel in cents, fuel included.
    pub fn net(&self, zone: &str, parcel: &Parcel) -> Result<i64, Error> {
        let mut cents = self.price(zone, parcel.chargeable())?;
        if parcel.oversize() {
            cents += OVERSIZE;
        }
        Ok(cents + share(cents, FUEL))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "zone,up_to_grams,cents\nA,2000,1600\nA,1000,800\nÖ,500,900\n";

    #[test]
    fn band_ends_are_inside() {
        let tariff = Tariff::read(TEXT).unwrap();
        for (grams, cents) in [(1, 800), (1_000, 800), (1_001, 1_600), (2_000, 1_600)] {
            assert_eq!(tariff.price("A", grams), Ok(cents), "{grams} g");
        }
    }

    #[test]
    fn too_heavy_says_how_much() {
        let error = Tariff::read(TEXT).unwrap().price("Ö", 501).unwrap_err();
        assert_eq!(error.to_string(), "501 g is too heavy for zone Ö");
    }

    #[test]
    fn unknown_zone() {
        assert_eq!(Tariff::read(TEXT).unwrap().price("a", 1), Err(Error::NoZone("a".into())));
    }

    #[test]
    fn oversize_pays_fuel_too() {
        let tariff = Tariff::read(TEXT).unwrap();
        let long = Parcel::new(500, [1_201, 10, 10]).unwrap();
        assert_eq!(tariff.net("A", &long), Ok(1_750 + 109));
    }

    fn mistake(rows: &str) -> String {
        Tariff::read(&format!("zone,up_to_grams,cents\n{rows}")).unwrap_err().to_string()
    }

    #[test]
    fn columns() {
        assert_eq!(mistake("A,1\n"), "line 2: columns");
        assert_eq!(mistake("A,1,2\nA,1,2,3\n"), "line 3: columns");
        assert_eq!(mistake("\n"), "line 2: columns");
    }

    #[test]
    fn weights() {
        for weight in ["0", "-1", "1.5", "", " 1", "4294967296", "²"] {
            assert_eq!(mistake(&format!("A,{weight},1\n")), "line 2: weight", "{weight:?}");
        }
    }

    #[test]
    fn prices() {
        for price in ["-1", "1,0", "x", ""] {
            let said = mistake(&format!("A,1,{price}\n"));
            assert!(said == "line 2: price" || said == "line 2: columns", "{price:?}: {said}");
        }
    }

    #[test]
    fn two_prices() {
        assert_eq!(mistake("A,1,1\nB,1,1\nA,1,1\n"), "line 4: two prices for one weight");
    }

    #[test]
    fn headers() {
        for text in ["zone;up_to_grams;cents\n", "\u{feff}zone,up_to_grams,cents\n", "A,1,1\n"] {
            assert_eq!(Tariff::read(text).unwrap_err().to_string(), "line 1: header");
        }
        assert_eq!(Tariff::read(""), Err(Error::Empty));
    }
}
