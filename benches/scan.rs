//! Parses standard input to events, and prints how many there are: what `benches/bars/check.rs` compares with.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used, reason = "a measuring program")]

use std::io::Read as _;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut parser = granit_parser::Parser::new_from_str(&text);
    let mut events = 0_usize;
    while let Some(event) = parser.next_event() {
        event.expect("YAML");
        events += 1;
    }
    println!("{events}");
}
