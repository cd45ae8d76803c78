//! Reports as single HTML pages, without other files or network access; the table works without JavaScript.
//!
//! Names of the input are hostile: askama escapes every value, and the Content-Security-Policy lets nothing run but the
//! script of this folder, by its hash.

mod findings;
mod page;
mod port_map;

pub use findings::findings;
pub use port_map::port_map;
