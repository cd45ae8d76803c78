//! Transport protocols of ports.

use std::borrow::Cow;

/// Default protocol of a port.
pub const TCP: Cow<'static, str> = Cow::Borrowed("TCP");

/// Protocol of a port; `TCP`, the most frequent one, needs no allocation.
pub fn protocol(text: Option<&str>) -> Cow<'static, str> {
    match text {
        None | Some("TCP") => TCP,
        Some(other) => Cow::Owned(other.to_owned()),
    }
}
