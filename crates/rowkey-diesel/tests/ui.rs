//! Queries that must not compile, and their messages.

#[test]
fn queries() {
    trybuild::TestCases::new().compile_fail("tests/ui/invalid/*.rs");
}
