//! The README has the program of this example.

#[test]
fn the_readme_has_the_program() {
    let program = concat!("```rust\n", include_str!("../src/main.rs"), "```\n");
    assert!(include_str!("../../../README.md").contains(program));
}
