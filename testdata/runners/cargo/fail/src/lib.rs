/// ```
/// assert_eq!(fg_fail::one(), 2, "wrong");
/// ```
///
/// ```
/// let x: u8 = "";
/// ```
///
/// ```compile_fail
/// let x: u8 = "";
/// ```
///
/// ```standalone_crate
/// println!("alone");
/// ```
///
/// ```ignore
/// nothing
/// ```
pub fn one() -> u8 {
    1
}

#[test]
fn good() {}

#[test]
fn bad() {
    println!("test result: ok. 9 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
    assert_eq!(one(), 2, "why\nmore");
}

#[test]
fn errs() -> Result<(), String> {
    Err("boo".into())
}

#[test]
#[should_panic(expected = "abc")]
fn panics_otherwise() {
    panic!("xyz")
}

#[test]
#[should_panic]
fn panics_not() {}

#[test]
#[ignore = "slow one"]
fn later() {}
