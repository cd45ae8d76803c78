//! The containers of a runtime config's pod template.

use crate::model::facts::package::POD_SPEC;
use lossless_yaml::{Path, Value};

/// Lists containers and init containers: path, name, value.
pub(super) fn containers(runtime_config: &Value) -> Vec<(Path, String, &Value)> {
    let spec = Path::dotted(POD_SPEC);
    let mut found = Vec::new();
    for list in ["containers", "initContainers"] {
        let path = spec.key(list);
        for (index, container) in runtime_config.lookup(&path).into_iter().flat_map(Value::items).enumerate() {
            let Some(name) = container.get("name").and_then(Value::as_text) else { continue };
            found.push((path.named_item(index, Some(name)), name.to_owned(), container));
        }
    }
    found
}
