//! Flags and variables of runtimes and agents that set a port in every program.

use std::ops::Range;

use super::data;

/// Placeholder of the address in the form of a value.
const ADDRESS: &str = "{address}";

/// Flag or variable of a runtime or an agent.
#[derive(Debug)]
pub struct RuntimeOption {
    /// Name, in which `*` stands for any text.
    pub name: &'static str,
    /// Role of the listener.
    pub role: &'static str,
    /// Name of an undeclared port.
    pub port: &'static str,
    /// Form of a value that has more than the address.
    pub value: Option<&'static str>,
}

/// First option of a runtime with this name.
pub fn runtime_option(name: &str) -> Option<&'static RuntimeOption> {
    data::RUNTIME_OPTIONS.iter().find(|option| option.has_name(name))
}

/// Range of the address in the value of an option of a runtime that has more than the address.
pub fn address_in_option(name: &str, value: &str) -> Option<Range<usize>> {
    let mut named = data::RUNTIME_OPTIONS.iter().filter(|option| option.value.is_some() && option.has_name(name));
    named.find_map(|option| option.address_in(value))
}

impl RuntimeOption {
    /// True if the option has this name.
    fn has_name(&self, name: &str) -> bool {
        // Almost all names differ in the first character, which no option leaves open.
        if self.name.bytes().next() != name.bytes().next() {
            return false;
        }
        let mut parts = self.name.split('*');
        let Some(mut rest) = parts.next().and_then(|start| name.strip_prefix(start)) else { return false };
        let mut parts = parts.peekable();
        if parts.peek().is_none() {
            return rest.is_empty();
        }
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                return rest.ends_with(part);
            }
            let Some((_, after)) = rest.split_once(part) else { return false };
            rest = after;
        }
        false
    }

    /// Range of the address in a value of the form of this option.
    fn address_in(&self, value: &str) -> Option<Range<usize>> {
        let mut address = None;
        for wanted in self.value?.split(',') {
            let Some((before, after)) = wanted.split_once(ADDRESS) else {
                value.split(',').find(|part| *part == wanted)?;
                continue;
            };
            let inside = |part: &str| {
                let rest = part.strip_prefix(before)?;
                let Some((separator, end)) = after.split_once('*') else {
                    return rest.strip_suffix(after).map(str::len);
                };
                rest.strip_suffix(end)?.rsplit_once(separator).map(|(address, _)| address.len())
            };
            let mut start = 0;
            let found = value.split(',').find_map(|part| {
                let at = start + before.len();
                start += part.len() + 1;
                inside(part).map(|len| at..at + len)
            });
            address = Some(found?);
        }
        address
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address<'v>(name: &str, value: &'v str) -> Option<&'v str> {
        address_in_option(name, value).and_then(|range| value.get(range))
    }

    #[test]
    fn the_address_is_a_part_of_the_value() {
        let agent = "-javaagent:/opt/jmx_prometheus_javaagent-1.0.1.jar";
        assert_eq!(address(agent, "9404:/etc/jmx.yaml"), Some("9404"));
        assert_eq!(address(agent, "0.0.0.0:9404:/etc/jmx.yml"), Some("0.0.0.0:9404"));
        assert_eq!(address(agent, "[::]:9404:jmx.yaml"), Some("[::]:9404"));
        assert_eq!(address("-agentlib:jdwp", "transport=dt_socket,server=y,address=*:5005"), Some("*:5005"));
        assert_eq!(address("-agentlib:jdwp", "address=5005,server=y"), Some("5005"));
        assert_eq!(address("-Xrunjdwp:server", "y,address=5005"), Some("5005"));
        assert_eq!(address("-javaagent:/jacocoagent.jar", "port=6300,output=tcpserver"), Some("6300"));
        for (name, value) in [
            (agent, "/etc/jmx.yaml"),
            (agent, "9404"),
            (agent, "server=apm:8200"),
            ("-agentlib:jdwp", "transport=dt_socket,server=n,address=ide:5005"),
            ("-agentlib:jdwp", "transport=dt_socket,address=5005"),
            ("-agentlib:hprof", "server=y,address=5005"),
            ("-javaagent:/jacocoagent.jar", "output=tcpclient,port=6300"),
            ("--inspect", "0.0.0.0:9229"),
        ] {
            assert_eq!(address(name, value), None, "{name}={value}");
        }
    }

    #[test]
    fn runtime_option_names_match_as_a_whole() {
        let role = |name: &str| runtime_option(name).map(|option| option.role);
        assert_eq!(role("--inspect"), Some("pprof"));
        assert_eq!(role("-javaagent:/opt/a.jar"), Some("metrics"));
        for other in ["--inspector", "--no-inspect", "javaagent:/opt/a.jar", "OTEL_EXPORTER_PROMETHEUS_PORTS"] {
            assert_eq!(role(other), None, "{other}");
        }
    }
}
