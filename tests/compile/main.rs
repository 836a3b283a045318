//! Declarations, queries and conditions that compile, and the messages of those that do not.

#[test]
fn messages_are_as_recorded() {
    let cases = trybuild::TestCases::new();
    cases.pass("*/valid/*.rs");
    cases.compile_fail("*/invalid/*.rs");
}
