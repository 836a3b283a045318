//! Declarations that compile, and the error messages of those that do not.

#[test]
fn declarations() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/valid/*.rs");
    cases.compile_fail("tests/ui/invalid/*.rs");
}
