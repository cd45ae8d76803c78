//! Variables that Flux fills into the objects of a build (`spec.postBuild` of its Kustomization).
//!
//! Source: fluxcd/pkg@0180cac2f `kustomize/kustomize_varsub.go` (`substitute` wins over `substituteFrom`, later
//! references override earlier references, and the label or annotation that excludes an object), drone/envsubst@v1.0.3
//! `parse/parse.go` (defaults).

use std::collections::HashMap;

use super::names::text;
use lossless_yaml::NodeRef;

/// Label or annotation that excludes an object from the substitution of variables if its value is `disabled`.
const SUBSTITUTE_ANNOTATION: &str = "kustomize.toolkit.fluxcd.io/substitute";

/// `spec.postBuild` of a Kustomization of Flux.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PostBuild {
    /// Names and values of `substitute`.
    own: Vec<(String, String)>,
    /// Names of the ConfigMaps of `substituteFrom`, in the namespace of the Kustomization.
    pub(super) config_maps: Vec<String>,
}

impl PostBuild {
    /// Reads `spec.postBuild`.
    pub(super) fn read(post_build: NodeRef<'_, '_>) -> Self {
        let own = post_build.get("substitute").into_iter().flat_map(NodeRef::entries);
        let own = own.filter_map(|(name, value)| Some((name.text()?.to_owned(), value.text()?.to_owned())));
        let references = post_build.get("substituteFrom").into_iter().flat_map(NodeRef::items);
        let references = references.filter(|reference| text(*reference, "kind") == Some("ConfigMap"));
        let config_maps = references.filter_map(|reference| Some(text(reference, "name")?.to_owned()));
        Self { own: own.collect(), config_maps: config_maps.collect() }
    }

    /// Merges a patch: values of the patch win, and its list replaces the list of the object.
    pub(super) fn merge(&mut self, patch: Self) {
        self.own.extend(patch.own);
        if !patch.config_maps.is_empty() {
            self.config_maps = patch.config_maps;
        }
    }

    /// All known variables, from the data of its ConfigMaps in their order.
    pub(super) fn variables(&self, config_maps: impl IntoIterator<Item = Vec<(String, String)>>) -> Variables {
        Variables(config_maps.into_iter().flatten().chain(self.own.iter().cloned()).collect())
    }
}

/// Names and values of variables.
#[derive(Debug, Default)]
pub(super) struct Variables(HashMap<String, String>);

impl Variables {
    /// Fills in known variables, and the defaults of unknown variables; unknown variables without a default stay.
    pub(super) fn fill(&self, text: &str) -> String {
        let (mut filled, mut rest) = (String::with_capacity(text.len()), text);
        while let Some((before, after)) = rest.split_once("${") {
            filled.push_str(before);
            let value = after.split_once('}').filter(|_| !before.ends_with('$'));
            match value.and_then(|(inside, tail)| Some((self.value(inside)?, tail))) {
                Some((value, tail)) => {
                    filled.push_str(value);
                    rest = tail;
                }
                None => {
                    filled.push_str("${");
                    rest = after;
                }
            }
        }
        filled.push_str(rest);
        filled
    }

    /// Value of `NAME`, `NAME:-DEFAULT` or `NAME:=DEFAULT`.
    fn value<'v>(&'v self, inside: &'v str) -> Option<&'v str> {
        let is_name = |name: &str| {
            name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        let default = [":=", ":-"].into_iter().find_map(|operator| inside.split_once(operator));
        let (name, default) = default.map_or((inside, None), |(name, default)| (name, Some(default)));
        let known = self.0.get(name).map(String::as_str).filter(|value| default.is_none() || !value.is_empty());
        known.or(default.filter(|default| !default.contains("${"))).filter(|_| is_name(name))
    }
}

/// True if Flux fills variables into the object.
pub(super) fn is_filled(object: NodeRef<'_, '_>) -> bool {
    let metadata = object.get("metadata");
    let switch = |key: &str| metadata?.get(key)?.get(SUBSTITUTE_ANNOTATION)?.text();
    ["labels", "annotations"].into_iter().all(|key| switch(key) != Some("disabled"))
}

#[cfg(test)]
mod tests {
    use super::PostBuild;
    use lossless_yaml::Tree;

    #[test]
    fn known_variables_and_defaults_are_filled_in() {
        let tree = Tree::parse("{substitute: {A: x, B: ''}, substituteFrom: [{kind: ConfigMap, name: m}]}").unwrap();
        let post_build = PostBuild::read(tree.root(0).unwrap());
        assert_eq!(post_build.config_maps, ["m"]);
        let variables =
            post_build.variables([vec![("A".to_owned(), "y".to_owned()), ("C".to_owned(), "z".to_owned())]]);
        for (text, filled) in [
            ("${A}-${C}", "x-z"),
            ("${B:=1}${D:-2}", "12"),
            ("${B}", ""),
            ("${D} ${D:=${A}} $${A} $A ${A^^}", "${D} ${D:=x} $${A} $A ${A^^}"),
            ("${A", "${A"),
        ] {
            assert_eq!(variables.fill(text), filled, "{text}");
        }
    }
}
