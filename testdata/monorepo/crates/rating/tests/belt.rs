//! A belt measures while parcels go by: labels and prices from many threads.

use std::collections::HashSet;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rating::band::Tariff;
use rating::label;
use rating::parcel::Parcel;

#[test]
fn one_tariff_serves_all_belts() {
    let tariff = Arc::new(Tariff::read("zone,up_to_grams,cents\nA,31500,800\n").unwrap());
    let belts: Vec<_> = (1..=4)
        .map(|belt| {
            let tariff = Arc::clone(&tariff);
            thread::spawn(move || tariff.net("A", &Parcel::new(belt * 100, [100, 100, 100]).unwrap()))
        })
        .collect();
    for belt in belts {
        assert_eq!(belt.join().unwrap(), Ok(850));
    }
}

#[test]
fn labels_of_a_day_are_all_different() {
    let labels: HashSet<String> = (0..20_000).map(|n| label::write(n * 37)).collect();
    assert_eq!(labels.len(), 20_000);
}

#[test]
fn a_belt_keeps_its_pace() {
    let pace = Duration::from_millis(30);
    let began = Instant::now();
    for parcel in 1..=12 {
        let due = began + pace * parcel;
        assert!(label::read(&label::write(u64::from(parcel))).is_ok());
        if let Some(early) = due.checked_duration_since(Instant::now()) {
            thread::sleep(early);
        }
    }
    assert!(began.elapsed() >= pace * 12);
}

#[test]
fn misread_labels_stop_nothing() -> Result<(), Box<dyn std::error::Error>> {
    let tariff = Tariff::read("zone,up_to_grams,cents\nA,1000,100\n")?;
    let read: Vec<_> = ["1234 5678 905", "smudged", "1234 5678 906"].iter().map(|text| label::read(text)).collect();
    assert_eq!(read.iter().filter(|label| label.is_ok()).count(), 1);
    assert_eq!(tariff.price("A", 1)?, 100);
    Ok(())
}
