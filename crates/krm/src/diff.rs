//! Unified diff of the changes, accepted by `patch -p1` and `git apply` except for paths with `..`.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use similar::{Algorithm, TextDiff};

use lossless_yaml::Splice;

use super::escape::quoted;
use super::input::Input;

/// Time limit after which the diff may be longer than necessary; it remains correct.
const DIFF_TIME_LIMIT: Duration = Duration::from_secs(5);

/// Writes the diff of all changed inputs; `splices` holds the replacements of each input, in the same order.
pub fn write(inputs: &[Input], splices: &[Vec<Splice>], out: &mut impl Write) -> io::Result<()> {
    for (input, splices) in inputs.iter().zip(splices) {
        if input.is_changed_by(splices) {
            write_file_diff(input, splices, out)?;
        }
    }
    out.flush()
}

/// Writes the diff of one file.
fn write_file_diff(input: &Input, splices: &[Splice], out: &mut impl Write) -> io::Result<()> {
    let name = input.origin().path().map_or(Cow::Borrowed(&b"stdin"[..]), bytes);
    let mut name = name.as_ref();
    while let Some(below) = name.strip_prefix(b"./").or_else(|| name.strip_prefix(b"/")) {
        name = below;
    }
    let new = input.output(splices);
    let diff = TextDiff::configure()
        .algorithm(Algorithm::Myers)
        .timeout(DIFF_TIME_LIMIT)
        .diff_lines(input.text(), new.as_str());
    let (old_name, new_name) = (quoted(&[b"a/", name].concat()), quoted(&[b"b/", name].concat()));
    diff.unified_diff().header(&old_name, &new_name).to_writer(out)
}

/// Bytes of a path.
#[cfg(unix)]
fn bytes(path: &Path) -> Cow<'_, [u8]> {
    use std::os::unix::ffi::OsStrExt;
    Cow::Borrowed(path.as_os_str().as_bytes())
}

/// Diff readers expect slashes in paths.
#[cfg(not(unix))]
fn bytes(path: &Path) -> Cow<'_, [u8]> {
    Cow::Owned(path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/").into_bytes())
}
