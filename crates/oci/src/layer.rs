//! Decompresses layers within size limits.

use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

use super::budget::{Budget, Counted};

/// Decompressed bytes that are always allowed, whatever the compression ratio of the layer.
const UNLIMITED_RATIO_BYTES: u64 = 256 << 20;

/// Maximum decompression ratio of a layer with more than `UNLIMITED_RATIO_BYTES` decompressed bytes. Executables
/// and manifests reach 3 to 30.
const RATIO: u64 = 200;

/// Maximum decompressed bytes, regardless of the descriptor.
const MAX_BYTES: u64 = 8 << 30;

/// The compression of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// gzip
    Gzip,
    /// Zstandard
    Zstd,
    /// Uncompressed.
    Plain,
}

/// Detects the compression of a layer from its first bytes, and decompresses it. `size` is the compressed size from
/// the descriptor.
///
/// Source of the first bytes: RFC 1952 section 2.3.1, RFC 8878 section 3.1.1.
///
/// # Errors
/// If the layer cannot be read, or its header is invalid.
pub fn unpacked<'r>(
    layer: Box<dyn Read + 'r>,
    size: u64,
    budget: &Rc<Budget>,
) -> io::Result<(Packing, Box<dyn Read + 'r>)> {
    let mut layer = BufReader::with_capacity(1 << 16, layer);
    let first = layer.fill_buf()?;
    let packing = if first.starts_with(&[0x1f, 0x8b]) {
        Packing::Gzip
    } else if first.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        Packing::Zstd
    } else {
        Packing::Plain
    };
    let left = UNLIMITED_RATIO_BYTES.max(size.saturating_mul(RATIO));
    let (left, limit) = if left < MAX_BYTES {
        (left, format!("{RATIO} times its size"))
    } else {
        (MAX_BYTES, format!("{MAX_BYTES} bytes"))
    };
    let inner: Box<dyn Read + 'r> = match packing {
        Packing::Gzip => Box::new(MultiGzDecoder::new(layer)),
        Packing::Zstd => {
            Box::new(StreamingDecoder::new(layer).map_err(|error| io::Error::other(format!("zstd: {error}")))?)
        }
        Packing::Plain => Box::new(layer),
    };
    let inner = Counted { inner, budget: Rc::clone(budget) };
    Ok((packing, Box::new(LimitedReader { inner, left, limit })))
}

/// A reader that fails above a size limit.
struct LimitedReader<R> {
    inner: R,
    left: u64,
    limit: String,
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let Some(left) = self.left.checked_sub(count as u64) else {
            return Err(io::Error::other(format!("the layer unpacks to more than {}", self.limit)));
        };
        self.left = left;
        Ok(count)
    }
}
