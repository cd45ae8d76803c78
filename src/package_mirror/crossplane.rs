//! Decisions by the version of Crossplane: the style, and the meaning of names without registry.

use crate::api::{MirrorConfig, MirrorStyle};
use crate::catalog::IMAGE_REWRITES_SINCE;
pub(super) use crate::crossplane::Unqualified;

use crate::crossplane::Core;
use lossless_yaml::Path;
use oci::name::ImageRef;

/// The objects that point Crossplane to the mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    ImageConfig,
    Rewrite,
}

/// The style of a config; an error if the version of Crossplane is known not to rewrite by ImageConfigs.
pub(super) fn style(config: &MirrorConfig, core: &Core) -> Result<Style, String> {
    let since = IMAGE_REWRITES_SINCE;
    // An unknown version counts as the newest.
    let lacks = core.version().has(since) == Some(false);
    match config.mirror.spec.style {
        MirrorStyle::Rewrite => Ok(Style::Rewrite),
        MirrorStyle::Auto if lacks => Ok(Style::Rewrite),
        MirrorStyle::ImageConfig if lacks => {
            let place = config.place_of(&Path::dotted("spec.style"));
            let label = core.display_name();
            Err(format!(
                "{place}: style ImageConfig needs Crossplane {since} or later, and {label} runs the packages; write `style: Rewrite`"
            ))
        }
        MirrorStyle::Auto | MirrorStyle::ImageConfig => Ok(Style::ImageConfig),
    }
}

/// A package's source with its registry; unchanged if the registry is not known.
pub(super) fn qualified(source: &str, unqualified: &Unqualified) -> String {
    match unqualified {
        Unqualified::Means(registry) if ImageRef::split(source).is_unqualified() => format!("{registry}/{source}"),
        _ => source.to_owned(),
    }
}

/// Reason for not changing a name without registry; `None` for a name with a registry or a known default registry.
pub(super) fn unqualified_unchanged_reason(source: &str, unqualified: &Unqualified) -> Option<String> {
    if !ImageRef::split(source).is_unqualified() {
        return None;
    }
    match unqualified {
        // `names` reports a refused name.
        Unqualified::Means(_) | Unqualified::Refused => None,
        Unqualified::Hidden => Some(format!(
            "`{source}` has no registry, and the value of the core's `REGISTRY` is not in the input; write the registry"
        )),
        Unqualified::Unknown => Some(format!(
            "`{source}` has no registry, and the default depends on the version of Crossplane; write the registry, or give the version \
             with `crossplane: {{version: v1.20.0}}` in the spec"
        )),
    }
}
