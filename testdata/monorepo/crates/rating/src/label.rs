//! The number on the label: eleven digits, the last of which guards the others.

/// Why a label cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreadable {
    Length(usize),
    Digit { at: usize },
    Check { expected: u8, found: u8 },
}

/// The guard of ten digits: weights 3 and 1 in turn, so that swapped neighbours show.
///
/// ```
/// assert_eq!(rating::label::check_digit(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 0]), 5);
/// ```
pub fn check_digit(digits: &[u8; 10]) -> u8 {
    let sum: u32 = digits.iter().enumerate().map(|(i, &digit)| u32::from(digit) * if i % 2 == 0 { 3 } else { 1 }).sum();
    ((10 - sum % 10) % 10) as u8
}

/// Reads a label; blanks between groups are fine.
pub fn read(text: &str) -> Result<u64, Unreadable> {
    let mut digits = [0u8; 11];
    let mut count = 0;
    for (at, sign) in text.chars().enumerate().filter(|(_, sign)| *sign != ' ') {
        let digit = sign.to_digit(10).ok_or(Unreadable::Digit { at })?;
        if count < digits.len() {
            digits[count] = digit as u8;
        }
        count += 1;
    }
    if count != digits.len() {
        return Err(Unreadable::Length(count));
    }
    let body: [u8; 10] = digits[..10].try_into().expect("ten of eleven");
    let expected = check_digit(&body);
    if expected != digits[10] {
        return Err(Unreadable::Check { expected, found: digits[10] });
    }
    Ok(body.iter().fold(0, |number, &digit| number * 10 + u64::from(digit)))
}

/// Writes a label in groups of four.
///
/// # Panics
///
/// When `number` has more than ten digits.
pub fn write(number: u64) -> String {
    let text = format!("{number:010}");
    let digits: Vec<u8> = text.bytes().map(|sign| sign - b'0').collect();
    let body: [u8; 10] = digits.try_into().expect("at most ten digits");
    format!("{} {} {}{}", &text[..4], &text[4..8], &text[8..], check_digit(&body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for number in [0, 1, 9_999_999_999, 1_234_567_890] {
            assert_eq!(read(&write(number)), Ok(number));
        }
    }

    #[test]
    fn groups() {
        assert_eq!(write(1_234_567_890), "1234 5678 905");
    }

    #[test]
    fn one_wrong_digit_shows() {
        let good: Vec<char> = write(4_096_512_837).replace(' ', "").chars().collect();
        for at in 0..good.len() {
            for digit in '0'..='9' {
                let mut bad = good.clone();
                bad[at] = digit;
                let text: String = bad.iter().collect();
                assert_eq!(read(&text).is_ok(), bad == good, "{text}");
            }
        }
    }

    #[test]
    fn swapped_neighbours_show_unless_they_differ_by_five() {
        let good: Vec<char> = write(1_357_924_680).replace(' ', "").chars().collect();
        for at in 0..9 {
            let mut bad = good.clone();
            bad.swap(at, at + 1);
            let by_five = good[at].to_digit(10).unwrap().abs_diff(good[at + 1].to_digit(10).unwrap()) == 5;
            let text: String = bad.iter().collect();
            assert_eq!(read(&text).is_ok(), by_five || bad == good, "{text}");
        }
    }

    #[test]
    fn lengths() {
        assert_eq!(read(""), Err(Unreadable::Length(0)));
        assert_eq!(read("1234 5678 90"), Err(Unreadable::Length(10)));
        assert_eq!(read("1234 5678 9055"), Err(Unreadable::Length(12)));
    }

    #[test]
    fn no_digit() {
        assert_eq!(read("1234 5678 9O5"), Err(Unreadable::Digit { at: 11 }));
        assert_eq!(read("１２３"), Err(Unreadable::Digit { at: 0 }));
    }

    #[test]
    #[should_panic(expected = "at most ten digits")]
    fn eleven_digits_are_no_number() {
        write(10_000_000_000);
    }

    #[test]
    #[ignore = "takes a minute; run it when the check digit changes"]
    fn every_number_of_a_depot_survives() {
        for number in 4_096_000_000..4_097_000_000 {
            assert_eq!(read(&write(number)), Ok(number));
        }
    }
}
