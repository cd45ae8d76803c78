//! Thousands of functions, policies and list entries: the run time grows linearly.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::check::check;

const COUNT: usize = 4000;

fn functions(list: &str, each: impl Fn(usize) -> String) -> String {
    let mut text = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: crossplane, namespace: crossplane-system}}\nspec:\n  selector: {{matchLabels: {{app: crossplane}}}}\n  template:\n    metadata: {{labels: {{app: crossplane}}}}\n    spec:\n      containers:\n      - {{name: crossplane, image: 'xpkg.crossplane.io/crossplane/crossplane:v2.3.4', args: [core, start], env: [{{name: HTTPS_PROXY, value: 'http://p:3128'}}, {{name: NO_PROXY, value: '{list}'}}]}}\n"
    );
    for index in 0..COUNT {
        let _ = write!(
            text,
            "---\napiVersion: pkg.crossplane.io/v1\nkind: Function\nmetadata: {{name: function-{index}}}\nspec: {{package: 'example.com/f:v1'}}\n{}",
            each(index)
        );
    }
    text
}

fn policy(index: usize, spec: &str) -> String {
    format!(
        "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {{name: p-{index}, namespace: crossplane-system}}\nspec: {{{spec}}}\n"
    )
}

/// The number of lines that report a blocked and a direct connection, and the run time.
fn judged(manifest: &str) -> (usize, usize, Duration) {
    let start = Instant::now();
    let (output, _) = check(&[], manifest);
    let count = |word: &str| output.lines().filter(|line| line.contains(word) && line.contains("-> function")).count();
    (count("blocked: "), count("direct: "), start.elapsed())
}

/// Each shape takes at most eight times as long as the same number of functions whose policies select other pods.
#[test]
fn the_work_grows_with_the_input() {
    let of_core = "podSelector: {matchLabels: {app: crossplane}}, policyTypes: [Egress]";
    let of_all = "podSelector: {matchExpressions: [{key: pkg.crossplane.io/function, operator: Exists}]}";
    let own = |index: usize| format!("{{matchLabels: {{pkg.crossplane.io/function: function-{index}}}}}");
    let from = |index: usize| format!("ingress: [{{from: [{{podSelector: {{matchLabels: {{app: a-{index}}}}}}}]}}]");
    let plain =
        judged(&functions("*", |index| policy(index, &format!("podSelector: {{matchLabels: {{app: a-{index}}}}}")))).2;
    let shapes: [(&str, String, (usize, usize)); 5] = [
        (
            "a policy for what each function takes",
            functions("*", |index| policy(index, &format!("podSelector: {}, {}", own(index), from(index)))),
            (COUNT, COUNT),
        ),
        (
            "policies for what all take",
            functions("*", |index| policy(index, &format!("{of_all}, {}", from(index)))),
            (COUNT, COUNT),
        ),
        (
            "a policy for what the core may reach of each other function",
            functions("*", |index| {
                let to = format!("egress: [{{to: [{{podSelector: {}}}], ports: [{{port: 9443}}]}}]", own(2 * index));
                policy(index, &format!("{of_core}, {to}"))
            }),
            (COUNT / 2, COUNT),
        ),
        (
            "policies for what addresses the core may reach",
            functions("*", |index| {
                let block = format!("{{cidr: 10.{}.{}.0/24}}", index / 256, index % 256);
                policy(index, &format!("{of_core}, egress: [{{to: [{{ipBlock: {block}}}]}}]"))
            }),
            // The addresses of pods are unknown.
            (0, COUNT),
        ),
        (
            "a list with the name of each",
            functions(
                &(0..COUNT).map(|index| format!("function-{index}.crossplane-system")).collect::<Vec<_>>().join(","),
                |_| String::new(),
            ),
            (0, COUNT),
        ),
    ];
    for (what, manifest, expected) in shapes {
        let (blocked, direct, took) = judged(&manifest);
        assert_eq!((blocked, direct), expected, "{what}");
        assert!(took < 8 * plain + Duration::from_secs(1), "{what}: {took:?}, and {plain:?} for reading as much");
    }
}

/// A message lists the first policies, and the number of the others.
#[test]
fn a_message_lists_some_of_many_policies() {
    let closed =
        |index: usize| policy(index, "podSelector: {}, policyTypes: [Ingress]").replace("name: p-", "name: q-");
    let own = policy(0, "podSelector: {matchLabels: {pkg.crossplane.io/function: function-0}}, policyTypes: [Ingress]");
    let manifest = functions("*", |index| if index < 9 { closed(index) } else { String::new() }) + &own;
    let (output, _) = check(&[], &manifest);
    let blocked: Vec<&str> = output.lines().filter(|line| line.contains("blocked: ")).collect();
    assert_eq!(blocked.len(), COUNT);
    let named = "crossplane-system/q-3, NetworkPolicy crossplane-system/q-4 and";
    assert!(blocked[0].contains(&format!("{named} 5 more select its pods")), "{}", blocked[0]);
    assert!(blocked[1].contains(&format!("{named} 4 more select its pods")), "{}", blocked[1]);
}
