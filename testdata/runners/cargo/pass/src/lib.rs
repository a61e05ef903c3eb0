//! ```
//! assert_eq!(fg_pass::one(), 1);
//! ```
pub fn one() -> u8 {
    1
}

#[test]
fn good() {
    assert_eq!(one(), 1);
}

#[test]
#[should_panic(expected = "abc")]
fn panics() {
    panic!("abcdef")
}

#[test]
#[ignore = "slow"]
fn later() {}
