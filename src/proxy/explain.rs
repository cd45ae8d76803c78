//! Decides for one host and one `NO_PROXY` whether Go connects directly or through the proxy, with the reason.

use std::net::IpAddr;

use super::functions::{compares, matcher, reader};
use super::list::{entries, is_open, never_matches};
use crate::catalog::{Compares, FUNCTION_PORT, is_public_registry};
use crate::version::ProgramVersion;
use go_no_proxy::{Decision, DirectReason, Environment, Matcher, NoProxy};

/// The form of a host on the command line; a gRPC target has a resolver prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A host without resolver prefix.
    Plain,
    /// `http://HOST` or `https://HOST`; functions have no such address.
    Url,
    /// `dns:///HOST`, as Crossplane writes the endpoint of a function.
    Dns,
    /// `passthrough:///HOST`
    Passthrough,
}

impl Target {
    /// Splits the resolver from a host; the error describes the correct form.
    ///
    /// Source: grpc/grpc `doc/naming.md`: `dns:[//authority/]host[:port]`.
    ///
    /// ```
    /// use hostnet::proxy::Target;
    /// assert_eq!(Target::split("dns:///fn.ns:9443"), Ok((Target::Dns, "fn.ns:9443")));
    /// assert_eq!(Target::split("fn.ns:9443"), Ok((Target::Plain, "fn.ns:9443")));
    /// assert!(Target::split("dns://fn.ns:9443").is_err());
    /// ```
    pub fn split(text: &str) -> Result<(Self, &str), String> {
        let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
        let target = match scheme {
            "dns" => Self::Dns,
            "passthrough" => Self::Passthrough,
            "http" | "https" => return Ok((Self::Url, text)),
            _ => return Ok((Self::Plain, text)),
        };
        match rest.split_once('/') {
            Some((_authority, host)) if !host.is_empty() => Ok((target, host)),
            Some(_) => Err(format!("`{text}` names no host; write {scheme}:///HOST:PORT")),
            None => Err(format!("gRPC reads `{rest}` as a name server; write {scheme}:///{rest}")),
        }
    }

    /// The note about proxies and this form; `None` for a plain host and a URL.
    fn note(self, crossplane: Option<&ProgramVersion>) -> Option<String> {
        match self {
            Self::Plain | Self::Url => None,
            Self::Dns if crossplane.is_some() => None,
            Self::Dns => Some(
                "`dns:///` is a target of gRPC: grpc-go before v1.71.0, in Crossplane up to v1.19, compares NO_PROXY with the address of the name. \
                 Give `--crossplane VERSION` for a function"
                    .to_owned(),
            ),
            Self::Passthrough => Some(
                "`passthrough:///` is a target of gRPC that every grpc-go compares by name. Crossplane dials functions by `dns:///`, and no setting \
                 changes that"
                    .to_owned(),
            ),
        }
    }
}

/// A host as given by the user: `HOST`, `HOST:PORT`, `[IPV6]:PORT`, or one of these after `http://` or `https://`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// `http` for `http://`, else `https`.
    pub scheme: &'static str,
    /// The host name or address, without brackets.
    pub name: String,
    /// The port; `None` for a text without port.
    pub port: Option<u16>,
}

impl Host {
    /// Reads a host; the error describes the correct form.
    ///
    /// ```
    /// use hostnet::proxy::Host;
    /// let host = Host::read("function-x.crossplane-system:9443").unwrap();
    /// assert_eq!((host.name.as_str(), host.port), ("function-x.crossplane-system", Some(9443)));
    /// assert_eq!(Host::read("[fd00::1]:443").unwrap().name, "fd00::1");
    /// assert!(Host::read("a:b:c").is_err());
    /// ```
    pub fn read(text: &str) -> Result<Self, String> {
        let (scheme, rest) = match text.split_once("://") {
            Some(("http", rest)) => ("http", rest),
            Some(("https", rest)) => ("https", rest),
            Some((scheme, _)) => {
                return Err(format!("`{scheme}` has no proxy variable; use http:// or https://, or omit the scheme"));
            }
            None => ("https", text),
        };
        let rest = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let wrong = || format!("`{text}` is not a host; write HOST, HOST:PORT or [IPV6]:PORT");
        let (name, port) = match rest.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
            Some((name, after)) => (name, after.strip_prefix(':').or(after.is_empty().then_some(""))),
            None if rest.parse::<IpAddr>().is_ok() => (rest, Some("")),
            None => rest.split_once(':').map_or((rest, Some("")), |(name, port)| (name, Some(port))),
        };
        let port = match port.ok_or_else(wrong)? {
            "" => None,
            port => Some(port.parse().ok().filter(|port| *port > 0).ok_or_else(|| {
                format!("`{port}` is not a port: expected a number from 1 to 65535, and an IPv6 address in brackets")
            })?),
        };
        let is_blank = |c: char| c.is_whitespace() || c == ',';
        if name.is_empty() || name.contains(is_blank) || name.contains(['[', ']', '@']) {
            return Err(wrong());
        }
        Ok(Self { scheme, name: name.to_owned(), port })
    }

    fn is_address(&self) -> bool {
        self.name.split('%').next().is_some_and(|ip| ip.parse::<IpAddr>().is_ok())
    }

    /// The address that Crossplane's core dials if this host is a function: `SERVICE.NAMESPACE`, also for
    /// `SERVICE.NAMESPACE.svc` with or without the cluster domain. `None` for another port or scheme, an IP address,
    /// or a name of another form.
    fn as_function(&self) -> Option<Self> {
        let port = self.port.is_none_or(|port| port == FUNCTION_PORT);
        if !port || self.scheme != "https" || self.is_address() {
            return None;
        }
        let mut labels = self.name.split('.');
        let (service, namespace) = (labels.next()?, labels.next()?);
        let is_one = !service.is_empty() && !namespace.is_empty() && labels.next().is_none_or(|next| next == "svc");
        is_one.then(|| Self { name: format!("{service}.{namespace}"), ..self.clone() })
    }
}

/// The result of [`explain`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// `direct`, `proxy`, `unknown`, or `proxy unless the pods' CIDR is listed`.
    pub answer: &'static str,
    /// The reason, with the matching entry, if any.
    pub why: String,
    /// Further notes about the list and the host.
    pub notes: Vec<String>,
}

/// Decides whether a Go program with this `NO_PROXY` connects directly to a host when a proxy is set for its scheme.
/// With a Crossplane version, a host that may be a function is evaluated as Crossplane's core dials it.
pub fn explain(target: Target, host: &Host, list: &str, crossplane: Option<&ProgramVersion>) -> Explained {
    let may_be_function = match target {
        Target::Plain => !is_public_registry(&host.name),
        Target::Dns => true,
        Target::Url | Target::Passthrough => false,
    };
    let function = crossplane.filter(|_| may_be_function).and_then(|_| host.as_function());
    let core = crossplane.filter(|_| function.is_some());
    let (given, host) = (host, function.as_ref().unwrap_or(host));
    let port = match (host.port, core) {
        (Some(port), _) => port.to_string(),
        (None, Some(_)) => FUNCTION_PORT.to_string(),
        (None, None) => if host.scheme == "http" { "80" } else { "443" }.to_owned(),
    };
    let shown =
        if host.name.contains(':') { format!("[{}]:{port}", host.name) } else { format!("{}:{port}", host.name) };
    let mut notes: Vec<String> = target.note(crossplane).into_iter().collect();
    for entry in entries(list) {
        notes.extend(never_matches(entry).map(|why| format!("the entry `{entry}` never matches: {why}")));
    }
    if let Some(version) = crossplane.filter(|version| host.is_address() && compares(version) == Some(Compares::Names))
    {
        notes.push(format!(
            "{} compares NO_PROXY with a function's name, and never with its address: use SERVICE.NAMESPACE:{FUNCTION_PORT}",
            reader(version)
        ));
    }
    if given != host {
        notes.push(format!(
            "Crossplane dials {}:{FUNCTION_PORT}, not {}; the answer is for the name that Crossplane dials",
            host.name, given.name
        ));
    } else if crossplane.is_some() && core.is_none() && !host.is_address() && target != Target::Passthrough {
        notes.push(format!(
            "{shown} is not the form by which Crossplane dials a function, SERVICE.NAMESPACE:{FUNCTION_PORT}: it is \
             judged like any other host"
        ));
    }
    let matcher = crossplane.map_or(Matcher::Newest, matcher);
    let all = NoProxy::read(list, matcher);
    if let Some(version) = core.filter(|version| compares(version) == Some(Compares::Addresses) && !all.is_all()) {
        let ranges: Vec<&str> = all.ranges().collect();
        let listed = match ranges.as_slice() {
            [] => "no range is listed".to_owned(),
            ranges => format!("listed are {}", ranges.join(", ")),
        };
        let why =
            format!("{} compares NO_PROXY only with the address of the function's pod; {listed}", reader(version));
        return Explained { answer: "proxy unless the pods' CIDR is listed", why, notes };
    }
    let proxy = "http://proxy";
    let environment = Environment { http_proxy: proxy, https_proxy: proxy, no_proxy: list, matcher };
    let (answer, why) = match environment.decide(host.scheme, &host.name, &port) {
        Decision::Direct(because) => ("direct", direct_reason_text(&because, &shown)),
        Decision::Proxy(_) => match entries(list).find(|entry| is_open(entry)) {
            Some(entry) => {
                ("unknown", format!("no other entry matches {shown}, and the value of `{entry}` is not known"))
            }
            None => ("proxy", format!("no entry matches {shown}")),
        },
    };
    let by = core.filter(|_| !all.is_all()).map(|version| match compares(version) {
        Some(_) => format!("; {} compares the name that it dials", reader(version)),
        None => "; an unknown version of Crossplane is treated as the newest, which compares the name that it dials"
            .to_owned(),
    });
    Explained { answer, why: why + &by.unwrap_or_default(), notes }
}

fn direct_reason_text(because: &DirectReason<'_>, host: &str) -> String {
    match because {
        DirectReason::Entry(entry) => format!("the entry `{entry}` matches {host}"),
        DirectReason::Local => format!("{host} is local, and local hosts are always reached directly"),
        DirectReason::NoProxyVariable | DirectReason::UnreadableProxy(_) => "no proxy is set".to_owned(),
        DirectReason::NoHost => format!("{host} is not a host that Go can parse"),
    }
}
