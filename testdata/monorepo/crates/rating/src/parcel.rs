//! Weights and sizes.

const MM3_PER_GRAM: u64 = 5_000;
const LONGEST_MM: u32 = 1_200;
const GIRTH_MM: u32 = 3_000;

/// A parcel as the belt measures it: grams and millimetres.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parcel {
    pub grams: u32,
    pub sides: [u32; 3],
}

/// A measure that cannot be.
#[derive(Debug, PartialEq, Eq)]
pub struct Flat;

impl Parcel {
    pub fn new(grams: u32, sides: [u32; 3]) -> Result<Parcel, Flat> {
        if grams == 0 || sides.iter().any(|&side| side == 0 || side > 10_000) {
            return Err(Flat);
        }
        Ok(Parcel { grams, sides })
    }

    /// The greater of weight and volumetric weight; a started gram counts.
    ///
    /// ```
    /// let pillow = rating::parcel::Parcel::new(900, [700, 500, 200]).unwrap();
    /// assert_eq!(pillow.chargeable(), 14_000);
    /// ```
    pub fn chargeable(&self) -> u32 {
        let volume: u64 = self.sides.iter().map(|&side| u64::from(side)).product();
        let volumetric = volume.div_ceil(MM3_PER_GRAM);
        self.grams.max(volumetric.try_into().expect("sides are at most 10 m"))
    }

    /// Too long or too thick for the belt.
    pub fn oversize(&self) -> bool {
        let mut sides = self.sides;
        sides.sort_unstable();
        let [small, middle, longest] = sides;
        longest > LONGEST_MM || longest + 2 * (small + middle) > GIRTH_MM
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parcel(sides: [u32; 3]) -> Parcel {
        Parcel::new(1, sides).unwrap()
    }

    #[test]
    fn a_started_gram_counts() {
        assert_eq!(parcel([100, 100, 250]).chargeable(), 500);
        assert_eq!(parcel([117, 123, 174]).chargeable(), 501);
        assert_eq!(parcel([1, 1, 1]).chargeable(), 1);
    }

    #[test]
    fn weight_wins_when_it_is_greater() {
        assert_eq!(Parcel::new(7_000, [100, 100, 100]).unwrap().chargeable(), 7_000);
    }

    #[test]
    fn the_largest_box_does_not_overflow() {
        assert_eq!(parcel([10_000; 3]).chargeable(), 200_000_000);
    }

    #[test]
    fn limits_are_inside() {
        assert!(!parcel([1_200, 100, 100]).oversize());
        assert!(parcel([1_201, 100, 100]).oversize());
        assert!(!parcel([100, 1_000, 900]).oversize());
        assert!(parcel([100, 1_001, 900]).oversize());
    }

    #[test]
    fn turning_changes_nothing() {
        for a in (1..1_500).step_by(53) {
            for b in (1..1_000).step_by(47) {
                for c in (1..600).step_by(43) {
                    let (one, other) = (parcel([a, b, c]), parcel([c, a, b]));
                    assert_eq!(one.chargeable(), other.chargeable());
                    assert_eq!(one.oversize(), other.oversize());
                }
            }
        }
    }

    #[test]
    fn flat_things_are_refused() {
        for sides in [[0, 1, 1], [1, 0, 1], [1, 1, 0], [10_001, 1, 1]] {
            assert_eq!(Parcel::new(1, sides), Err(Flat), "{sides:?}");
        }
        assert_eq!(Parcel::new(0, [1, 1, 1]), Err(Flat));
    }
}
