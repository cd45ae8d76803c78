//! Computes and verifies digests while reading.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::{self, Read};
use std::rc::Rc;

use sha2::{Digest as _, Sha256};

/// A size or digest mismatch of a blob, set when the blob is read to the end.
pub type Fault = Rc<RefCell<Option<String>>>;

/// The `sha256:…` digest of bytes.
///
/// ```
/// assert!(oci::digest_of(b"").starts_with("sha256:e3b0c44298fc1c14"));
/// ```
pub fn digest_of(bytes: &[u8]) -> String {
    digest_text(Sha256::digest(bytes).as_slice())
}

fn digest_text(hash: &[u8]) -> String {
    hash.iter().fold("sha256:".to_owned(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A reader that ends at the size in the descriptor, and verifies size and digest at the end.
///
/// Source: google/go-containerregistry@v0.21.6 `internal/verify/verify.go`, including its error messages.
pub(super) struct VerifyingReader<R> {
    inner: R,
    hash: Sha256,
    got: u64,
    size: u64,
    digest: String,
    fault: Fault,
    is_over: bool,
}

impl<R: Read> VerifyingReader<R> {
    pub(super) fn new(inner: R, size: u64, digest: &str) -> (Self, Fault) {
        let fault = Fault::default();
        let own = Rc::clone(&fault);
        let checked =
            Self { inner, hash: Sha256::new(), got: 0, size, digest: digest.to_owned(), fault: own, is_over: false };
        (checked, fault)
    }

    /// Compares size and digest at the end of the stream.
    fn end(&mut self) {
        self.is_over = true;
        if self.got != self.size {
            *self.fault.borrow_mut() = Some(format!("error verifying size; got {}, want {}", self.got, self.size));
            return;
        }
        let got = digest_text(self.hash.finalize_reset().as_slice());
        if got != self.digest {
            *self.fault.borrow_mut() = Some(format!(
                "error verifying sha256 checksum after reading {} bytes; got \"{got}\", want \"{}\"",
                self.got, self.digest
            ));
        }
    }
}

impl<R: Read> Read for VerifyingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_over || buffer.is_empty() {
            return Ok(0);
        }
        let left = usize::try_from(self.size - self.got).unwrap_or(usize::MAX);
        let room = buffer.len().min(left);
        let Some(room) = buffer.get_mut(..room) else { return Ok(0) };
        let count = if room.is_empty() { 0 } else { self.inner.read(room)? };
        if count == 0 {
            self.end();
            return Ok(0);
        }
        self.got += count as u64;
        self.hash.update(room.get(..count).unwrap_or_default());
        Ok(count)
    }
}

/// Wraps a reader to compute the digest of its content.
pub fn digest_of_reader<R: Read>(inner: R) -> Digesting<R> {
    Digesting { inner, hash: Sha256::new() }
}

/// A reader that computes the digest of its content.
#[derive(Debug)]
pub struct Digesting<R> {
    inner: R,
    hash: Sha256,
}

impl<R: Read> Digesting<R> {
    /// Returns the digest of the bytes read.
    pub fn digest(mut self) -> String {
        digest_text(self.hash.finalize_reset().as_slice())
    }
}

impl<R: Read> Read for Digesting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hash.update(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}
