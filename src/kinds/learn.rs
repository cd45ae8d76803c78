//! `hostnet learn`: writes `bind` entries into the config, based on a program's help text.

use super::config_text;
use super::function::RunError;
use super::host_network::load as load_objects;
use crate::api::{HOST_NETWORK, HostNetworkConfig};
use crate::help::HelpSetting;
use crate::host_network::{self, BindEntry, Learned, LearnedTarget, OwnTarget, Targets};
use krm::Input;
use lossless_yaml::{EditError, KeyPosition, Op, Path, Tree, Value};

/// Matches a help text with the container selected by `wanted`. The inner error lists the available containers.
pub fn learn(
    inputs: &[Input],
    config: &HostNetworkConfig,
    wanted: &str,
    help: &[HelpSetting],
) -> Result<Result<LearnedTarget, String>, RunError> {
    let targets = Targets::compile(config)?;
    let loaded = load_objects(inputs, config, |meta| targets.variables_to_read(meta))?;
    Ok(host_network::learn(&loaded.model, &targets, wanted, help))
}

/// Adds the learned entries to the config's text. If the existing target also matches other workloads, it stays
/// unchanged and a new target for this workload is inserted before it, because a container of the same name elsewhere
/// may run another program. `None` if such a target cannot be inserted, in a flow sequence.
pub fn config_with_learned_entries(text: &str, learned: &LearnedTarget) -> Result<Option<String>, EditError> {
    let target = Path::dotted("spec.targets").item(learned.target);
    if let Some(own) = &learned.own {
        return Ok(config_with_own_target(text, own, &learned.learned, &target));
    }
    let entries: Vec<Value> = learned.learned.binds.iter().map(value).collect();
    let bind = target.clone().key("bind");
    let mut written = text.to_owned();
    let ops = if config_text::has(HOST_NETWORK, text, &bind) {
        entries.into_iter().map(|value| Op::Append { sequence: bind.clone(), value }).collect()
    } else {
        let place = KeyPosition { after: ["program", "ports", "select"].map(Into::into).to_vec(), before: Vec::new() };
        vec![Op::Add { parent: target, key: "bind".to_owned(), value: Value::Seq(entries), place }]
    };
    config_text::apply(HOST_NETWORK, &mut written, &ops)?;
    Ok(Some(written))
}

/// The entry of `bind` as a YAML value.
fn value(bind: &BindEntry) -> Value {
    let entries = [
        ("container", bind.container.as_str().into()),
        ("port", bind.port.as_str().into()),
        ("number", bind.number.into()),
    ];
    Value::map(entries.into_iter().chain(bind.settings().into_iter().map(|(key, value)| (key, value.into()))))
}

/// Inserts a target for this workload before the target that also matches others.
fn config_with_own_target(text: &str, own: &OwnTarget, learned: &Learned, path: &Path) -> Option<String> {
    let tree = Tree::parse(text).ok()?;
    let node =
        tree.roots().find_map(|root| root.lookup(path).filter(|_| config_text::is_config(HOST_NETWORK, root)))?;
    let start = node.start();
    let line_start = text.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
    // In a block sequence only the dash precedes the target on its line.
    let indent = text.get(line_start..start)?.trim_end().strip_suffix('-').filter(|rest| rest.trim().is_empty())?;
    let mut lines = vec![format!("{indent}- select: {}", own.select)];
    lines.extend(own.ports.iter().map(|ports| format!("{indent}  ports: {ports}")));
    lines.extend(own.program.iter().map(|program| format!("{indent}  program: {program}")));
    lines.push(format!("{indent}  bind:"));
    lines.extend(own.bind.iter().map(|entry| format!("{indent}  - {entry}")));
    lines.extend(learned.binds.iter().map(|bind| format!("{indent}  - {bind}")));
    // Comments directly above the target belong to it.
    let mut at = line_start;
    while let Some(before) = text.get(..at.saturating_sub(1)) {
        let previous = before.rfind('\n').map_or(0, |at| at + 1);
        if !text.get(previous..at)?.trim_start().starts_with('#') {
            break;
        }
        at = previous;
    }
    let (before, after) = text.split_at_checked(at)?;
    Some(format!("{before}{}\n{after}", lines.join("\n")))
}
