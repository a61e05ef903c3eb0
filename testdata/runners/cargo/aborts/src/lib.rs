#[test]
fn a() {}

#[test]
fn b() {
    std::thread::sleep(std::time::Duration::from_millis(300));
    std::process::abort()
}
