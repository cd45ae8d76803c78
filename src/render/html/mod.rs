//! Reports as single HTML pages, without other files or network access; the table works without JavaScript.
//!
//! Names in the input may be hostile: askama escapes every value, and the Content-Security-Policy
//! allows only the script of this folder, by its hash.

mod findings;
mod page;
mod port_map;

pub use findings::findings;
pub use port_map::port_map;
