#[test]
fn a() {
    let _x: u8 = "";
}
