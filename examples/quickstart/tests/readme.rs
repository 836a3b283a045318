//! The program of the README is this example.

#[test]
fn the_readme_has_the_program() {
    let readme = include_str!("../../../README.md");
    let (_, program) = readme.split_once("```rust\n").expect("a block of Rust");
    let (program, _) = program.split_once("```").expect("its end");
    assert_eq!(program, include_str!("../src/main.rs"));
}
