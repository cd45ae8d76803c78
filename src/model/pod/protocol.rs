//! Transport protocols of ports.

use std::borrow::Cow;

/// Default protocol of a port.
pub const TCP: Cow<'static, str> = Cow::Borrowed("TCP");

/// The protocol of a port; that of nearly all ports needs no text of its own.
#[must_use]
pub fn protocol(text: Option<&str>) -> Cow<'static, str> {
    match text {
        None | Some("TCP") => TCP,
        Some(other) => Cow::Owned(other.to_owned()),
    }
}
