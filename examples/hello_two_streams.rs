//! Placeholder of the first program.
fn main() {}
