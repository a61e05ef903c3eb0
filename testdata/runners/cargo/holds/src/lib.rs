#[test]
fn a() {
    let child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    println!("left: {}", child.id());
}
