fn main() {}

#[test]
fn good() {}
