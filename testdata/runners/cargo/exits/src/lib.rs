#[test]
fn a() {}

#[test]
fn b() {
    std::thread::sleep(std::time::Duration::from_millis(300));
    std::process::exit(std::env::var("EXIT").unwrap_or_default().parse().unwrap_or(0))
}

#[test]
fn c() {
    std::thread::sleep(std::time::Duration::from_secs(5));
    panic!("never seen")
}
