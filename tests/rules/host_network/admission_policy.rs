//! Rule `admission-policy`: policies of the input that refuse pods on the host network. The cases are those of `hostnet check` too.

mod gatekeeper;
mod grants;
mod kyverno;
mod validating;

use super::{config, named, run, stream};
use gatekeeper::constraint;
use grants::scc;
use insta::assert_snapshot;
use kyverno::{ENFORCE, NETWORK, PODS, kyverno, matching, validates};
use validating::{DENY, admission, validating};

/// The outcome for Deployment `shop/web`, whose one port has no number from 5000 to 9000 on the host network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Its Pods are refused.
    Refused,
    /// They may be, and nobody can tell.
    Unsure,
    /// Nothing is said.
    Silent,
}

use Outcome::{Refused, Silent, Unsure};

/// A namespace with labels for selectors.
const NAMESPACE: &str = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {team: shop}}\n";

/// All cases: the outcome, and the policies.
pub(crate) fn cases() -> Vec<(Outcome, String)> {
    [kyverno::cases(), validating::cases(), gatekeeper::cases(), grants::cases()].into_iter().flatten().collect()
}

/// Policies with the namespace that they look at.
pub(crate) fn with_namespace(policies: &str, workload: &str) -> String {
    stream([NAMESPACE.to_owned(), policies.to_owned(), workload.to_owned()])
}

fn web() -> String {
    named("web", 8000, true).replace("{name: web, args", "{name: web, image: example/web:v1, args")
}

const AUTO: &str = "{targets: [{select: {kind: Deployment}, ports: auto}]}";

/// Whether the workload moved, and what the rule said of it.
fn moved(spec: &str, policies: &str) -> (bool, Vec<String>) {
    let (output, said) = run(spec, &with_namespace(policies, &web()));
    let own = said.into_iter().filter(|line| line.contains("[admission-policy]"));
    (output.contains("hostNetwork: true\n      dnsPolicy"), own.collect())
}

#[test]
fn what_is_refused_stays_what_nobody_can_tell_is_said_and_the_rest_is_silent() {
    for (outcome, policies) in cases() {
        let (moved, said) = moved(AUTO, &policies);
        let expected = match outcome {
            Refused => {
                !moved && said.iter().all(|line| line.contains("The workload is left as it is")) && !said.is_empty()
            }
            Unsure => moved && said.len() == 1 && said.iter().all(|line| line.starts_with("warning: ")),
            Silent => moved && said.is_empty(),
        };
        assert!(expected, "{outcome:?}: moved: {moved}, {said:#?}\n{policies}");
    }
}

#[test]
fn a_workload_that_is_named_or_gets_numbers_is_an_error() {
    let policy = kyverno(ENFORCE, &format!("{PODS}{NETWORK}"));
    for spec in [
        "{targets: [{select: {name: web}, ports: auto}]}",
        "{targets: [{select: {kind: Deployment}, ports: {http: 20080}}]}",
    ] {
        let (_, said) = moved(spec, &policy);
        assert!(said.len() == 1 && said[0].starts_with("error: "), "{spec}: {said:?}");
    }
}

/// A namespace that is not in the input has labels that nobody knows, but for its name.
#[test]
fn labels_of_a_namespace_that_is_not_there_are_not_known() {
    let of = |selector: &str| {
        let filters = format!("match: {{any: [{{resources: {{kinds: [Pod], namespaceSelector: {selector}}}}}]}}");
        let manifest = stream([matching(&filters), web()]);
        let (_, said) = run(AUTO, &manifest);
        said.iter().filter(|line| line.contains("[admission-policy]")).count()
    };
    assert_eq!(of("{matchLabels: {team: shop}}"), 1);
    assert_eq!(of("{matchLabels: {kubernetes.io/metadata.name: other}}"), 0);
}

/// Namespaces that Kyverno leaves out as it is installed.
#[test]
fn kyverno_does_not_look_at_the_system() {
    let policy = kyverno(ENFORCE, &format!("{PODS}{NETWORK}"));
    let manifest = stream([policy, web().replace("namespace: shop", "namespace: kube-system")]);
    let (output, said) = run(AUTO, &manifest);
    assert!(
        output.contains("hostNetwork: true\n      dnsPolicy")
            && !said.iter().any(|line| line.contains("admission-policy"))
    );
}

#[test]
fn a_message_names_the_policy_the_fields_and_what_to_write() {
    let of = |policies: &str| moved(AUTO, policies).1.join("\n");
    assert_snapshot!(of(&kyverno(ENFORCE, &format!("{PODS}{NETWORK}"))), @"");
    assert_snapshot!(of(&constraint("K8sPSPHostNetworkingPorts", "parameters: {hostNetwork: false}")), @"");
    assert_snapshot!(of(&admission("!object.spec.?hostNetwork.orValue(false)", "failurePolicy: Fail", DENY)), @"");
    assert_snapshot!(of(&validating("validationActions: [Deny]", "")), @"");
    assert_snapshot!(of(&scc("restricted", false, "groups: [system:authenticated]")), @"");
    assert_snapshot!(of(&validates("{foreach: [{list: request.object.spec.containers, pattern: {=(hostPort): 0}}]}")), @"");
    assert_snapshot!(of(&matching("match: {any: [{resources: {kinds: [Pod]}}]}\n    exclude: {any: [{clusterRoles: [a]}]}")), @"");
}

/// The manifest that a message shows, as a document.
fn pasted(message: &str) -> String {
    format!("{}\n", message.split("write `").nth(1).unwrap().split('`').next().unwrap())
}

#[test]
fn what_a_message_shows_works_when_it_is_pasted() {
    let everybody = scc("restricted", false, "groups: [system:authenticated]");
    for policies in
        [kyverno(ENFORCE, &format!("{PODS}{NETWORK}")), validating("validationActions: [Deny]", ""), everybody]
    {
        let (_, said) = moved(AUTO, &policies);
        let exempt = stream([policies, pasted(&said[0])]);
        assert_eq!(moved(AUTO, &exempt), (true, Vec::new()), "{exempt}");
    }
    // These are fields of objects that are there.
    let own = constraint("K8sPSPHostNetworkingPorts", "parameters: {hostNetwork: false}");
    let exempt = pasted(&moved(AUTO, &own).1[0]).replace("match: {", "").replace("}\n", "");
    assert_eq!(moved(AUTO, &own.replace("match: {", &format!("match: {{{exempt}, "))), (true, Vec::new()));
    let own = admission("!object.spec.?hostNetwork.orValue(false)", "failurePolicy: Fail", DENY);
    let exempt = pasted(&moved(AUTO, &own).1[0]);
    assert_eq!(moved(AUTO, &own.replace(DENY, &format!("{DENY}, {}", exempt.trim_end()))), (true, Vec::new()));
}

/// Text of others is shown as text: nothing of it ends the manifest that a message shows.
#[test]
fn names_are_quoted_where_they_need_it() {
    let policy = kyverno(ENFORCE, &format!("{PODS}{NETWORK}")).replace("name: disallow", "name: \"a: [b, '}\"");
    let (_, said) = moved(AUTO, &policy);
    let exempt = stream([policy, pasted(&said[0])]);
    assert_eq!(moved(AUTO, &exempt), (true, Vec::new()));
    assert!(config(AUTO).is_ok());
}
