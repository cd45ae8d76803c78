//! Polaris: its webhook refuses objects that fail a check with the severity `danger` in its config.
//!
//! Source: FairwindsOps/polaris@ca3e46eb docs/admission-controller.md, docs/customization/checks.md and exemptions.md;
//! pkg/config/checks/hostNetworkSet.yaml and hostPortSet.yaml.

use super::policy::{Certainty, Outcome, Policy, combined};
use super::read::{at, items, text, texts};
use super::subject::Pods;
use crate::model::facts::POLARIS_CHECKS;
use crate::model::listener::{Hints, called, program_of};
use crate::model::pod::Container;
use crate::model::{Meta, Model, ObjectId};
use lossless_yaml::{Tree, Value};

/// Prefix of the annotations that exempt an object from checks.
const PREFIX: &str = "polaris.fairwinds.com/";

/// Checks of the default config about host fields, and workloads that it exempts.
///
/// Source: FairwindsOps/polaris@0ef08fca pkg/config/default.yaml.
const DEFAULT: &str = "
checks: {hostNetworkSet: danger, hostPortSet: warning}
exemptions:
- namespace: kube-system
  controllerNames: [kube-apiserver, kube-proxy, kube-scheduler, etcd-manager-events, kube-controller-manager, kube-dns, etcd-manager-main]
  rules: [hostNetworkSet]
- controllerNames: [dns-controller, datadog-datadog, kube-flannel-ds, kube2iam, aws-iam-authenticator, datadog]
  rules: [hostNetworkSet]
";

/// A config that a webhook of the input reads.
pub(super) struct Polaris<'m> {
    meta: &'m Meta,
    /// Description of the config after the name of its object.
    place: &'static str,
    config: Value,
}

impl<'m> Polaris<'m> {
    /// Returns the config in a ConfigMap; `None` unless a workload that the API server calls reads the ConfigMap.
    pub(super) fn new(model: &'m Model, meta: &'m Meta, object: &Value) -> Option<Self> {
        let is_called = |key: &str| {
            let readers = model.readers(meta.namespace.as_deref(), &meta.name, key);
            !readers.is_empty() && {
                let called = called(model);
                readers.iter().any(|reader| called.contains_key(&reader.object))
            }
        };
        let texts = at(object, &["data"]).map(Value::entries).unwrap_or_default().iter();
        let mut configs = texts.filter_map(|(key, value)| Some((key, parsed(value.as_text()?)?)));
        let has_checks = |config: &Value| POLARIS_CHECKS.iter().any(|check| at(config, &["checks", check]).is_some());
        let (_, config) = configs.find(|(key, config)| has_checks(config) && is_called(key))?;
        Some(Self { meta, place: "", config })
    }

    /// The webhooks of the input that use the default config, which the program has inside, each with its workload.
    pub(super) fn by_default(model: &'m Model) -> Vec<(ObjectId, Self)> {
        let is_webhook = |container: &Container, meta: &Meta| {
            let hints = Hints::default();
            let has =
                |word: &str| container.words().any(|(.., own)| own == word || own.starts_with(&format!("{word}=")));
            let is_own = !["--config", "-c"].into_iter().any(has);
            is_own && program_of(container, meta, &hints).is_some_and(|(program, _)| program.name == "polaris-webhook")
        };
        let webhooks = model.workloads().filter(|(_, object, template)| {
            template.containers.iter().any(|container| is_webhook(container, &object.meta))
        });
        let mut webhooks = webhooks.peekable();
        if webhooks.peek().is_none() {
            return Vec::new();
        }
        let called = called(model);
        let webhooks = webhooks.filter(|(id, ..)| called.contains_key(&id.object));
        let default = |meta| Some(Self { meta, place: " in its default config", config: parsed(DEFAULT)? });
        webhooks.filter_map(|(id, object, _)| Some((id.object, default(&object.meta)?))).collect()
    }

    /// True if a check refuses pods, and neither an annotation nor the config exempts them.
    fn refuses(&self, pods: &Pods<'_>, check: &str) -> bool {
        let meta = pods.view.meta;
        let is_set = |name: &str| meta.annotations.get(&format!("{PREFIX}{name}")) == Some("true");
        let is_exempt = |exemption: &Value| {
            let (names, rules) = (texts(exemption, &["controllerNames"]), texts(exemption, &["rules"]));
            let namespace = text(exemption, &["namespace"]).filter(|namespace| !namespace.is_empty());
            namespace.is_none_or(|namespace| pods.namespace() == Some(namespace))
                && (names.is_empty() || names.iter().any(|name| meta.name.starts_with(name)))
                && (rules.is_empty() || rules.contains(&check))
        };
        text(&self.config, &["checks", check]) == Some("danger")
            && !is_set("exempt")
            && !is_set(&format!("{check}-exempt"))
            && !items(&self.config, &["exemptions"]).iter().any(is_exempt)
    }
}

impl Policy for Polaris<'_> {
    fn evaluate(&self, pods: &Pods<'_>) -> Option<Outcome> {
        let has_field = [pods.host_network, !pods.host_ports().is_empty()];
        let checks = POLARIS_CHECKS.into_iter().zip(has_field);
        let refused = checks.filter(|(check, has_field)| *has_field && self.refuses(pods, check));
        // The rules of the webhook decide for which kinds it is called.
        combined(refused.map(|(check, _)| (check.to_owned(), Certainty::May)).collect())
    }

    fn name(&self, parts: &[String]) -> String {
        format!("{} of Polaris, with `danger` for {}{},", self.meta, parts.join(" and "), self.place)
    }

    fn remedy(&self, _: &Pods<'_>, parts: &[String]) -> String {
        let annotations: Vec<String> =
            parts.iter().map(|check| format!("`{PREFIX}{check}-exempt: \"true\"`")).collect();
        format!("annotate the workload with {}", annotations.join(" and "))
    }
}

fn parsed(text: &str) -> Option<Value> {
    Tree::parse(text).ok()?.root(0)?.to_value()
}
