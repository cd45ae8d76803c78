//! Byte search, 16 bytes at a time.
//!
//! On `x86_64` with SSE2, which all of these processors have: detection of wider instructions takes longer than reading
//! a short text.

#[cfg(target_arch = "x86_64")]
use memchr::arch::x86_64::sse2::memchr::{One, Three};

/// Returns the offset of the first occurrence of `byte`.
#[cfg(target_arch = "x86_64")]
pub(super) fn one(byte: u8, text: &[u8]) -> Option<usize> {
    One::new(byte).map_or_else(|| memchr::memchr(byte, text), |one| one.find(text))
}

/// Returns the offset of the first occurrence of one of three bytes.
#[cfg(target_arch = "x86_64")]
pub(super) fn find_any_of_three(bytes: (u8, u8, u8), text: &[u8]) -> Option<usize> {
    let three = Three::new(bytes.0, bytes.1, bytes.2);
    three.map_or_else(|| memchr::memchr3(bytes.0, bytes.1, bytes.2, text), |three| three.find(text))
}

/// Offset of the first occurrence of a byte.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn one(byte: u8, text: &[u8]) -> Option<usize> {
    memchr::memchr(byte, text)
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn find_any_of_three(bytes: (u8, u8, u8), text: &[u8]) -> Option<usize> {
    memchr::memchr3(bytes.0, bytes.1, bytes.2, text)
}
