//! Shares of money in whole cents.

/// The given share of `cents` in hundredths of a percent; half a cent goes to the even neighbour.
///
/// ```
/// use rating::fixed::share;
///
/// assert_eq!(share(936, 625), 58); // 58.5
/// assert_eq!(share(1304, 625), 82); // 81.5
/// ```
///
/// ```should_panic
/// rating::fixed::share(i64::MAX, 625); // rather no bill than a wrong one
/// ```
pub fn share(cents: i64, basis_points: i64) -> i64 {
    let product = cents.checked_mul(basis_points).expect("amount out of range");
    let whole = product.div_euclid(10_000);
    match product.rem_euclid(10_000).cmp(&5_000) {
        std::cmp::Ordering::Less => whole,
        std::cmp::Ordering::Greater => whole + 1,
        std::cmp::Ordering::Equal => whole + whole.rem_euclid(2),
    }
}

/// Cents as people write them.
///
/// ```
/// assert_eq!(rating::fixed::show(-1234567), "-12.345,67");
/// assert_eq!(rating::fixed::show(5), "0,05");
/// ```
pub fn show(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    let digits = (cents.unsigned_abs() / 100).to_string();
    let mut whole = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            whole.push('.');
        }
        whole.push(digit);
    }
    format!("{sign}{whole},{:02}", cents.unsigned_abs() % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_even_neighbour() {
        for (cents, want) in [(1, 0), (3, 2), (5, 2), (7, 4), (-1, 0), (-3, -2), (-5, -2)] {
            assert_eq!(share(cents, 5_000), want, "half of {cents}");
        }
    }

    #[test]
    fn nothing_of_something_is_nothing() {
        assert_eq!(share(12_345, 0), 0);
        assert_eq!(share(0, 10_000), 0);
    }

    #[test]
    fn all_of_it() {
        assert_eq!(share(-12_345, 10_000), -12_345);
    }

    #[test]
    fn a_refund_mirrors_the_charge() {
        for cents in 0..3_000 {
            for points in (0..2_000).step_by(25) {
                assert_eq!(share(-cents, points), -share(cents, points));
            }
        }
    }

    #[test]
    #[should_panic(expected = "amount out of range")]
    fn overflow_is_no_price() {
        share(i64::MIN, 2);
    }

    #[test]
    fn thousands() {
        let table = [(0, "0,00"), (99, "0,99"), (100, "1,00"), (100_000, "1.000,00"), (-1, "-0,01"), (123_456_789, "1.234.567,89")];
        for (cents, want) in table {
            assert_eq!(show(cents), want);
        }
    }

    #[test]
    fn the_smallest_number_can_be_shown() {
        assert_eq!(show(i64::MIN), "-92.233.720.368.547.758,08");
    }
}
