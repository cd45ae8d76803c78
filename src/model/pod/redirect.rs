//! Containers that redirect the traffic of their pod, or wait for the redirect. A redirecting container rewrites the
//! packet filter or the routes of its network namespace: of the pod in the pod network, of the node on the host
//! network.

use crate::catalog::{
    redirect_parts, redirect_validator, redirect_variable, redirect_word, redirector, validator_by_words,
};
use lossless_yaml::{NodeRef, Path};
use oci::name::ImageRef;

/// A container that redirects traffic, or waits for the redirect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// Path of the container.
    pub path: Path,
    /// Container name.
    pub container: String,
    /// True for a container in `initContainers`.
    pub is_init: bool,
    /// True if the container waits until a CNI plugin redirects the traffic.
    pub waits: bool,
    /// Evidence that the container redirects traffic, for messages.
    pub shown: Box<str>,
}

/// Containers of a pod spec that redirect traffic or wait for a redirect: containers in the catalogue, and containers
/// with the privilege (`NET_ADMIN`, privileged) and a redirect command.
pub(in crate::model) fn redirects(spec: NodeRef<'_, '_>, path: &Path) -> Vec<Redirect> {
    let mut found = Vec::new();
    for list in ["initContainers", "containers"] {
        for (index, node) in spec.get(list).into_iter().flat_map(NodeRef::items).enumerate() {
            let text = |key: &str| node.get(key).and_then(NodeRef::text).unwrap_or_default();
            let (name, image) = (text("name"), ImageRef::split(text("image")).name);
            let by_name = redirect_validator(name, image);
            // A container that redirects traffic may validate it too.
            let redirects = if by_name.is_none() { redirect_evidence(node, name, image) } else { None };
            let waits = redirects.is_none();
            let waiting = || by_name.or_else(|| validator_by_words(&command_words(node)));
            let shown = redirects.or_else(|| Some(format!("it is {}'s", waiting()?).into()));
            let Some(shown) = shown else { continue };
            let path = path.key(list).named_item(index, Some(name).filter(|name| !name.is_empty()));
            found.push(Redirect { path, container: name.to_owned(), is_init: list == "initContainers", waits, shown });
        }
    }
    found
}

/// Evidence that the container redirects the traffic of its pod: a known program, or the privilege and the words of a
/// redirect.
fn redirect_evidence(node: NodeRef<'_, '_>, name: &str, image: &str) -> Option<Box<str>> {
    if let Some(owner) = redirector(name, image) {
        return Some(format!("it is {owner}'s").into());
    }
    let privilege = redirect_privilege(node)?;
    let texts = commands(node);
    let word = redirect_word(&texts.iter().flat_map(|text| words(text)).collect::<Vec<_>>())
        .or_else(|| redirect_word(&redirect_parts(image).collect::<Vec<_>>()))
        .or_else(|| variable(node))
        .map(str::to_owned);
    let word = word.or_else(|| parameter(&texts))?;
    Some(format!("`{word}`, and it {privilege}").into())
}

/// Texts that the container runs: command, arguments, lifecycle hooks, and variables that these expand.
fn commands<'t>(node: NodeRef<'t, '_>) -> Vec<&'t str> {
    let list = |node: Option<NodeRef<'t, '_>>| node.into_iter().flat_map(NodeRef::items).filter_map(NodeRef::text);
    let mut texts: Vec<&str> = list(node.get("command")).chain(list(node.get("args"))).collect();
    for hook in ["postStart", "preStop"] {
        let exec = node.get("lifecycle").and_then(|lifecycle| lifecycle.get(hook)?.get("exec")?.get("command"));
        texts.extend(list(exec));
    }
    let entries = node.get("env").into_iter().flat_map(NodeRef::items);
    let expanded = entries.filter_map(|entry| {
        let (name, value) = (entry.get("name")?.text()?, entry.get("value")?.text()?);
        let forms = [format!("$({name})"), format!("${{{name}}}"), format!("${name}")];
        texts.iter().any(|text| forms.iter().any(|form| text.contains(form))).then_some(value)
    });
    let expanded: Vec<&str> = expanded.collect();
    texts.extend(expanded);
    texts
}

/// Kernel parameter of the network that the commands set: an assignment among the arguments of `sysctl`, or a file of
/// `/proc/sys/net` that they write.
///
/// Source: procps' sysctl(8), which takes several `variable=value`, with and without `-w`; torvalds/linux
/// Documentation/admin-guide/sysctl/net.rst.
fn parameter(texts: &[&str]) -> Option<String> {
    let (mut sets, mut writes) = (false, false);
    for word in texts.iter().flat_map(|text| plain_words(text)) {
        let is_net = word.starts_with("net.") || word.starts_with("net/");
        match word.rsplit_once('>').map_or((writes, word), |(_, path)| (true, path)) {
            (true, path) if path.contains("/proc/sys/net/") => return Some(path.to_owned()),
            _ if sets && is_net && word.contains('=') => return Some(format!("sysctl {word}")),
            _ => {}
        }
        sets |= word.rsplit('/').next() == Some("sysctl");
        writes = word.ends_with('>') || word == "tee" || writes && word.starts_with('-');
    }
    None
}

/// Variable of the container that makes its program redirect.
fn variable(node: NodeRef<'_, '_>) -> Option<&'static str> {
    let mut entries = node.get("env").into_iter().flat_map(NodeRef::items);
    entries.find_map(|entry| redirect_variable(entry.get("name")?.text()?, entry.get("value")?.text()?))
}

/// Parts of the words of the command and the arguments.
fn command_words<'t>(node: NodeRef<'t, '_>) -> Vec<&'t str> {
    let list = |key: &str| node.get(key).into_iter().flat_map(NodeRef::items).filter_map(NodeRef::text);
    list("command").chain(list("args")).flat_map(words).collect()
}

/// Privilege that lets a container rewrite its iptables rules; `None` without this privilege.
fn redirect_privilege(node: NodeRef<'_, '_>) -> Option<&'static str> {
    let context = node.get("securityContext")?;
    if context.get("privileged").and_then(NodeRef::as_bool) == Some(true) {
        return Some("is privileged");
    }
    let added = context.get("capabilities").and_then(|capabilities| capabilities.get("add"));
    let mut added = added.into_iter().flat_map(NodeRef::items).filter_map(NodeRef::text);
    let grants =
        |name: &str| ["NET_ADMIN", "CAP_NET_ADMIN", "ALL"].iter().any(|known| known.eq_ignore_ascii_case(name));
    added.any(grants).then_some("has NET_ADMIN")
}

/// Words of an argument or a script without comments.
fn plain_words(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(|line| match line.find(" #") {
        _ if line.starts_with('#') => "",
        Some(comment) => line.get(..comment).unwrap_or(line),
        None => line,
    });
    lines.flat_map(|line| line.split(|c: char| c.is_whitespace() || "'\"`;|&(){}".contains(c)))
}

/// Words of an argument or a script, without comments and without words that are no redirect: switches that are off
/// (`--iptables=false`, `--no-iptables`). Of kernel parameters (`net.bridge.bridge-nf-call-iptables`) only the first part
/// counts.
fn words<'t>(text: &'t str) -> impl Iterator<Item = &'t str> {
    let parts = |word: &'t str| redirect_parts(word).take(if is_parameter(word) { 1 } else { usize::MAX });
    plain_words(text).filter(|word| !is_off(word)).flat_map(parts)
}

/// True for a word with the name of a kernel parameter.
fn is_parameter(word: &str) -> bool {
    ["net.", "net/", "proc/sys"].iter().any(|part| word.contains(part))
}

/// True for a word that disables a feature: `x=false`, `--no-x`.
fn is_off(word: &str) -> bool {
    let off = ["false", "no", "none", "off", "0", "disabled"];
    word.split_once('=').is_some_and(|(_, value)| off.iter().any(|off| off.eq_ignore_ascii_case(value)))
        || ["--no-", "--disable-", "--skip-", "--without-"].iter().any(|start| word.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lossless_yaml::Tree;

    fn found(container: &str) -> Option<String> {
        let text = format!("{{initContainers: [{container}]}}");
        let tree = Tree::parse(&text).unwrap();
        redirects(tree.root(0).unwrap(), &Path::root()).pop().map(|redirect| redirect.shown.into())
    }

    fn with_power(fields: &str) -> Option<String> {
        found(&format!("{{name: a, securityContext: {{privileged: true}}, {fields}}}"))
    }

    #[test]
    fn redirecting_commands_are_found_in_any_position() {
        for fields in [
            "args: [istio-iptables, -p, '15001']",
            "command: [/usr/sbin/iptables-restore]",
            "command: [sh, -c, 'set -e; iptables -t nat -A OUTPUT -j REDIRECT']",
            "command: [ip, rule, add, fwmark, '1']",
            "image: example/iptables-init:v1",
            "args: [--firewall-bin-path=ip6tables-nft]",
            "command: [sysctl, -w, net.core.somaxconn=1024]",
            "command: [sh, -c, 'sysctl -q -w net.ipv4.tcp_tw_reuse=1']",
            "command: [sh, -c, 'tc qdisc add dev eth0 root netem delay 10ms']",
            "command: [sh, -c, 'ip link add dummy0 type dummy && ip addr add 10.1.1.1/32 dev dummy0']",
            "image: 'qmcgaw/gluetun:v3'",
            "image: 'lscr.io/linuxserver/wireguard:1.0'",
            "env: [{name: TS_USERSPACE, value: 'false'}]",
            "lifecycle: {postStart: {exec: {command: [sh, -c, 'iptables -A INPUT -j DROP']}}}",
            "command: [sh, -c, $(SETUP)], env: [{name: SETUP, value: 'iptables -A INPUT -j DROP'}]",
            "command: [sh, -c, '$SETUP'], env: [{name: SETUP, value: 'ip route add default via 10.0.0.1'}]",
            "command: [sh, -c, 'sysctl -w vm.max_map_count=262144 net.core.somaxconn=1024']",
            "command: [sysctl, -w, vm.max_map_count=262144, net.core.somaxconn=1024]",
            "command: [sh, -c, 'sysctl net.core.somaxconn=1024']",
            "command: [/sbin/sysctl, -q, -e, net/ipv4/ip_forward=0]",
            "command: [sh, -c, 'echo 10000 > /proc/sys/net/core/somaxconn']",
            "command: [sh, -c, 'echo 1 >/proc/sys/net/ipv4/ip_forward']",
            "command: [sh, -c, 'echo 1 | tee -a /host/proc/sys/net/ipv4/ip_forward']",
            "command: [sh, -c, 'echo 1 > /proc/sys/net/bridge/bridge-nf-call-iptables']",
            "image: 'kylemanna/openvpn:2.4'",
            "command: [openvpn, --config, /vpn/client.ovpn]",
            "image: 'ghcr.io/wg-easy/wg-easy:14'",
            "command: [ipsec, start, --nofork]",
            "image: 'strongx509/strongswan:5.9'",
            "command: [sh, -c, 'echo $PW | openconnect --passwd-on-stdin vpn.example.com']",
            "image: 'netbirdio/netbird:0.40'",
            "command: [zerotier-one, -d]",
            "image: 'example/warp:1', command: [warp-svc]",
            "command: [sh, -c, 'route add default gw 10.0.0.1']",
        ] {
            assert!(with_power(fields).is_some(), "{fields}");
        }
    }

    #[test]
    fn other_commands_do_not_count_as_redirects() {
        for fields in [
            "command: [sysctl, net.bridge.bridge-nf-call-iptables]",
            "command: [sysctl, -w, vm.max_map_count=262144]",
            "env: [{name: TS_USERSPACE, value: 'true'}]",
            "command: [ip, link, show]",
            "command: [tc, qdisc, show]",
            "command: [wg-quick, strip, wg0]",
            "command: [sh, -c, 'sysctl -w vm.max_map_count=262144; curl example.com?net.a=1']",
            "command: [sh, -c, 'sysctl -a; cat /proc/sys/net/core/somaxconn > /tmp/a']",
            "command: [app, net.core.somaxconn=1]",
            "command: [sh, -c, 'sysctl net.core.somaxconn']",
            "command: [app], env: [{name: SETUP, value: 'iptables -A INPUT -j DROP'}]",
            "command: [ipsec, status]",
            "args: [--iptables=false]",
            "args: [--disable-iptables]",
            "command: [sh, -c, \"# needs no iptables\\nwireguard # nor iptables\"]",
            "command: [ip, route, show]",
            "command: [route, -n]",
            "command: [zerotier-cli, listnetworks]",
            "image: 'netbirdio/management:0.40'",
            "image: example/nft-shop",
            "image: registry/web:iptables",
        ] {
            assert_eq!(with_power(fields), None, "{fields}");
        }
    }
}
