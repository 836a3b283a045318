//! What keys that SeaORM cannot store can still do, and the messages where they cannot be used.

#[test]
fn uses() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/valid/*.rs");
    cases.compile_fail("tests/ui/invalid/*.rs");
}
