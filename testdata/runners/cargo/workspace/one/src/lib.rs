#[test]
fn bad() {
    panic!("in one")
}
