//! Bytes of a text, sought sixteen at a time.
//!
//! On `x86_64` by the instructions that every such processor has: which wider ones it has takes longer to find out than to read a short
//! text.

#[cfg(target_arch = "x86_64")]
use memchr::arch::x86_64::sse2::memchr::{One, Three};

/// Where the first byte like this is.
#[cfg(target_arch = "x86_64")]
pub(super) fn one(byte: u8, text: &[u8]) -> Option<usize> {
    One::new(byte).map_or_else(|| memchr::memchr(byte, text), |one| one.find(text))
}

/// Where the first byte is that is one of three.
#[cfg(target_arch = "x86_64")]
pub(super) fn three(bytes: (u8, u8, u8), text: &[u8]) -> Option<usize> {
    let three = Three::new(bytes.0, bytes.1, bytes.2);
    three.map_or_else(|| memchr::memchr3(bytes.0, bytes.1, bytes.2, text), |three| three.find(text))
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn one(byte: u8, text: &[u8]) -> Option<usize> {
    memchr::memchr(byte, text)
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn three(bytes: (u8, u8, u8), text: &[u8]) -> Option<usize> {
    memchr::memchr3(bytes.0, bytes.1, bytes.2, text)
}
