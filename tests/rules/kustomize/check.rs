//! A check inside a build.

use hostnet::api::Day;
use hostnet::kinds::check::{Configs, run};
use hostnet::wire::{Input, Origin};

use super::{operator, stream, version, webhook};

fn rules(text: &str) -> Vec<String> {
    let mut configs = Configs::default();
    let config = "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetworkCheck, spec: {apiServer: Outside}}";
    configs.add(config, "check.yaml").unwrap();
    let mut inputs = [Input::read(Origin::stdin(), text.into()).unwrap()];
    let report = run(&mut inputs, Vec::new(), &configs, Day::read("2026-11-22").unwrap()).unwrap();
    report.entries.iter().map(|entry| entry.rule.id.to_owned()).collect()
}

/// The API server stands outside of the pod network, and calls a workload that is in it.
#[test]
fn a_call_by_former_name_is_judged() {
    let text = stream(&[operator(), webhook("[system|ops]", "[hook|a-hook]")]);
    let found = rules(&version(&text, false));
    assert!(found.contains(&"port-called".to_owned()), "{found:?}");
    assert_eq!(found, rules(&version(&text, true)));
}
