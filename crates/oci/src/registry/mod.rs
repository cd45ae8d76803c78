//! Images in a registry: the only code that opens a connection. It asks with GET and HEAD alone.

mod certificate;
mod challenge;
mod client;
mod credentials;
mod images;
mod realm;
mod said;
mod tls;
mod trust;

pub use client::{Client, NoClient, Options};
pub use credentials::Credentials;
pub use images::RegistryImage;
