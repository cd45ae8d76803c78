//! Parses proxy URLs like Go: `parseProxy` of httpproxy on top of `net/url.Parse`.

use super::address::address_with_zone;
use super::list::Matcher;

/// A parsed proxy URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProxyUrl {
    /// The scheme, in lower case.
    pub scheme: String,
    /// Host and port as written, `proxy.example.com:3128`; may be empty, and connections then fail.
    pub host: String,
    /// True if the URL has a password.
    pub has_password: bool,
    /// User and password, percent-decoded.
    pub(super) user: Option<(Vec<u8>, Option<Vec<u8>>)>,
}

impl ProxyUrl {
    /// The host without its port and without brackets.
    pub fn host_name(&self) -> &str {
        self.parts().0
    }

    /// The port, if given.
    pub fn port(&self) -> Option<&str> {
        Some(self.parts().1).filter(|port| !port.is_empty())
    }

    /// Host and port of the URL.
    fn parts(&self) -> (&str, &str) {
        if let Some((host, after)) = self.host.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
            return (host, after.strip_prefix(':').unwrap_or_default());
        }
        self.host.rsplit_once(':').unwrap_or((&self.host, ""))
    }
}

/// Parses the proxy in a variable: a URL, or `host:port`, to which Go prepends `http://`. The error describes an
/// invalid URL; Go ignores such a value and connects directly.
///
/// ```
/// use go_no_proxy::proxy_url;
/// assert_eq!(proxy_url("proxy:3128").unwrap().host, "proxy:3128");
/// // Everything after `#` is a fragment, so the rest is read as `http://http:`.
/// assert_eq!(proxy_url("http://user:pa#ss@proxy:3128").unwrap().host, "http:");
/// assert!(proxy_url("http://proxy:3128\n").is_err());
/// ```
pub fn proxy_url(text: &str) -> Result<ProxyUrl, String> {
    Matcher::Newest.proxy_url(text)
}

impl Matcher {
    /// Parses a proxy as programs with this matcher do.
    pub fn proxy_url(self, text: &str) -> Result<ProxyUrl, String> {
        if text.is_empty() {
            return Err("it is empty".to_owned());
        }
        let parsed = parse(text);
        let is_one = |url: &ProxyUrl| match self {
            Self::BeforeSchemes => ["http", "https", "socks5"].contains(&url.scheme.as_str()),
            Self::BeforeZones | Self::Newest => !url.scheme.is_empty() && !url.host.is_empty(),
        };
        if parsed.as_ref().is_ok_and(is_one) {
            return parsed;
        }
        parse(&format!("http://{text}")).or(parsed)
    }
}

/// The parts of `net/url.Parse` that proxies need.
fn parse(text: &str) -> Result<ProxyUrl, String> {
    let (text, fragment) = text.split_once('#').unwrap_or((text, ""));
    if text.bytes().any(|b| b < b' ' || b == 0x7f) {
        return Err("it has a control character, such as the end of a line".to_owned());
    }
    unescape(fragment)?;
    let (scheme, rest) = scheme(text)?;
    let mut url =
        ProxyUrl { scheme: scheme.to_ascii_lowercase(), host: String::new(), has_password: false, user: None };
    if text == "*" {
        return Ok(url);
    }
    let rest = rest.split_once('?').map_or(rest, |(rest, _)| rest);
    if !rest.starts_with('/') {
        if !url.scheme.is_empty() {
            return Ok(url);
        }
        if rest.split('/').next().is_some_and(|first| first.contains(':')) {
            return Err("it begins neither with a scheme nor with a host".to_owned());
        }
    }
    let mut path = rest;
    if let Some(after) = rest.strip_prefix("//").filter(|_| !url.scheme.is_empty() || !rest.starts_with("///")) {
        let end = after.find('/').unwrap_or(after.len());
        let (authority, after) = after.split_at(end);
        path = after;
        let (user, host) = authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
        url.host = self::host(host)?;
        if let Some(user) = user {
            check_user(user)?;
            let (name, password) = user.split_once(':').map_or((user, None), |(name, word)| (name, Some(word)));
            url.has_password = password.is_some();
            url.user = Some((unescape(name)?, password.map(unescape).transpose()?));
        }
    }
    unescape(path)?;
    Ok(url)
}

/// Splits the text into scheme and rest.
fn scheme(text: &str) -> Result<(&str, &str), String> {
    let is_more = |(index, c): (usize, char)| index > 0 && (c.is_ascii_digit() || "+-.".contains(c));
    let end = text.char_indices().find(|&(index, c)| !(c.is_ascii_alphabetic() || is_more((index, c))));
    match end {
        Some((0, ':')) => Err("it has no scheme before its first `:`".to_owned()),
        Some((_, ':')) => Ok(text.split_once(':').unwrap_or(("", text))),
        _ => Ok(("", text)),
    }
}

/// Decodes and checks a host.
fn host(host: &str) -> Result<String, String> {
    if let Some(open) = host.rfind('[') {
        let Some(close) = host.rfind(']').filter(|_| open == 0) else {
            return Err("its `[` does not begin an IPv6 address".to_owned());
        };
        let (inner, port) = (host.get(1..close).unwrap_or_default(), host.get(close + 1..).unwrap_or_default());
        check_port(port)?;
        let zone = inner.find("%25").unwrap_or(inner.len());
        let (name, zone) = inner.split_at(zone);
        let inner = unescape_host(name, false)? + &unescape_host(zone, true)?;
        if !inner.contains(':') || address_with_zone(&inner).is_none() {
            return Err(format!("[{inner}] is not an IPv6 address"));
        }
        return Ok(format!("[{inner}]{port}"));
    }
    // Several colons are accepted before the port, as in programs with `go 1.25` or lower in go.mod.
    if let Some(colon) = host.rfind(':') {
        check_port(host.get(colon..).unwrap_or_default())?;
    }
    unescape_host(host, false)
}

fn check_port(port: &str) -> Result<(), String> {
    let number = port.strip_prefix(':').unwrap_or(port);
    let is_port = port.is_empty() || port.starts_with(':') && number.bytes().all(|b| b.is_ascii_digit());
    if is_port { Ok(()) } else { Err(format!("`{number}` is not a port")) }
}

fn check_user(user: &str) -> Result<(), String> {
    match user.chars().find(|c| !(c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(*c))) {
        Some(c) => Err(format!("`{c}` is not allowed in a user or a password; write it as %XX")),
        None => unescape(user).map(drop),
    }
}

/// Decodes `%XX`; an error for a `%` without two hexadecimal digits.
fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|b| char::from(b).to_digit(16)).and_then(|d| u8::try_from(d).ok());
        let (Some(high), Some(low)) = (digit(), digit()) else {
            return Err("a `%` is not followed by two hexadecimal digits; write `%25` for a percent sign".to_owned());
        };
        bytes.push(high << 4 | low);
    }
    Ok(bytes)
}

/// Decodes a host name: `%XX` is allowed only for non-ASCII bytes; in a zone also for characters that a host may
/// contain, and for blanks.
fn unescape_host(text: &str, zone: bool) -> Result<String, String> {
    let is_allowed = |b: u8| !b.is_ascii() || b.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"".contains(&b);
    let mut pieces = text.split('%');
    let plain = pieces.next().unwrap_or_default();
    let after_codes = pieces.map(|piece| piece.get(2..).unwrap_or_default());
    if let Some(b) = [plain].into_iter().chain(after_codes).flat_map(str::bytes).find(|b| !is_allowed(*b)) {
        return Err(format!("`{}` is not allowed in a host name", char::from(b)));
    }
    let bytes = unescape(text)?;
    let is_coded = |code: &str| match u8::from_str_radix(code, 16) {
        Ok(0x25) => true,
        Ok(b) if zone => b == b' ' || is_allowed(b),
        Ok(b) => b >= 0x80,
        Err(_) => false,
    };
    let mut codes = text.split('%').skip(1).map(|piece| piece.get(..2).unwrap_or_default());
    match codes.find(|code| !is_coded(code)) {
        Some(code) => Err(format!("`%{code}` is not allowed in a host name")),
        None => Ok(String::from_utf8_lossy(&bytes).into_owned()),
    }
}
