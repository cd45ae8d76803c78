//! Converts a check to ValidatingAdmissionPolicies: rules that apply to a single object and that the API server does
//! not enforce itself.

use std::collections::{BTreeMap, BTreeSet};

use super::Configs;
use crate::api::{
    ConfigError, Day, FailOn, HostNetworkCheckSpec, HostNetworkConfig, PortRange, Positions, Select, Suppress,
    recorded_owners,
};
use crate::catalog;
use crate::judge::suppress::{IGNORE, has_ended};
use crate::model::index::PLAIN_GROUPS;
use crate::plan::Matcher;
use crate::render::policy::{Action, Kinds, Policy, Unknown, annotation, matching, port_list, text, yaml};
use crate::rule::{DNS_POLICY, HOST_PORT, PORT_CONFLICT, Rule, Severity};
use lossless_yaml::Path;

/// CEL: regular containers of a pod spec `s`.
const REGULAR: &str = "s.?containers.orValue([])";

/// CEL: sidecars of a pod spec `s`.
const SIDECARS: &str = "s.?initContainers.orValue([]).filter(c, c.?restartPolicy.orValue(\"\") == \"Always\")";

/// CEL: containers that run as long as the pod: regular containers and sidecars.
const RUNNING: &str = "(s.?containers.orValue([]) + s.?initContainers.orValue([]).filter(c, c.?restartPolicy.orValue(\"\") == \"Always\"))";

/// CEL: true if a pod spec `s` is for Windows nodes only.
const IS_WINDOWS: &str = "\
(s.?nodeSelector[?\"kubernetes.io/os\"].orValue(\"\") == \"windows\" || s.?os.?name.orValue(\"\") == \"windows\" ||
    [s.?affinity.?nodeAffinity.?requiredDuringSchedulingIgnoredDuringExecution.?nodeSelectorTerms.orValue([])].exists(all,
      all.size() > 0 && all.all(t, t.?matchExpressions.orValue([]).exists(e,
        e.key == \"kubernetes.io/os\" && e.operator == \"In\" && e.?values.orValue([]) == [\"windows\"]))))";

/// Policies that deny violations of a check with these configs, as a YAML stream. Suppressions that end before `today`
/// do not apply.
///
/// # Errors
/// A select with fields that are unavailable to a policy (labels, annotations, callers), or with a pattern that RE2
/// does not support.
pub fn policies(configs: &Configs, today: Day) -> Result<String, ConfigError> {
    let default = HostNetworkCheckSpec::default();
    let check = configs.check.as_ref();
    let spec = check.map_or(&default, |config| &config.check.spec);
    let host_network = configs.host_network.as_ref();
    let kinds = Kinds::new(host_network.map_or(&[], |config| &config.host_network.spec.templates));
    let mut accepted = AcceptedByConfig { spec, today, rows: Vec::new(), common: common(&kinds) };
    if let Some(config) = check {
        accepted.select(config)?;
        accepted.suppress(&spec.suppress, config)?;
    }
    if let Some(config) = host_network {
        accepted.suppress(&config.host_network.spec.suppress, config)?;
    }
    let mut found: Vec<Policy> = Vec::new();
    found.extend(accepted.policy(DNS_POLICY, Severity::Warning, || dns_policy(&kinds)));
    let ports = accepted.ports(HOST_PORT);
    for (containers, severity, what) in [(REGULAR, Severity::Error, ""), (SIDECARS, Severity::Warning, "-sidecars")] {
        let policy = accepted.policy(HOST_PORT, severity, || host_port(&kinds, containers, &ports));
        found.extend(policy.map(|policy| Policy { name: format!("{}{what}.hostnet.dev", HOST_PORT.id), ..policy }));
    }
    if let Some(config) = host_network.filter(|config| !config.host_network.spec.assigned.is_empty()) {
        let assigned = || assigned(&kinds, config, &accepted.ports(PORT_CONFLICT));
        found.extend(accepted.policy(PORT_CONFLICT, Severity::Warning, assigned));
    }
    Ok(yaml(&found, &kinds))
}

/// Match conditions of every policy.
fn common(kinds: &Kinds) -> Vec<(String, String)> {
    let all = [
        ("holds-pods", kinds.condition()),
        ("is-not-made-by-another", format!("!{}", kinds.owned_by_checked_kind_expression())),
        ("is-not-deleted", "!has(object.metadata.deletionTimestamp)".to_owned()),
        ("has-changed", format!("oldObject == null ||\n{}", kinds.templates_differ())),
    ];
    all.into_iter().map(|(name, expression)| (name.to_owned(), expression)).collect()
}

/// Exclusions and suppressions of the configs, for CEL expressions that skip the accepted objects.
struct AcceptedByConfig<'c> {
    spec: &'c HostNetworkCheckSpec,
    today: Day,
    common: Vec<(String, String)>,
    rows: Vec<ActiveSuppression<'c>>,
}

/// An active entry of `suppress`.
struct ActiveSuppression<'c> {
    suppress: &'c Suppress,
    matching: String,
}

impl<'c> AcceptedByConfig<'c> {
    /// Adds the conditions of `select` and `exclude`.
    fn select(&mut self, config: &impl Positions) -> Result<(), ConfigError> {
        for (key, list, is_not) in [("select", &self.spec.select, ""), ("exclude", &self.spec.exclude, "!")] {
            let path = Path::dotted("spec").key(key);
            let all = list.iter().enumerate().map(|(index, select)| expression(select, config, &path.item(index)));
            let all: Vec<String> = all.collect::<Result<_, _>>()?;
            if !all.is_empty() {
                let any: Vec<String> = all.iter().map(|one| format!("({one})")).collect();
                self.common.push((format!("{key}s"), format!("{is_not}({})", any.join(" || "))));
            }
        }
        Ok(())
    }

    /// Adds the suppressions of the config.
    fn suppress(&mut self, list: &'c [Suppress], config: &impl Positions) -> Result<(), ConfigError> {
        let known = [DNS_POLICY.id, HOST_PORT.id, PORT_CONFLICT.id];
        for (index, suppress) in list.iter().enumerate() {
            if !known.contains(&suppress.rule.as_str()) || has_ended(suppress, self.today) {
                continue;
            }
            let path = Path::dotted("spec.suppress").item(index).key("select");
            let matching = expression(&suppress.select, config, &path)?;
            self.rows.push(ActiveSuppression { suppress, matching });
        }
        Ok(())
    }

    /// CEL: true if a port `n` is accepted in an object, according to suppressions that list ports.
    fn ports(&self, rule: Rule) -> String {
        let own = "(variables.ignored.matches(\"^[ 0-9,]+:\\\\s*\\\\S\") && \
                   variables.ignored.split(\":\")[0].split(\",\").exists(t, t.trim() == string(n)))"
            .to_owned();
        let rows = self.rows.iter().filter(|row| row.suppress.rule == rule.id && !row.suppress.ports.is_empty());
        let rows = rows.map(|row| {
            let ports = port_list(row.suppress.ports.iter().map(|port| port.get()));
            format!("({} && n in {ports})", row.matching)
        });
        let all: Vec<String> = std::iter::once(own).chain(rows).collect();
        all.join(" ||\n      ")
    }

    /// The policy of a rule, or `None` if the config disables it; `severity` is the severity of the check's findings.
    fn policy(&self, rule: Rule, severity: Severity, cel_rule: impl FnOnce() -> CelRule) -> Option<Policy> {
        let severity = match self.spec.rules.get(rule.id) {
            Some(given) => given.severity()?,
            None => severity,
        };
        let action = match (self.spec.fail_on, severity) {
            (FailOn::Error | FailOn::Warning, Severity::Error) | (FailOn::Warning, Severity::Warning) => Action::Deny,
            (_, Severity::Info) => Action::Audit,
            _ => Action::Warn,
        };
        let mut conditions = self.common.clone();
        let ignored = annotation(&format!("{IGNORE}{}", rule.id));
        // With leading ports, as in `8080: reason`, the annotation accepts only these ports.
        let accepts = format!("{ignored} == \"\" || {ignored}.matches(\"^[ 0-9,]+:\")");
        conditions.push(("is-not-ignored".to_owned(), accepts));
        let rows = self.rows.iter().filter(|row| row.suppress.rule == rule.id && row.suppress.ports.is_empty());
        conditions.extend(
            rows.enumerate().map(|(index, row)| (format!("is-not-suppressed-{index}"), format!("!({})", row.matching))),
        );
        let CelRule { mut variables, validation, message } = cel_rule();
        variables.push(("ignored", ignored));
        let message = format!("{message} + {}", text(&format!(" (`hostnet explain {}`)", rule.id)));
        let name = format!("{}.hostnet.dev", rule.id);
        Some(Policy { name, about: rule.summary.to_owned(), action, conditions, variables, validation, message })
    }
}

/// CEL expression for a select of the config.
fn expression(select: &Select, config: &impl Positions, path: &Path) -> Result<String, ConfigError> {
    // Invalid patterns are rejected as in a check.
    Matcher::new(select, config, path)?;
    matching(select).map_err(|(field, unknown)| {
        let message = match unknown {
            Unknown::Field => format!(
                "a policy cannot look at `{field}`: select by namespace, kind, name, group or version, or leave it to `hostnet check`"
            ),
            Unknown::Pattern(what) => format!(
                "the API server's regular expressions (RE2) do not have {what}: write the pattern without it, or use `hostnet check`"
            ),
        };
        config.error_at(&path.key(field), message)
    })
}

/// A rule as CEL expressions.
struct CelRule {
    variables: Vec<(&'static str, String)>,
    validation: String,
    message: String,
}

/// CEL variables for the pod specs of an object, and for the specs on the host network.
fn specs(kinds: &Kinds) -> Vec<(&'static str, String)> {
    let on_host = "variables.specs.filter(s, s.?hostNetwork.orValue(false))".to_owned();
    vec![("specs", kinds.pod_specs()), ("onHost", on_host)]
}

/// CEL rule for the DNS policy of pods on the host network.
fn dns_policy(kinds: &Kinds) -> CelRule {
    let images: BTreeSet<&str> = catalog::NODE_PORTS.iter().flat_map(|row| row.images).copied().collect();
    let images: Vec<String> = images.into_iter().map(regex::escape).collect();
    let images = text(&format!("(^|/)({})([:@]|$)", images.join("|")));
    let validation = format!(
        "\
variables.onHost.all(s,
  {IS_WINDOWS} ?
  s.?dnsPolicy.orValue(\"\") != \"ClusterFirstWithHostNet\" :
  !(s.?dnsPolicy.orValue(\"\") in [\"\", \"ClusterFirst\"]) ||
  (request.kind.kind in [\"DaemonSet\", \"Pod\"] &&
    {RUNNING}.exists(c, c.?image.orValue(\"\").matches({images}))))"
    );
    let message = text(
        "on the host network the kubelet gives pods the node's resolver: write dnsPolicy ClusterFirstWithHostNet (on Windows nodes \
         Default), or Default if that is intended",
    );
    CelRule { variables: specs(kinds), validation, message }
}

/// Rule for a host port that differs from the container port: the API server validates it for regular containers, but
/// not for sidecars.
fn host_port(kinds: &Kinds, containers: &str, accepted: &str) -> CelRule {
    let validation = format!(
        "\
variables.onHost.all(s,
  {containers}.all(c,
    c.?ports.orValue([]).all(p, p.?hostPort.orValue(0) == 0 || p.?hostPort.orValue(0) == p.?containerPort.orValue(0) ||
      [p.?containerPort.orValue(0), p.?hostPort.orValue(0)].exists(n, {accepted}))))"
    );
    let message = text(if containers == SIDECARS {
        "on the host network a sidecar's hostPort has no effect unless it equals containerPort"
    } else {
        "on the host network hostPort must equal containerPort"
    });
    CelRule { variables: specs(kinds), validation, message }
}

/// Rule for node ports that `assigned` gives to another workload, and for ports of the pool that are not in `assigned`.
/// Keys in `assigned` have no protocol and are treated as TCP; only `hostnet check` compares other protocols, because
/// its input shows the owner.
fn assigned(kinds: &Kinds, config: &HostNetworkConfig, accepted: &str) -> CelRule {
    let spec = &config.host_network.spec;
    let recorded = recorded_owners(spec).into_iter();
    let mut owners: BTreeMap<u16, BTreeSet<&str>> =
        recorded.map(|(port, owners)| (port, owners.into_iter().collect())).collect();
    for shared in &spec.shared {
        if let Some(owners) = owners.get_mut(&shared.port.get()) {
            owners.extend(shared.between.iter().map(String::as_str));
        }
    }
    let owners = owners.into_iter().map(|(port, owners)| {
        let owners: Vec<String> = owners.into_iter().map(text).collect();
        format!("  {port}: [{}]", owners.join(", "))
    });
    let owners: Vec<String> = owners.collect();
    let within = |range: &PortRange| format!("(n >= {} && n <= {})", range.first(), range.last());
    let pool = within(&spec.port_pool.unwrap_or(PortRange::POOL));
    let free = spec.reserved.iter().map(|range| format!(" && !{}", within(range)));
    let free: String = std::iter::once(pool).chain(free).collect();
    let mut variables = specs(kinds);
    variables.extend([
        ("assigned", format!("{{\n{}\n}}", owners.join(",\n"))),
        (
            "bare",
            format!(
                "(request.kind.group in [{}] ? \"\" : request.kind.group + \"/\") +\n\
                 request.kind.kind + \"/\" + object.metadata.?name.orValue(\"\") + \"/\"",
                PLAIN_GROUPS.map(text).join(", ")
            ),
        ),
        ("own", "request.?namespace.orValue(\"\") + \"/\" + variables.bare".to_owned()),
    ]);
    let validation = format!(
        "\
variables.specs.all(s,
  {RUNNING}.all(c,
    c.?ports.orValue([]).all(p, [
      s.?hostNetwork.orValue(false) ? p.?containerPort.orValue(0) : p.?hostPort.orValue(0)].all(n,
      n == 0 ||
      (n in variables.assigned ?
        p.?protocol.orValue(\"TCP\") != \"TCP\" || variables.assigned[n].exists(o, (o + \"/\").startsWith(variables.own) || (o + \"/\").startsWith(variables.bare)) :
        !({free})) ||
      {accepted}))))"
    );
    let message = text(
        "a port of the node is recorded for another workload, or is a port of the pool without a record: record it \
         with `hostnet pin`",
    );
    CelRule { variables, validation, message }
}
