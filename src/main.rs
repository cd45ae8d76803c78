//! The `hostnet` command.

fn main() {}
