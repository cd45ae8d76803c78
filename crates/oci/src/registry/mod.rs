//! Images in a registry: the only code that opens connections. Sends only GET and HEAD.

mod certificate;
mod challenge;
mod client;
mod credentials;
mod error_text;
mod images;
mod realm;
mod tls;
mod trust;

pub use client::{Client, NoClient, Options};
pub use credentials::Credentials;
pub use images::RegistryImage;
