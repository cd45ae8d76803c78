//! Pod templates of an object.

use super::workload::{TemplateKind, Templates, name_all, referenced_workload_label};
use crate::model::meta::Meta;
use crate::model::pod::PodTemplate;
use lossless_yaml::{NodeRef, Path};

/// Reads the pod templates of an object. `whole` returns the variables to read with any value; if it returns `None`,
/// only some fields are read (see [`PodTemplate::read`]).
pub(in crate::model) fn templates<'c>(
    rows: &[TemplateKind<'_>],
    meta: &Meta,
    object: NodeRef<'_, '_>,
    whole: impl Fn(&Meta) -> Option<&'c [String]>,
) -> Templates {
    let mut matching: Vec<&TemplateKind<'_>> = Vec::new();
    for row in rows.iter().filter(|row| row.is_of(meta)) {
        // A config may repeat a row of the catalogue.
        if !matching.iter().any(|known| known.pattern() == row.pattern()) {
            matching.push(row);
        }
    }
    if matching.is_empty() {
        return Templates::NotOne;
    }
    let may_be_several = matching.len() > 1 || !matching.iter().all(|row| row.is_plain());
    let whole = whole(meta);
    let read = |path: &Path| PodTemplate::read(object, path, whole);
    let mut found: Vec<PodTemplate> =
        matching.iter().flat_map(|row| row.paths(object)).filter_map(|path| read(&path)).collect();
    if may_be_several {
        name_all(&mut found);
    }
    let named = matching.iter().find_map(|row| referenced_workload_label(object, row.workload_ref()?));
    match named {
        Some(named) if found.is_empty() => Templates::Of(named),
        named => {
            for template in &mut found {
                template.workload_ref.clone_from(&named);
            }
            Templates::Own(found)
        }
    }
}
