//! Values of Crossplane's chart that concern its programs: the image's tag, arguments and variables.

use std::collections::BTreeMap;

use super::core_setting::CoreSetting;
use super::flag::flag_of_words;
use lossless_yaml::NodeRef;

/// The value with variables of the core.
const CORE_VARIABLES: &str = "extraEnvVarsCrossplane";

/// Start of the names of all values with variables.
const VARIABLES: &str = "extraEnvVars";

/// Values of Crossplane's chart that concern its programs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ProgramValues {
    /// `image.tag`
    pub(crate) tag: Option<String>,
    /// `args`, of the core.
    pub(crate) args: Option<Vec<String>>,
    /// Variables by the name of the value that sets them.
    variables: BTreeMap<String, Vec<(String, String)>>,
}

impl ProgramValues {
    /// Reads values.
    pub(crate) fn read(values: NodeRef<'_, '_>) -> Self {
        let texts =
            |list: NodeRef<'_, '_>| list.items().filter_map(NodeRef::non_null_text).map(str::to_owned).collect();
        let mut all = Self {
            tag: values.get("image").and_then(|image| image.get("tag")?.non_null_text()).map(str::to_owned),
            args: values.get("args").filter(|list| list.is_sequence()).map(texts),
            variables: BTreeMap::new(),
        };
        let blocks = values.entries().filter_map(|(key, block)| Some((key.text()?, block)));
        for (block, variables) in blocks.filter(|(key, _)| key.starts_with(VARIABLES)) {
            for (name, value) in variables.entries() {
                if let (Some(name), Some(value)) = (name.text(), value.text()) {
                    all.set_variable(block, name, value);
                }
            }
        }
        all
    }

    /// Adds values that override these.
    pub(crate) fn overlay(&mut self, later: &Self) {
        self.tag = later.tag.clone().or_else(|| self.tag.take());
        self.args = later.args.clone().or_else(|| self.args.take());
        for (block, variables) in &later.variables {
            for (name, value) in variables {
                self.set_variable(block, name, value);
            }
        }
    }

    /// Adds a single value by its path, which `--set` of Helm or a parameter of Argo CD gives:
    /// `extraEnvVarsCrossplane.NAME`, `image.tag`, `args[0]` or `args={a,b}`.
    pub(crate) fn set(&mut self, path: &str, value: &str) {
        if path == "image.tag" {
            self.tag = Some(value.to_owned());
        } else if path == "args" {
            let inner = value.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
            self.args = inner.map(|inner| inner.split(',').map(|word| word.trim().to_owned()).collect());
        } else if let Some(index) = path.strip_prefix("args[").and_then(|rest| rest.strip_suffix(']')) {
            let args = self.args.get_or_insert_default();
            match index.parse().ok().and_then(|index: usize| args.get_mut(index)) {
                Some(word) => value.clone_into(word),
                None => args.push(value.to_owned()),
            }
        } else if let Some((block, name)) = path.split_once('.')
            && block.starts_with(VARIABLES)
        {
            self.set_variable(block, &name.replace('\\', ""), value);
        }
    }

    /// Sets a variable. The chart writes `_` for a dot of the name.
    fn set_variable(&mut self, block: &str, name: &str, value: &str) {
        let name = name.replace('.', "_");
        let variables = self.variables.entry(block.to_owned()).or_default();
        match variables.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => value.clone_into(known),
            None => variables.push((name, value.to_owned())),
        }
    }

    /// Variables that a value sets.
    pub(crate) fn variables(&self, block: &str) -> &[(String, String)] {
        self.variables.get(block).map_or(&[], Vec::as_slice)
    }

    /// A setting of the core, and the name of the flag or variable.
    pub(crate) fn setting(&self, setting: CoreSetting) -> Option<(String, &'static str)> {
        let words = self.args.iter().flatten().map(String::as_str);
        let by_flag = || Some((flag_of_words(words, setting.flags)?, *setting.flags.first()?));
        let variables = self.variables(CORE_VARIABLES).iter();
        let by_variable = |(_, value): &(String, String)| (value.clone(), setting.variable);
        by_flag().or_else(|| variables.rev().find(|(name, _)| name == setting.variable).map(by_variable))
    }
}

#[cfg(test)]
mod tests {
    use super::super::core_setting::REGISTRY;
    use super::*;
    use lossless_yaml::Tree;

    fn values(text: &str) -> ProgramValues {
        ProgramValues::read(Tree::parse(text).unwrap().root(0).unwrap())
    }

    #[test]
    fn a_flag_overrides_the_variable_and_later_values_override_earlier_ones() {
        let registry = |values: &ProgramValues| values.setting(REGISTRY).map(|(value, _)| value).unwrap_or_default();
        let mut all = values("{extraEnvVarsCrossplane: {REGISTRY: a.io}, image: {tag: v1}}");
        assert_eq!(registry(&all), "a.io");
        all.overlay(&values("{args: [--debug, '-rb.io']}"));
        assert_eq!((registry(&all), all.tag.as_deref()), ("b.io".to_owned(), Some("v1")));
        all.set("args[0]", "--registry=c.io");
        all.set("args[1]", "--debug");
        assert_eq!(registry(&all), "c.io");
        all.set("args", "{--debug, --cache-dir=/c}");
        all.set("extraEnvVarsCrossplane.REGISTRY", "d.io");
        assert_eq!(registry(&all), "d.io");
        // Variables of other containers, and other values of this name.
        assert_eq!(registry(&values("{extraEnvVarsRBACManager: {REGISTRY: a.io}, registry: a.io}")), "");
    }
}
