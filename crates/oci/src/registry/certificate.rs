//! Parses the certificate fields on which Go's verification depends.
//!
//! Source: RFC 5280 section 4.1; go@1.26 `crypto/x509`.

use std::net::{Ipv4Addr, Ipv6Addr};

/// DER bytes of the object identifiers to find.
const KEY_USAGE: &[u8] = &[0x55, 0x1d, 0x0f];
const ALTERNATIVE_NAMES: &[u8] = &[0x55, 0x1d, 0x11];
const BASIC_CONSTRAINTS: &[u8] = &[0x55, 0x1d, 0x13];
const EXTENDED_KEY_USAGE: &[u8] = &[0x55, 0x1d, 0x25];
const ANY_USAGE: &[u8] = &[0x55, 0x1d, 0x25, 0x00];
const SERVER_USAGE: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01];
const EC_KEY: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
const P_521: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x23];
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];

/// Tags of DER.
const BOOLEAN: u8 = 0x01;
const OCTETS: u8 = 0x04;
const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const EXTENSIONS: u8 = 0xa3;
const GENERALIZED_TIME: u8 = 0x18;

/// The fields of a certificate that verification uses.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts about one certificate")]
pub(super) struct Certificate {
    /// `YYYYMMDDhhmmss` in UTC, so that texts compare as times do.
    pub(super) not_before: String,
    pub(super) not_after: String,
    /// True if the certificate is valid for servers or for any purpose.
    pub(super) may_serve: bool,
    /// True if the certificate may sign other certificates.
    pub(super) may_sign: bool,
    /// True if issuer and subject are equal.
    pub(super) is_self_issued: bool,
    /// True for a key on the curve P-521, which the TLS library lacks.
    pub(super) has_p521_key: bool,
    /// The subject alternative names; `None` without the extension.
    pub(super) names: Option<Names>,
    /// The common name, which Go does not accept as a server name.
    pub(super) common_name: Option<String>,
}

/// The subject alternative names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Names {
    pub(super) dns: Vec<String>,
    pub(super) addresses: Vec<String>,
}

/// An iterator over DER elements.
#[derive(Debug)]
struct Elements<'d>(&'d [u8]);

impl<'d> Iterator for Elements<'d> {
    type Item = (u8, &'d [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (tag, rest) = self.0.split_first()?;
        let (first, rest) = rest.split_first()?;
        let (length, rest) = match first {
            0..=0x7f => (usize::from(*first), rest),
            0x81..=0x84 => {
                let (length, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
                (length.iter().fold(0, |all, byte| all << 8 | usize::from(*byte)), rest)
            }
            _ => return None,
        };
        let (content, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((*tag, content))
    }
}

impl Certificate {
    /// Parses a DER certificate; `None` if invalid.
    pub(super) fn read(der: &[u8]) -> Option<Self> {
        let (_, whole) = Elements(der).next()?;
        let (_, signed) = Elements(whole).next()?;
        let mut fields = Elements(signed).peekable();
        let version = match fields.next_if(|(tag, _)| *tag == VERSION) {
            Some((_, version)) => Elements(version).next()?.1.last().map_or(1, |number| number.saturating_add(1)),
            None => 1,
        };
        // Skip serial number and algorithm.
        let (_, issuer) = fields.nth(2)?;
        let mut times = Elements(fields.next()?.1).map(|(tag, text)| time(tag, text));
        let (not_before, not_after) = (times.next()??, times.next()??);
        let (_, subject) = fields.next()?;
        let (_, key) = fields.next()?;
        let mut own = Self {
            not_before,
            not_after,
            may_serve: true,
            may_sign: version < 3,
            is_self_issued: issuer == subject,
            has_p521_key: is_p521(key),
            names: None,
            common_name: common_name(subject),
        };
        let mut is_for_signing = true;
        let extensions = fields.find(|(tag, _)| *tag == EXTENSIONS).and_then(|(_, list)| Elements(list).next());
        for (_, extension) in extensions.into_iter().flat_map(|(_, list)| Elements(list)) {
            let mut parts = Elements(extension);
            let Some((_, id)) = parts.next() else { continue };
            let Some((_, value)) = parts.find(|(tag, _)| *tag == OCTETS) else { continue };
            let Some((_, value)) = Elements(value).next() else { continue };
            match id {
                KEY_USAGE => is_for_signing = value.get(1).is_none_or(|bits| *bits == 0 || bits & 0x04 != 0),
                BASIC_CONSTRAINTS => {
                    own.may_sign = Elements(value).any(|(tag, value)| tag == BOOLEAN && value.iter().any(|b| *b != 0));
                }
                EXTENDED_KEY_USAGE => {
                    own.may_serve = Elements(value).any(|(_, usage)| usage == ANY_USAGE || usage == SERVER_USAGE);
                }
                ALTERNATIVE_NAMES => own.names = Some(names(value)),
                _ => {}
            }
        }
        own.may_sign &= is_for_signing;
        Some(own)
    }
}

/// Names for which the certificate is valid.
fn names(list: &[u8]) -> Names {
    let mut all = Names::default();
    for (tag, name) in Elements(list) {
        match tag & 0x1f {
            2 => all.dns.push(String::from_utf8_lossy(name).into_owned()),
            7 => {
                let four = <[u8; 4]>::try_from(name).map(|bytes| Ipv4Addr::from(bytes).to_string());
                let sixteen = || <[u8; 16]>::try_from(name).map(|bytes| Ipv6Addr::from(bytes).to_string());
                all.addresses.extend(four.or_else(|_| sixteen()));
            }
            _ => {}
        }
    }
    all
}

/// Formats a time as `YYYYMMDDhhmmss`. Two-digit years are 1950 to 2049.
fn time(tag: u8, text: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let is_long = tag == GENERALIZED_TIME;
    if text.len() != if is_long { 14 } else { 12 } || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let century = if is_long {
        ""
    } else if text < "5" {
        "20"
    } else {
        "19"
    };
    Some(format!("{century}{text}"))
}

/// True for a public key (`SubjectPublicKeyInfo`) on the curve P-521.
fn is_p521(key: &[u8]) -> bool {
    let algorithm = Elements(key).next().map(|(_, algorithm)| Elements(algorithm));
    algorithm.is_some_and(|elements| elements.map(|(_, id)| id).eq([EC_KEY, P_521]))
}

/// The common name of a subject.
fn common_name(subject: &[u8]) -> Option<String> {
    let pairs = Elements(subject).flat_map(|(_, set)| Elements(set)).filter(|(tag, _)| *tag == SEQUENCE);
    let mut names = pairs.filter_map(|(_, pair)| {
        let mut pair = Elements(pair);
        (pair.next()?.1 == COMMON_NAME).then(|| pair.next())?
    });
    names.next().map(|(_, name)| String::from_utf8_lossy(name).into_owned())
}
