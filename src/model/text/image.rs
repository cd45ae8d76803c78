//! The parts of an image reference.

/// An image without tag and digest, and its tag.
#[must_use]
pub fn image_parts(image: &str) -> (&str, Option<&str>) {
    let image = image.split('@').next().unwrap_or_default();
    // From the last slash on: a colon before it is that of the registry's port.
    let last = image.rfind('/').unwrap_or_default();
    match image.get(last..).and_then(|last| last.find(':')) {
        Some(colon) => {
            let (path, tag) = image.split_at(last + colon);
            (path, tag.strip_prefix(':'))
        }
        None => (image, None),
    }
}
