//! Any text as a program's help: the learned rows form a valid config, and learning the text again adds nothing.

use hostnet::api::HostNetworkConfig;
use hostnet::help::settings;
use hostnet::kinds::learn::{config_with_learned_entries, learn};
use krm::{Input, Origin};

const CONFIG: &str = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {name: helps}\nspec:\n  targets:\n  \
                      - select: {kind: Deployment}\n    ports: auto\n";

const MANIFEST: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec:\n  template:\n    spec:\n      \
                        containers:\n      - name: web\n        image: example.com/web:v1\n        args: [serve]\n        ports:\n        \
                        - {name: http, containerPort: 8080}\n        - {name: webhook, containerPort: 9443}\n";

pub fn helps(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let settings = settings(&text);
    let input = [Input::read(Origin::file("input.yaml"), MANIFEST.into()).unwrap()];
    let config = HostNetworkConfig::read(CONFIG, "config.yaml", 1).unwrap();
    let learned = learn(&input, &config, "shop/web", &settings).unwrap().unwrap();
    if learned.learned.binds.is_empty() {
        return;
    }
    let Some(text) = config_with_learned_entries(CONFIG, &learned).unwrap() else { return };
    let config = HostNetworkConfig::read(&text, "config.yaml", 1).unwrap();
    let again = learn(&input, &config, "shop/web", &settings).unwrap().unwrap();
    assert_eq!(again.learned.binds, [], "learned again of\n{text}");
}
