//! What is said of the mirror's own host: how Crossplane reaches it, and whether it takes its name.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::crossplane::Style;
use super::writer::Writer;
use crate::catalog::local_is_https_since;
use crate::image::may_be_http;
use crate::rule::{self, Severity};
use crate::yaml::Path;

/// The first Crossplane that looks at the form of `spec.package`.
const QUALIFIED_NAMES: &str = "v2.0.0";

/// What `spec.package` has to be.
/// Source: crossplane/crossplane@v2.3.4 `apis/pkg/v1/package_types.go`.
static QUALIFIED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^[^\./]+(\.[^\./]+)+(/[^/:@]+)+(:[^:@]+(@sha256.+)?|@sha256.+)$").ok());

/// Says what is odd about the hosts that rules lead to.
pub(super) fn report(writer: &mut Writer<'_>) {
    let mut said = BTreeSet::new();
    for (index, own) in writer.rules.config.mirror.spec.rules.iter().enumerate() {
        let place = writer.rules.config.place_of(&Path::dotted("spec.rules").item(index).key("to"));
        let host = own.to.split('/').next().unwrap_or_default();
        if !said.insert(host) {
            continue;
        }
        if own_pod(host) {
            let message = format!(
                "{place}: `{host}` is each pod itself: Crossplane's core would look for the registry in its own pod. Name it as pods reach it"
            );
            writer.say(Severity::Warning, rule::PACKAGE_REGISTRY, message, None);
        }
        if may_be_http(host, true) && !may_be_http(host, false) {
            let message = format!(
                "{place}: Crossplane reaches hosts below `.local` by HTTP too, and from {} on by HTTPS alone, so an upgrade ends plain HTTP: \
                 `{host}` needs TLS then, or a name that is an address of 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16",
                local_is_https_since().join(", ")
            );
            writer.say(Severity::Warning, rule::PACKAGE_REGISTRY, message, None);
        }
        let looks = writer.core.version().has(QUALIFIED_NAMES) != Some(false);
        let is_taken = QUALIFIED.as_ref().is_none_or(|form| form.is_match(&format!("{}/package:v1", own.to)));
        if writer.style == Style::Rewrite && looks && !is_taken {
            let message = format!(
                "{place}: Crossplane from {QUALIFIED_NAMES} on refuses a `spec.package` whose host has no dot, and `{host}` has none; name the registry with its \
                 domain or by its IPv4 address, or use style ImageConfig"
            );
            writer.say(Severity::Error, rule::PACKAGE_REGISTRY, message, None);
        }
    }
}

/// Whether a host is the pod that asks.
fn own_pod(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    name == "localhost" || name.ends_with(".localhost") || name.starts_with("127.") || name == "[::1]"
}
