//! Rule `kustomize-name`: references to a former name of several objects.

use super::{CALLED, operator, reported_names, stream, webhook};

fn other() -> String {
    operator().replace("a-", "b-").replace("ledger", "other")
}

/// A caller without a prefix, so that neither of the two prefixes matches.
fn caller() -> String {
    webhook("system", "hook").replace("prefixes: 'a-'", "prefixes: ''")
}

#[test]
fn two_objects_of_one_former_name_are_an_error() {
    insta::assert_snapshot!(reported_names(CALLED, &stream(&[operator(), other(), caller()])).join("\n"), @"error: standard input:48:55: ValidatingWebhookConfiguration a-w: webhooks[0].clientConfig.service.name names Service hook, which may be Service ops/a-hook or Service ops/b-hook: this build does not show if kustomize replaces that name. Write the present name there, with the present namespace [kustomize-name]");
}

/// The remedy of the message works.
#[test]
fn a_present_name_is_not_ambiguous() {
    let text = caller().replace("'system'", "'ops'").replace("'hook'", "'b-hook'");
    let text = super::version(&stream(&[operator(), other(), text]), false);
    let (output, run) = super::outcome(CALLED, &text);
    assert!(!run.failed(), "{:?}", super::reported(&run));
    assert_eq!(output.matches("hostNetwork: true").count(), 1);
}

/// References are not reported if no referenced object moves.
#[test]
fn references_without_moving_objects_are_left_to_kustomize() {
    let config = "kind: HostNetwork\nspec: {targets: [{select: {calledByApiServer: true, name: web}, ports: auto}], unmatched: Ignore}\n";
    assert_eq!(reported_names(config, &stream(&[operator(), other(), caller()])), Vec::<String>::new());
}
