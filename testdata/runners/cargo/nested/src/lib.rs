use std::process::Command;

#[test]
fn outer() {
    if std::env::var_os("INNER").is_some() {
        panic!("inner")
    }
    for (name, value) in std::env::vars() {
        assert!(!value.contains("factgate-"), "{name}={value} has come through");
    }
    let out = Command::new("cargo").args(["test", "--lib"]).env("INNER", "1").output().unwrap();
    assert_eq!(out.status.code(), Some(101));
}
