//! Conditions that must not compile, and their messages.

#[test]
fn conditions() {
    trybuild::TestCases::new().compile_fail("tests/ui/invalid/*.rs");
}
