//! Detects proxies that Go reads differently than intended.

use super::url::proxy_url;

/// The schemes of proxies that Go's HTTP client dials (`net/http.Transport.Proxy`).
const SCHEMES: [&str; 4] = ["http", "https", "socks5", "socks5h"];

/// The reason why Go misreads a proxy, and the correction; `None` if Go reads it as intended. The message never
/// contains the URL, which may hold a password. URLs with `${NAME}` are skipped, since another program substitutes the
/// name.
///
/// ```
/// use go_no_proxy::misread;
/// assert_eq!(misread("http://user:pa%23ss@proxy:3128"), None);
/// assert!(misread("http://user:pa#ss@proxy:3128").unwrap().contains("%23"));
/// ```
pub fn misread(url: &str) -> Option<String> {
    let example = "write one such as `http://proxy.example.com:3128`";
    if url.trim() != url || url.is_empty() {
        return Some(format!("it is empty, or has blanks or line breaks around it; {example}"));
    }
    // Flux substitutes `${NAME}` later.
    if url.contains("${") {
        return None;
    }
    let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
    if !SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()) {
        return Some(format!("`{scheme}` is not the scheme of a proxy; known are {}", SCHEMES.join(", ")));
    }
    let authority = rest.split_once('/').map_or(rest, |(authority, _)| authority);
    let coded =
        "in a user or a password write `#` as %23, `/` as %2F, `@` as %40, `:` as %3A, `?` as %3F and `%` as %25";
    if rest.matches('@').count() > 1 || authority.contains(['#', '?']) || rest.contains('@') && !authority.contains('@')
    {
        return Some(format!("a character of its user or password ends the URL's authority before the `@`: {coded}"));
    }
    let host = authority.rsplit('@').next().unwrap_or_default();
    if host.is_empty() || host.starts_with(':') {
        return Some(format!("it has no host; {example}"));
    }
    if !host.starts_with('[') && host.matches(':').count() > 1 {
        let why = "its host has several colons: write an IPv6 address in brackets, as in `http://[fd00::1]:3128`";
        return Some(why.to_owned());
    }
    let is_number = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
    match proxy_url(url) {
        Ok(parsed) if parsed.port().is_some_and(|port| !is_number(port)) => {
            Some(format!("`{}` is not a port: expected a number from 1 to 65535", parsed.port().unwrap_or_default()))
        }
        Ok(parsed) if parsed.host == host || host.contains('%') => None,
        Ok(_) => Some(format!("`{host}` is not a host with a port; {example}, and {coded}")),
        Err(why) => Some(format!("it is not a URL: {why}; {coded}")),
    }
}
