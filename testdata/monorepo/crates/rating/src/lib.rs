//! The rating core that runs on the sorting belt: no heap to speak of, no floats, the same cents as everywhere else.

pub mod band;
pub mod fixed;
pub mod label;
pub mod parcel;
