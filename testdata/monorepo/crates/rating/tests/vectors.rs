//! The same parcels, the same cents as in every other service.

use std::fs;
use std::path::Path;

use rating::band::{Error, Tariff};
use rating::parcel::Parcel;

fn shared(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tariffs").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn net(tariff: &Tariff, cells: &[&str]) -> String {
    let number = |i: usize| cells[i].parse::<u32>().unwrap();
    let parcel = Parcel::new(number(2), [number(3), number(4), number(5)]).unwrap();
    match tariff.net(cells[1], &parcel) {
        Ok(cents) => cents.to_string(),
        Err(Error::TooHeavy { .. }) => "too_heavy".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn vectors() {
    let tariff = Tariff::read(&shared("tariff.csv")).unwrap();
    let text = shared("vectors.csv");
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert!(rows.len() >= 20, "only {} vectors", rows.len());
    for row in rows {
        assert_eq!(net(&tariff, &row), row[6], "{}", row[0]);
    }
}

#[test]
fn every_zone_carries_a_letter() {
    let tariff = Tariff::read(&shared("tariff.csv")).unwrap();
    let letter = Parcel::new(20, [220, 110, 5]).unwrap();
    for zone in ["A", "B", "C", "D"] {
        assert!(tariff.net(zone, &letter).unwrap() > 0);
    }
}

#[test]
fn heavier_is_never_cheaper() {
    let tariff = Tariff::read(&shared("tariff.csv")).unwrap();
    for zone in ["A", "B", "C", "D"] {
        let mut last = 0;
        for grams in 1..=20_000 {
            let now = tariff.net(zone, &Parcel::new(grams, [10, 10, 10]).unwrap()).unwrap();
            assert!(now >= last, "{zone} {grams}");
            last = now;
        }
    }
}
