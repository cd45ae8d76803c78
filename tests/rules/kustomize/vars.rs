//! The `$(NAME)` of a kustomize var in place of a listener's number.

use super::{operator, outcome, reported, version};

const ALL: &str = "kind: HostNetwork\nspec: {targets: [{select: {kind: Deployment}, ports: auto}]}\n";

fn about_port(more: &str, is_finished: bool) -> String {
    let text = operator().replace("--webhook-port=9443]", "--webhook-port=$(PORT_OF_HOOK)]");
    let text = text.replace("        ports:\n", &format!("{more}        ports:\n"));
    let (_, run) = outcome(ALL, &version(&text, is_finished));
    reported(&run).into_iter().filter(|line| line.ends_with("[port-setting]")).collect()
}

#[test]
fn a_name_that_nothing_defines_is_an_error_in_a_build() {
    let log = about_port("", false);
    assert!(log.starts_with("error: "), "{log}");
    assert!(log.contains("`--webhook-port` is $(PORT_OF_HOOK), which no variable of the container defines."), "{log}");
    assert!(!log.contains("bind"), "{log}");
}

/// A finished build has no vars; otherwise a variable, a Secret or a ConfigMap outside of the input may define the
/// name.
#[test]
fn other_names_are_no_error() {
    let finished = about_port("", true);
    assert!(finished.starts_with("warning: ") && finished.contains("passes such a text on as it is"), "{finished}");
    for more in [
        "        env: [{name: PORT_OF_HOOK, valueFrom: {secretKeyRef: {name: s, key: port}}}]\n",
        "        envFrom: [{secretRef: {name: s}}]\n",
        "        envFrom: [{configMapRef: {name: elsewhere}}]\n",
        "        envFrom: [{prefix: PORT_, configMapRef: {name: elsewhere}}]\n",
    ] {
        assert!(!about_port(more, false).contains("which no variable"), "{more}");
    }
    assert!(
        about_port("        envFrom: [{prefix: OTHER_, secretRef: {name: s}}]\n", false).contains("which no variable")
    );
}
