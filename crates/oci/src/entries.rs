//! Reads tar entries with bounded headers: long names and pax records are read into memory, and state their own
//! length.

use std::cell::Cell;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::rc::Rc;

/// Maximum size of the headers of one entry in bytes, including long names and pax records. Go's reader has the same
/// limit for one record.
/// Source: go@1.26 `archive/tar/format.go`, `maxSpecialFileSize`.
const MAX_ENTRY_HEADER_BYTES: u64 = 1 << 20;

/// Maximum number of entries read from one archive.
const MAX_ENTRIES: usize = 1_000_000;

/// A reader that fails if the headers of an entry exceed the limit.
pub struct BoundHeaders<R> {
    inner: R,
    at: u64,
    until: Rc<Cell<u64>>,
}

impl<R> BoundHeaders<R> {
    fn new(inner: R) -> (Self, Rc<Cell<u64>>) {
        let until = Rc::new(Cell::new(2 * MAX_ENTRY_HEADER_BYTES));
        (Self { inner, at: 0, until: Rc::clone(&until) }, until)
    }
}

impl<R: Read> Read for BoundHeaders<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at > self.until.get() {
            return Err(io::Error::other("archive/tar: header field too long"));
        }
        let count = self.inner.read(buffer)?;
        self.at = self.at.saturating_add(count as u64);
        Ok(count)
    }
}

impl<R: Seek> Seek for BoundHeaders<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = self.inner.seek(to)?;
        Ok(self.at)
    }
}

/// Visits the entries of an archive until a visit breaks; `None` if no visit breaks.
///
/// # Errors
/// If the archive cannot be read, or has too many or too large headers.
pub fn visit_entries<R: Read, B>(
    reader: R,
    visit: impl FnMut(&mut tar::Entry<'_, BoundHeaders<R>>) -> ControlFlow<B>,
) -> io::Result<Option<B>> {
    let (reader, until) = BoundHeaders::new(reader);
    let mut archive = tar::Archive::new(reader);
    walk(archive.entries()?, &until, visit)
}

/// Visits the headers of all entries, without reading the contents.
pub(super) fn visit_headers<R: Read + Seek, B>(
    reader: R,
    visit: impl FnMut(&mut tar::Entry<'_, BoundHeaders<R>>) -> ControlFlow<B>,
) -> io::Result<Option<B>> {
    let (reader, until) = BoundHeaders::new(reader);
    let mut archive = tar::Archive::new(reader);
    walk(archive.entries_with_seek()?, &until, visit)
}

/// Visits entries up to a limit of headers.
fn walk<R: Read, B>(
    entries: tar::Entries<'_, BoundHeaders<R>>,
    until: &Cell<u64>,
    mut visit: impl FnMut(&mut tar::Entry<'_, BoundHeaders<R>>) -> ControlFlow<B>,
) -> io::Result<Option<B>> {
    for (count, entry) in entries.enumerate() {
        let mut entry = entry?;
        if count >= MAX_ENTRIES {
            return Err(io::Error::other(format!("the archive has more than {MAX_ENTRIES} entries")));
        }
        // A sparse file stores fewer bytes in the archive than its stated size.
        let is_sparse = entry.header().entry_type().is_gnu_sparse();
        let size = if is_sparse { entry.header().entry_size()? } else { entry.size() };
        until.set(entry.raw_file_position().saturating_add(size).saturating_add(2 * MAX_ENTRY_HEADER_BYTES));
        if let ControlFlow::Break(found) = visit(&mut entry) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(name: u64) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        let entry = |kind: tar::EntryType, size: u64| {
            let mut header = tar::Header::new_gnu();
            header.set_entry_type(kind);
            header.set_path("a").unwrap();
            header.set_size(size);
            header.set_cksum();
            header
        };
        builder.append(&entry(tar::EntryType::Regular, 4 << 20), io::repeat(b'x').take(4 << 20)).unwrap();
        builder.append(&entry(tar::EntryType::GNULongName, name), io::repeat(b'n').take(name)).unwrap();
        builder.append(&entry(tar::EntryType::Regular, 1), &b"y"[..]).unwrap();
        builder.into_inner().unwrap()
    }

    #[test]
    fn long_names_are_limited_and_long_files_are_skipped() {
        let names = |bytes: &[u8]| {
            let mut names = Vec::new();
            let ended = visit_entries(bytes, |entry| {
                names.push(entry.path_bytes().len());
                ControlFlow::<()>::Continue(())
            });
            let sought = visit_headers(io::Cursor::new(bytes), |_| ControlFlow::<()>::Continue(()));
            let message = ended.map_err(|error| error.to_string());
            assert_eq!(message, sought.map_err(|error| error.to_string()));
            (names, message)
        };
        assert_eq!(names(&archive(5000)), (vec![1, 5000], Ok(None)));
        assert_eq!(names(&archive(64 << 20)), (vec![1], Err("archive/tar: header field too long".to_owned())));
    }
}
