//! Conditions on the containers of changed pods: names, images and ports as in the plan.

use std::collections::BTreeSet;

use super::super::guard::beginnings;
use super::change::Change;
use super::fit::Test;
use crate::model::text::is_placeholder;
use lossless_yaml::{NodeRef, Path, Step, Value};
use oci::name::ImageRef;

/// Conditions for all containers that run as long as their pod, of each pod that changes.
pub(super) fn tests(object: NodeRef<'_, '_>, changes: &[Change]) -> Result<Vec<(Path, Test)>, String> {
    let is_pod = |path: &Path| object.lookup(path)?.get("containers").filter(|list| list.is_sequence()).map(|_| ());
    let around = changes.iter().flat_map(|change| beginnings(change.path()));
    let pods: BTreeSet<Path> = around.filter(|path| is_pod(path).is_some()).collect();
    let mut tests = Vec::new();
    for pod in pods {
        for list in ["containers", "initContainers"] {
            let path = pod.key(list);
            for (index, container) in object.lookup(&path).into_iter().flat_map(NodeRef::items).enumerate() {
                let restarts = container.get("restartPolicy").and_then(NodeRef::text) == Some("Always");
                if list == "containers" || restarts {
                    tests.extend(of_container(&path.item(index), container, changes)?);
                }
            }
        }
    }
    Ok(tests)
}

fn of_container(path: &Path, container: NodeRef<'_, '_>, changes: &[Change]) -> Result<Vec<(Path, Test)>, String> {
    let mut tests = Vec::new();
    let image = path.key("image");
    let is_changed = changes.iter().any(|change| change.path().is_same_place(&image));
    if let Some(image) = container.get("image").and_then(NodeRef::non_null_text).filter(|_| !is_changed) {
        if is_placeholder(image) {
            return Err(format!("{path} has an image with a placeholder, by which a policy cannot know it"));
        }
        tests.push((path.key("image"), Test::Image(ImageRef::split(image).name.to_owned())));
    }
    let ports = path.key("ports");
    let number = |value: &Value| if let Value::Int(number) = value { Some(*number) } else { None };
    let now = container.get("ports").into_iter().flat_map(NodeRef::items);
    let mut numbers: BTreeSet<i64> = now.filter_map(|port| port.get("containerPort")?.as_int()).collect();
    for change in changes {
        match change {
            Change::Put { path, new, .. } => {
                let is_number = matches!(path.last(), Some(Step::Key(key)) if key == "containerPort");
                let list = path.parent().and_then(|port| port.parent());
                let is_own = is_number && list.is_some_and(|list| list.is_same_place(&ports));
                numbers.extend(number(new).filter(|_| is_own));
            }
            Change::Append { list, values } if list.is_same_place(&ports) => {
                numbers.extend(values.iter().filter_map(|port| number(port.get("containerPort")?)));
            }
            Change::Append { .. } => {}
        }
    }
    tests.push((ports, Test::Ports(numbers.into_iter().collect())));
    Ok(tests)
}
