//! Configs among the objects: listed as resources by mistake, they have no effect and the cluster does not know their
//! kind.

use super::Finding;
use crate::api::{GROUP, KINDS};
use crate::model::Model;
use crate::rule::{self, Severity};

/// Warns about every config that would reach the cluster.
pub fn report_configs_in_input(model: &Model, findings: &mut Vec<Finding>) {
    for (id, object) in model.objects().iter().enumerate() {
        let meta = &object.meta;
        if meta.gvk.group != GROUP || !KINDS.contains(&meta.gvk.kind.as_str()) || meta.is_local_config() {
            continue;
        }
        let message = format!(
            "{meta} is among the objects: it is a config, which is passed through and which no cluster supports. List it under \
             `transformers` of the kustomization and not under `resources`, or give it with `-c`; if its file must stay among the \
             objects, annotate it with `config.kubernetes.io/local-config: \"true\"`"
        );
        findings.push(Finding::new(Severity::Warning, rule::CONFIG, message).on_object(id));
    }
}
