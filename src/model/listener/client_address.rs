//! Addresses at which clients reach the process: they change together with its port, and never set it.

use crate::model::pod::{AddressOwner, Container};
use crate::model::setting::{PortSetting, Setting};
use crate::model::text::{Form, Name, variable_in_host};

/// Schemes of URLs that clients dial. Programs listen at `tcp://` and `udp://` too.
const DIALLED_SCHEMES: [&str; 6] = ["http", "https", "ws", "wss", "grpc", "grpcs"];

/// True if a text of a container is an address that clients dial or that the program announces, by the words of its
/// name, the scheme of a URL and the host before the number. `setting` is the flag or variable with the text, if known.
pub fn is_client_address(container: &Container, setting: Option<&Setting>, place: &PortSetting) -> bool {
    let name = Name::new(&place.name);
    if name.is_advertised() {
        return true;
    }
    if name.contains_listen() || place.form == Form::Bare {
        return false;
    }
    let (scheme, host) = scheme_and_host(setting, place);
    let is_url = DIALLED_SCHEMES.contains(&scheme.to_ascii_lowercase().as_str());
    let is_pod_ip = || {
        let variable = variable_in_host(host).and_then(|name| container.env_var(name));
        variable.is_some_and(|(_, var)| var.ip == Some(AddressOwner::Pod))
    };
    if is_url && !name.has_listen_urls() {
        return !matches!(host, "" | "+" | "*");
    }
    match place.form {
        Form::Loopback => name.is_dialled() || name.has_server_word(),
        _ => name.is_dialled() && is_pod_ip(),
    }
}

/// Returns the scheme and the host of the address with the port number: from the text before the number, or from the
/// value of the setting if the number is the value of a variable.
fn scheme_and_host<'t>(setting: Option<&'t Setting>, place: &'t PortSetting) -> (&'t str, &'t str) {
    let before = place.place.text.get(..place.place.range.start).unwrap_or_default();
    let is_end = |c: char| matches!(c, ',' | ';' | '=' | '"' | '\'') || c.is_whitespace();
    let item = before.rsplit(is_end).next().and_then(|item| item.strip_suffix(':'));
    let value = || setting?.value.as_deref()?.split(is_end).next()?.trim_end_matches('/').rsplit_once(':');
    let address = item.or_else(|| value().map(|(address, _)| address)).unwrap_or_default();
    address.split_once("://").unwrap_or(("", address))
}
