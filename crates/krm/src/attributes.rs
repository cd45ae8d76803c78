//! Extended attributes of a rewritten file.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{
    XattrFlags, fgetxattr, fgetxattr_query, fsetxattr, getxattr, getxattr_query, listxattr, listxattr_query,
};
use rustix::io::Errno;

/// Prefixes of attributes set by users: if one cannot be copied, the file is not written.
const USER_ATTRIBUTE_PREFIXES: [&str; 2] = ["user.", "system.posix_acl_"];

/// Attributes that depend on the old bytes of the file (signatures and capabilities); not copied.
const CONTENT_BOUND_ATTRIBUTES: [&str; 3] = ["security.capability", "security.evm", "security.ima"];

/// Copies the extended attributes of the old file to the new one. Attributes set by the system, such
/// as labels, are copied where the system allows it.
///
/// # Errors
///
/// A user's attribute cannot be read or written; the error names the attribute.
pub(super) fn keep(old: &Path, new: &File) -> io::Result<()> {
    let names = match filled(|| listxattr_query(old), |names| listxattr(old, names)) {
        // The file system does not support attributes.
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(()),
        names => names?,
    };
    let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    for name in names.filter(|name| !CONTENT_BOUND_ATTRIBUTES.iter().any(|own| own.as_bytes() == *name)) {
        let kept = filled(|| getxattr_query(old, name), |value| getxattr(old, name, value)).and_then(|value| {
            let own = filled(|| fgetxattr_query(new, name), |value| fgetxattr(new, name, value));
            if own.as_ref() == Ok(&value) { Ok(()) } else { fsetxattr(new, name, &value, XattrFlags::empty()) }
        });
        if let Err(error) = kept
            && USER_ATTRIBUTE_PREFIXES.iter().any(|given| name.starts_with(given.as_bytes()))
        {
            let name = String::from_utf8_lossy(name);
            return Err(io::Error::other(format!("its attribute `{name}` cannot be kept: {}", io::Error::from(error))));
        }
    }
    Ok(())
}

/// Calls `length` for the buffer size and `fill` for the bytes; retries if the value grew in between.
fn filled(
    length: impl Fn() -> Result<usize, Errno>,
    fill: impl Fn(&mut [u8]) -> Result<usize, Errno>,
) -> Result<Vec<u8>, Errno> {
    loop {
        let mut bytes = vec![0; length()?];
        match fill(&mut bytes) {
            // The value grew between the two calls.
            Err(Errno::RANGE) => {}
            filled => {
                bytes.truncate(filled?);
                return Ok(bytes);
            }
        }
    }
}
