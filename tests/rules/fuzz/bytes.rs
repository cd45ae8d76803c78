//! Any bytes as manifests are parsed or refused, in every wire form; unchanged parts keep their bytes, and a second run
//! changes nothing.

use hostnet::api::Day;
use hostnet::kinds::check::{self, Configs};
use krm::{Form, Input, Origin};

use super::holds;
use crate::properties::all_or_nothing;
use crate::support::in_process::apply;

/// A config of each kind that selects all objects.
const CONFIGS: [&str; 3] = [
    "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {name: all}\nspec:\n  unmatched: Ignore\n  \
     targets: [{select: {kind: '.+'}, ports: auto}]\n",
    "apiVersion: hostnet.dev/v1alpha1\nkind: ProxyEnvironment\nmetadata: {name: all}\nspec:\n  httpsProxy: http://proxy:3128\n  \
     cluster: {services: [10.96.0.0/12], pods: [10.244.0.0/16]}\n  targets: [{select: {kind: '.+'}}]\n",
    "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {name: all}\nspec:\n  \
     rules: [{from: docker.io, to: registry.example.com/d}, {from: xpkg.crossplane.io, to: registry.example.com/x}]\n  \
     select: [{kind: '.+'}]\n",
];

pub fn bytes(data: &[u8]) {
    let read = || Input::read(Origin::stdin(), data.to_vec());
    let Ok(input) = read() else { return };
    assert_eq!(input.text().as_bytes(), data, "the text is not what came in");
    assert_eq!(input.output(&[]).as_bytes(), data, "no edit changes bytes");
    let day = Day::read("2026-01-01").unwrap();
    let _ = check::run(&mut [read().unwrap()], Vec::new(), &Configs::default(), day);
    for config in CONFIGS {
        if input.form() == Form::ResourceList {
            items_settle(config, input.text());
        } else {
            holds(all_or_nothing(apply, config, input.text()));
        }
        if input.is_json() {
            let run = apply(config, input.text());
            let is_json = || Input::read(Origin::stdin(), run.stdout).is_ok_and(|output| output.is_json());
            assert!(run.code == Some(1) || is_json(), "JSON became something else");
        }
    }
}

/// A run over a ResourceList appends its results each time; a second run leaves the items unchanged.
fn items_settle(config: &str, list: &str) {
    let items = |text: &str| {
        let input = Input::read(Origin::stdin(), text.into()).unwrap();
        input.objects(|_, node| node.raw().to_owned()).unwrap()
    };
    let first = apply(config, list);
    if first.code == Some(0) {
        let second = apply(config, &first.text());
        assert_eq!(second.code, Some(0), "second run: {}\n{}", second.stderr, first.text());
        assert_eq!(items(&second.text()), items(&first.text()), "{list}");
    }
}
