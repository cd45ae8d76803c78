//! Finds settings of an input that are missing in its output.

use serde_yaml::Value;

use crate::packages::objects::{Step, at, dotted, find, id, is, providers, runtime_name, scalars, text};

/// References from a package to its configuration, the only fields of a package that may change.
const REFERENCES: [&str; 2] = ["spec.runtimeConfigRef.", "spec.controllerConfigRef."];

/// Returns every lost scalar, with its object and path.
pub(crate) fn lost(before: &[Value], after: &[Value]) -> Vec<String> {
    let mut lost = Vec::new();
    for old in before {
        match after.iter().find(|new| id(new) == id(old)) {
            Some(new) => lost.extend(missing(old, new, is_package(old))),
            None if is(old, "ControllerConfig") => lost.extend(unconverted(old, before, after)),
            None => lost.push(format!("{:?} is gone", id(old))),
        }
    }
    // The old runtime config of a package must be part of its new one.
    for package in providers(before) {
        let old = find(before, "DeploymentRuntimeConfig", runtime_name(before, package));
        let new = after.iter().find(|new| id(new) == id(package));
        let new = new.and_then(|new| find(after, "DeploymentRuntimeConfig", runtime_name(after, new)));
        match (old, new) {
            (Some(old), Some(new)) => {
                let other_than_name = |fault: &String| !fault.contains(" metadata.name ");
                lost.extend(missing(old, new, false).into_iter().filter(other_than_name));
            }
            (Some(_), None) => lost.push(format!("{:?} has no runtime config any more", id(package))),
            (None, _) => {}
        }
    }
    lost
}

fn is_package(object: &Value) -> bool {
    is(object, "Provider") || is(object, "Function")
}

fn missing(old: &Value, new: &Value, is_package: bool) -> Vec<String> {
    let kept = |path: &[Step], value: &Value| {
        at(new, path) == Some(value) || is_package && REFERENCES.iter().any(|one| dotted(path).starts_with(one))
    };
    let gone = scalars(old).into_iter().filter(|(path, value)| !value.is_null() && !kept(path, value));
    gone.map(|(path, value)| format!("{:?}: {} {value:?} -> {:?}", id(old), dotted(&path), at(new, &path))).collect()
}

/// Returns the settings of a ControllerConfig that neither the package nor its runtime config has, for each package
/// that used it.
fn unconverted(config: &Value, before: &[Value], after: &[Value]) -> Vec<String> {
    let name = text(&config["metadata"]["name"]);
    let users = providers(before).filter(|package| package["spec"]["controllerConfigRef"]["name"] == name);
    let mut lost = Vec::new();
    for user in users {
        let Some(package) = after.iter().find(|new| id(new) == id(user)) else { continue };
        let Some(runtime) = find(after, "DeploymentRuntimeConfig", runtime_name(after, package)) else {
            lost.push(format!("{:?} has no runtime config for {name}", id(user)));
            continue;
        };
        let log: Vec<(String, &Value)> =
            scalars(&runtime["spec"]).into_iter().chain(scalars(&package["spec"])).map(keyed).collect();
        for setting in scalars(&config["spec"]).into_iter().map(keyed) {
            if !log.contains(&setting) {
                lost.push(format!("ControllerConfig {name}: {setting:?} is not in {:?}", id(runtime)));
            }
        }
        for template in ["serviceAccountTemplate", "deploymentTemplate"] {
            for field in ["labels", "annotations"] {
                let own = &config["metadata"][field];
                lost.extend(
                    (!own.is_null())
                        .then(|| missing(own, &runtime["spec"][template]["metadata"][field], false))
                        .into_iter()
                        .flatten(),
                );
            }
        }
    }
    lost
}

/// Returns the key of a scalar; for a list item the key of the list.
fn keyed((path, value): (Vec<Step>, &Value)) -> (String, &Value) {
    let key = path.iter().rev().find_map(|step| if let Step::Key(key) = step { Some(text(key)) } else { None });
    // The package has another name for this field.
    let key = key.unwrap_or_default().replace("packagePullPolicy", "imagePullPolicy");
    (key, value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packages::objects::objects;

    const BEFORE: &str = "
{apiVersion: pkg.crossplane.io/v1, kind: Provider, metadata: {name: p}, spec: {package: a, controllerConfigRef: {name: c}}}
---
{apiVersion: pkg.crossplane.io/v1alpha1, kind: ControllerConfig, metadata: {name: c, annotations: {role: r}}, spec: {args: [-d]}}
---
{apiVersion: pkg.crossplane.io/v1beta1, kind: DeploymentRuntimeConfig, metadata: {name: default}, spec: {keep: [1, 2]}}
";
    const AFTER: &str = "
{apiVersion: pkg.crossplane.io/v1, kind: Provider, metadata: {name: p}, spec: {package: a, runtimeConfigRef: {name: n}}}
---
{apiVersion: pkg.crossplane.io/v1beta1, kind: DeploymentRuntimeConfig, metadata: {name: n}, spec: {keep: [1, 2], args: [-d],
  serviceAccountTemplate: {metadata: {annotations: {role: r}}}, deploymentTemplate: {metadata: {annotations: {role: r}}}}}
---
{apiVersion: pkg.crossplane.io/v1beta1, kind: DeploymentRuntimeConfig, metadata: {name: default}, spec: {keep: [1, 2]}}
";

    fn count(after: &str) -> usize {
        lost(&objects(BEFORE).unwrap(), &objects(after).unwrap()).len()
    }

    #[test]
    fn every_loss_is_found() {
        assert_eq!(lost(&objects(BEFORE).unwrap(), &objects(AFTER).unwrap()), [""; 0]);
        for (kept, gone) in [
            ("package: a", "package: b"),
            ("args: [-d]", "args: [-v]"),
            ("args: [-d]", "argv: [-d]"),
            ("keep: [1, 2], args", "keep: [1], args"),
            ("keep: [1, 2]}", "keep: [1, '2']}"),
            ("serviceAccountTemplate: {metadata: {annotations: {role: r}}}", "x: y"),
            (
                "deploymentTemplate: {metadata: {annotations: {role: r}}}",
                "deploymentTemplate: {metadata: {labels: {role: r}}}",
            ),
            ("name: n}, spec", "name: m}, spec"),
        ] {
            assert!(AFTER.contains(kept), "{kept}");
            assert_ne!(count(&AFTER.replacen(kept, gone, 1)), 0, "{kept} -> {gone}");
        }
    }
}
