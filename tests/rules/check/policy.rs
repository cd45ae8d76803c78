//! `hostnet check --as policy`: the effects of the config on the policies. `tests/corpus/policy.rs` compares the
//! policies with checks.

use hostnet::api::Day;
use hostnet::kinds::check::{Configs, policies};

fn printed(config: &str) -> Result<String, String> {
    let mut configs = Configs::default();
    configs.add(config, "check.yaml").unwrap();
    policies(&configs, Day::read("2026-11-22").unwrap()).map_err(|error| error.to_string())
}

fn of_check(spec: &str) -> String {
    printed(&format!("apiVersion: hostnet.dev/v1alpha1\nkind: HostNetworkCheck\nspec: {spec}\n")).unwrap()
}

/// The policy name and the actions of each binding.
fn actions(printed: &str) -> Vec<(&str, &str)> {
    let names = printed.lines().filter_map(|line| line.strip_prefix("  policyName: "));
    let actions = printed.lines().filter_map(|line| line.strip_prefix("  validationActions: "));
    names.zip(actions).collect()
}

#[test]
fn findings_that_fail_a_check_are_denied() {
    let (deny, warn, audit) = ("[Deny]", "[Warn, Audit]", "[Audit]");
    let (dns, host, sidecars) = ("dns-policy.hostnet.dev", "host-port.hostnet.dev", "host-port-sidecars.hostnet.dev");
    assert_eq!(actions(&of_check("{}")), [(dns, warn), (host, deny), (sidecars, warn)]);
    assert_eq!(actions(&of_check("{failOn: Warning}")), [(dns, deny), (host, deny), (sidecars, deny)]);
    assert_eq!(actions(&of_check("{failOn: Never}")), [(dns, warn), (host, warn), (sidecars, warn)]);
    let rules = "{rules: {dns-policy: Error, host-port: Info}}";
    assert_eq!(actions(&of_check(rules)), [(dns, deny), (host, audit), (sidecars, audit)]);
    let rules = "{rules: {dns-policy: Disabled, host-port: Error}}";
    assert_eq!(actions(&of_check(rules)), [(host, deny), (sidecars, deny)]);
}

#[test]
fn numbers_are_judged_if_some_are_recorded() {
    let config = |spec: &str| {
        format!(
            "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nspec:\n  targets: [{{select: {{name: web}}}}]\n  {spec}\n"
        )
    };
    assert_eq!(actions(&printed(&config("reserved: [9100]")).unwrap()).len(), 3);
    let recorded = printed(&config("assigned: {shop/Deployment/web/http: 20080}")).unwrap();
    assert!(recorded.contains("20080: [\"shop/Deployment/web\"]"), "{recorded}");
    assert_eq!(actions(&recorded)[3], ("port-conflict.hostnet.dev", "[Warn, Audit]"));
}

#[test]
fn kinds_of_the_config_are_judged_too() {
    let templates = "templates: [{group: shop.example, kind: Till, path: 'spec.groups.*.template'}]";
    let config = format!(
        "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nspec:\n  targets: [{{select: {{name: web}}}}]\n  {templates}\n"
    );
    let printed = printed(&config).unwrap();
    for part in [
        "apiGroups: [\"shop.example\"]",
        "\"Till\"",
        "object.?spec.?groups.orValue({}).map(k, ",
        "oldObject.?spec.?groups.orValue({}).map(k, ",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
}

#[test]
fn a_suppression_that_has_ended_is_left_out() {
    let of = |until: &str| {
        of_check(&format!("{{suppress: [{{rule: dns-policy, select: {{name: web}}, reason: known, until: {until}}}]}}"))
    };
    assert!(of("2026-11-22").contains("is-not-suppressed-0"));
    assert!(!of("2026-11-21").contains("is-not-suppressed"));
}

#[test]
fn a_select_that_a_policy_cannot_see_is_an_error() {
    let config =
        "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetworkCheck\nspec:\n  exclude:\n  - {labelSelector: app=web}\n";
    insta::assert_snapshot!(printed(config).unwrap_err(), @r"
    check.yaml:5:21: a policy cannot look at `labelSelector`: select by namespace, kind, name, group or version, or leave it to `hostnet check`
      |
    5 |   - {labelSelector: app=web}
      |                     ^
    ");
    // Suppressions of a rule without a policy do not matter.
    let other = "{suppress: [{rule: node-port, select: {labelSelector: app=web}, reason: known}]}";
    assert_eq!(actions(&of_check(other)).len(), 3);
}

/// Fields outside of the template, such as `replicas` and `paused`, are not compared.
#[test]
fn only_templates_are_compared() {
    let printed = of_check("{}");
    let (_, condition) = printed.split_once("- name: has-changed").unwrap();
    let (condition, _) = condition.split_once("- name: ").unwrap();
    assert!(condition.contains("request.kind.kind in [\"Pod\"] ?"), "{condition}");
    let (own, inside) = condition.split_once(" :\n").unwrap();
    let lines = |text: &str, line: &str| {
        text.lines().filter(|text_line| text_line.trim().trim_end_matches(',') == line).count()
    };
    for object in ["object", "oldObject"] {
        assert_eq!(lines(own, &format!("{object}.?spec")), 1, "{condition}");
        assert_eq!(lines(inside, &format!("{object}.?spec")), 0, "{condition}");
        assert_eq!(lines(inside, &format!("{object}.?spec.?template.?spec")), 1, "{condition}");
        assert!(inside.contains(&format!("{object}.?spec.?replicatedJobs.orValue([])")), "{condition}");
    }
}

#[test]
fn a_pattern_that_the_api_server_cannot_read_is_an_error() {
    let config = |name: &str| {
        format!("apiVersion: hostnet.dev/v1alpha1\nkind: HostNetworkCheck\nspec:\n  exclude:\n  - {{name: '{name}'}}\n")
    };
    insta::assert_snapshot!(printed(&config("[a-z&&[^x]]+")).unwrap_err(), @r"
    check.yaml:5:12: the API server's regular expressions (RE2) do not have set operations on character classes (`&&`, `--`, `~~`): write the pattern without it, or use `hostnet check`
      |
    5 |   - {name: '[a-z&&[^x]]+'}
      |            ^
    ");
    insta::assert_snapshot!(printed(&config("(?x) web")).unwrap_err(), @r"
    check.yaml:5:12: the API server's regular expressions (RE2) do not have flags other than `i`, `m`, `s` and `U`: write the pattern without it, or use `hostnet check`
      |
    5 |   - {name: '(?x) web'}
      |            ^
    ");
    assert!(printed(&config("(?i)web|[a-z-]+")).is_ok());
    assert!(printed(&config("(")).unwrap_err().starts_with("check.yaml:5:"));
}
