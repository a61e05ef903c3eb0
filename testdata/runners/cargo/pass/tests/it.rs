#[test]
fn outside() {
    assert_eq!(fg_pass::one(), 1);
}
