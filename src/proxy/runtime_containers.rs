//! The containers of a runtime config's pod template.

use crate::model::facts::package::POD_SPEC;
use lossless_yaml::{Path, Value};

/// Lists containers and init containers: path, name, value.
pub(super) fn containers(runtime_config: &Value) -> Vec<(Path, String, &Value)> {
    let spec = Path::dotted(POD_SPEC);
    let mut found = Vec::new();
    for list in ["containers", "initContainers"] {
        let path = spec.key(list);
        let Some(Value::Seq(all)) = runtime_config.lookup(&path) else { continue };
        for (index, container) in all.iter().enumerate() {
            let Some(Value::Str(name) | Value::Raw(name)) = container.get("name") else { continue };
            found.push((path.named_item(index, Some(name)), name.clone(), container));
        }
    }
    found
}
