//! Any text as a config is parsed or refused, with equal results from a file and from a host. A run with a parsed
//! config succeeds completely or changes nothing.

use hostnet::api::{AnyConfig, ConfigError, kinds_in};
use hostnet::kinds::check::Configs;

use super::holds;
use crate::properties::all_or_nothing;
use crate::support::in_process::apply;

/// Objects for each kind of config.
const MANIFEST: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: docker.io/example/web:v1
        args: [--listen=:8080]
        ports:
        - {name: http, containerPort: 8080}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec:
  selector: {app: web}
  ports:
  - {port: 80, targetPort: 8080}
---
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: aws}
spec:
  package: xpkg.crossplane.io/upbound/provider-aws-s3:v1.0.0
";

fn has_no_empty_line(error: &ConfigError) {
    let text = error.to_string();
    assert!(text.lines().all(|line| !line.trim().is_empty()), "an empty line: {text:?}");
}

pub fn configs(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let _ = kinds_in(text);
    if let Err(error) = AnyConfig::read_all(text, "config.yaml", 1) {
        has_no_empty_line(&error);
    }
    if let Err(error) = Configs::default().add(text, "config.yaml") {
        has_no_empty_line(&error);
    }
    let (of_file, of_host) = (AnyConfig::read(text, "config.yaml", 1), AnyConfig::from_host(text));
    match (of_file, of_host) {
        (Ok(AnyConfig::Check(_)), Ok(_)) => {}
        (Ok(_), Ok(_)) => holds(all_or_nothing(apply, text, MANIFEST)),
        (Err(of_file), Err(of_host)) => {
            has_no_empty_line(&of_file);
            has_no_empty_line(&of_host);
        }
        (of_file, of_host) => panic!("{of_file:?}\n{of_host:?}"),
    }
}
