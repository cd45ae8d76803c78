//! Writes an ImageConfig for one package.

use super::maker::{Candidate, Maker};
use super::new_object;
use super::runtime_config;
use crate::model::facts::ImageConfig;
use crate::model::{Meta, ObjectId};
use crate::plan::{Change, Content, Edit, Message};
use crate::rule;
use lossless_yaml::{Path, Value};
use oci::name::ImageRef;

impl<'m> Maker<'m, '_> {
    /// Creates an ImageConfig for this package only: the ImageConfig that selects its current runtime config also
    /// matches other images, and overrides the package's own reference.
    pub(super) fn image_config(
        &mut self,
        candidate: Candidate<'m>,
        name: &str,
        (after, chooser, chosen): (ObjectId, &Meta, &ImageConfig),
    ) -> Option<Edit> {
        let Candidate { meta, package, .. } = candidate;
        let source = runtime_config::rewritten_source(self.model, &package.image);
        let path = ImageRef::split(&source).name;
        // Include the character that ends the name, so that longer names do not match.
        let prefix = source.get(..=path.len()).unwrap_or(&source).to_owned();
        if chosen.matches_single_image() {
            let change =
                Change::Set { old: chosen.runtime_config.as_deref().unwrap_or_default().into(), new: name.into() };
            let path = Path::dotted("spec.runtime.configRef.name");
            let text = format_args!("{path} is {name}: {meta} has its own runtime config");
            let message = Message::about(chooser, "", text);
            return Some(Edit { object: after, path, change, rule: rule::RUNTIME_CONFIG, message });
        }
        if chosen.matches(&source).is_none_or(|length| length >= prefix.len()) {
            let message = format!(
                "{meta} is not changed: {chooser} chooses a runtime config for this and other images, by a prefix that is at least as \
                 long as {prefix}, so that an ImageConfig only for this package would not win. Shorten that prefix, or give the \
                 package its own ImageConfig and runtime config"
            );
            self.add_finding(candidate, candidate.severity(), rule::RUNTIME_CONFIG, message);
            return None;
        }
        if self.names.insert(("ImageConfig".to_owned(), name.to_owned()), Some(meta)).is_some() {
            let message = format!(
                "{meta} is not changed: {chooser} chooses its runtime config, so it needs its own ImageConfig, which \
                 would be called {name}, but another ImageConfig has that name. Rename the other ImageConfig"
            );
            self.add_finding(candidate, candidate.severity(), rule::RUNTIME_CONFIG, message);
            return None;
        }
        let object = self.add("ImageConfig", name, meta);
        let matches = Value::map([("type", "Prefix".into()), ("prefix", prefix.into())]);
        let spec = Value::map([
            ("matchImages", Value::Seq(vec![matches])),
            ("runtime", Value::map([("configRef", Value::map([("name", name.into())]))])),
        ]);
        let content = Content::New(new_object::meta("ImageConfig", name, meta).with_spec(spec));
        let message = format!(
            "{meta}: ImageConfig {name} is new: {chooser} sets the runtime config of this and of other images, and overrides the \
             package's own reference"
        );
        let message = message.into();
        let change = Change::AddDocument { after, content };
        Some(Edit { object, path: Path::root(), change, rule: rule::RUNTIME_CONFIG, message })
    }
}
