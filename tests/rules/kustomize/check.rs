//! A check in a kustomize build.

use hostnet::api::Day;
use hostnet::kinds::check::{Configs, run};
use hostnet::render::check::Report;
use hostnet::rule::Severity;
use krm::{Input, Origin};

use super::added::definition;
use super::{operator, stream, version, webhook};

fn report(text: &str) -> Report {
    let mut configs = Configs::default();
    let config = "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetworkCheck, spec: {apiServer: Outside}}";
    configs.add(config, "check.yaml").unwrap();
    let mut inputs = [Input::read(Origin::stdin(), text.into()).unwrap()];
    run(&mut inputs, Vec::new(), &configs, Day::read("2026-11-22").unwrap()).unwrap()
}

fn rules(text: &str) -> Vec<String> {
    report(text).entries.iter().map(|entry| entry.rule.id.to_owned()).collect()
}

/// The API server is outside of the pod network and calls a workload inside.
#[test]
fn a_call_by_former_name_is_judged() {
    let text = stream(&[operator(), webhook("[system|ops]", "[hook|a-hook]")]);
    let found = rules(&version(&text, false));
    assert!(found.contains(&"port-called".to_owned()), "{found:?}");
    assert_eq!(found, rules(&version(&text, true)));
}

/// Findings about references outside of kustomize's table: severity, failure, kind of the object and message.
fn names(text: &str) -> Vec<(Severity, bool, String, String)> {
    let entries = report(text).entries.into_iter().filter(|entry| entry.rule.id == "kustomize-name");
    entries.map(|entry| (entry.severity, entry.fails, entry.object.unwrap().kind.clone(), entry.message)).collect()
}

#[test]
fn a_former_name_outside_of_the_table_is_information_in_a_build_only() {
    let text = stream(&[operator(), definition("ops", "[hook|a-hook]")]);
    let found = names(&version(&text, false));
    let [(severity, fails, kind, message)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((*severity, *fails, kind.as_str()), (Severity::Info, false, "CustomResourceDefinition"));
    let row = "nameReference: [{kind: Service, fieldSpecs: [{group: apiextensions.k8s.io, kind: CustomResourceDefinition, path: spec/conversion/webhook/clientConfig/service/name}]}]";
    assert!(message.contains("by its former name hook") && message.ends_with(row), "{message}");
    assert_eq!(names(&version(&text, true)), Vec::new());
    assert_eq!(names(&stream(&[operator(), definition("ops", "a-hook")])), Vec::new());
}

/// A reference between objects that do not use the host network.
#[test]
fn other_former_names_are_left_to_kustomize() {
    let idle = operator().replace("args: [--webhook-port=9443]", "args: []");
    let scaler = super::renamed("ScaledObject", "system,ops", "s,s", "a-");
    let scaler = format!(
        "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {{name: a-s, namespace: ops, {scaler}}}\nspec: {{scaleTargetRef: {{name: manager}}}}\n"
    );
    let text = stream(&[idle, scaler]);
    assert_eq!(names(&text), Vec::new());
    let on_host = text.replace("    spec:\n", "    spec:\n      hostNetwork: true\n");
    assert_eq!(names(&on_host).len(), 1);
}
