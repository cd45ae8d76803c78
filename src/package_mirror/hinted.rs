//! Messages about images in texts.

use super::facts::MirrorFacts;
use super::hints::SCHEME;
use super::rules::MirrorRules;
use crate::model::Model;

/// Messages about all `oci://` modules, and about images that a rule matches.
pub(super) fn hinted_image_messages(
    model: &Model,
    facts: &MirrorFacts,
    rules: Option<&MirrorRules<'_>>,
) -> Vec<String> {
    let mut all = Vec::new();
    for (id, hints) in &facts.hints {
        let Some(object) = model.object(*id) else { continue };
        for hint in hints {
            let target = rules.and_then(|rules| rules.image_in_mirror(&hint.image));
            if !hint.is_module && target.is_none() && rules.is_some() {
                continue;
            }
            let scheme = if hint.is_module { SCHEME } else { "" };
            let to = target.map(|target| format!(" (in the mirror {scheme}{target})")).unwrap_or_default();
            all.push(format!("{}: whether {scheme}{}{to} is pulled", object.meta, hint.image));
        }
    }
    all
}
