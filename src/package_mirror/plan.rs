//! Plans the changes to packages, their runtime configs, Crossplane's core, and workloads that a select matches.

use super::crossplane::{Style, style};
use super::default_registry::unqualified_names;
use super::facts::MirrorFacts;
use super::lock::Reading;
use super::rewritten::is_final;
use super::routes::Routes;
use super::rules::MirrorRules;
use super::writer::Writer;
use super::{
    core, core_ca, core_packages, dependencies, digests, image_configs, images, known, names, nested_findings,
    other_image_configs, policies, registries, rewrite, runtime_images,
};
use crate::catalog::IMAGE_REWRITES_SINCE;
use crate::crossplane::{Core, is_crossplane};
use crate::judge::duplicate_objects::duplicate_packages;
use crate::model::pod::PodTemplate;
use crate::model::{Model, ObjectId};
use crate::plan::{Finding, Matcher, NothingSelected, Plan, config_object, misread, unmatched};
use crate::rule::{self, Severity};
use crate::xpkg::library;
use oci::name::ImageRef;

/// Plans the changes to the objects of a model.
pub fn plan(model: &Model, facts: &MirrorFacts, rules: &MirrorRules<'_>) -> Plan {
    let mut plan = Plan::default();
    config_object::report_configs_in_input(model, &mut plan.findings);
    let core = Core::find(model, rules.config.mirror.spec.crossplane.version.as_deref());
    let style = match style(rules.config, &core) {
        Ok(style) => style,
        Err(reason) => {
            plan.findings.push(Finding::new(Severity::Error, rule::PACKAGE_SOURCE, reason));
            return plan;
        }
    };
    let is_about = |id: &ObjectId| model.object(*id).is_some_and(|object| rules.is_about(object));
    let packages: Vec<ObjectId> = facts.packages.keys().copied().filter(is_about).collect();
    plan.findings.extend(duplicate_packages(model, packages.iter().copied()));
    let unqualified = &unqualified_names(model, facts, core.version());
    let routes = &Routes::new((model, facts), rules, (core.version(), style), unqualified);
    let reading = Reading { model, facts, rules, routes, style, unqualified, library: library(core.version()) };
    let mut writer = Writer { reading, core, packages, pins: Vec::new(), plan };
    writer.report_unmatched_selects();
    writer.report_packages_without_rule();
    nested_findings::report_nested_findings(&mut writer);
    registries::report_registries(&mut writer);
    known::check(&mut writer);
    writer.pins = digests::check(&mut writer);
    other_image_configs::check(&mut writer);
    match style {
        Style::ImageConfig => image_configs::write(&mut writer),
        Style::Rewrite => rewrite::write(&mut writer),
    }
    names::check(&mut writer);
    dependencies::check(&mut writer);
    images::write(&mut writer);
    runtime_images::check(&mut writer);
    policies::write(&mut writer);
    core_ca::write(&mut writer);
    writer.pull_secret();
    writer.report_unknown_version();
    writer.plan
}

impl Writer<'_> {
    /// Warns about a select without matches, which is most likely misspelt, and about globs in `exclude`.
    fn report_unmatched_selects(&mut self) {
        let selects = &self.rules.config.mirror.spec.select;
        for (index, (matcher, select)) in self.rules.select.iter().zip(selects).enumerate() {
            let path = lossless_yaml::Path::dotted("spec.select").item(index);
            let place = || self.rules.config.place_of(&path);
            if self.matches_any(matcher) {
                self.plan.findings.extend(misread::report_target(self.model, matcher, select, place));
                continue;
            }
            let hint = unmatched::hint(self.model, matcher, select);
            let message = format!("{}: the select matches nothing in the input{hint}", place());
            self.add_finding(Severity::Warning, rule::UNMATCHED, message, None);
        }
        if !self.rules.select.is_empty() && !self.rules.select.iter().any(|matcher| self.matches_any(matcher)) {
            self.nothing_selected();
        }
        let config = self.rules.config;
        let excludes = misread::report_excludes(self.model, config, &config.mirror.spec.exclude);
        self.plan.findings.extend(excludes);
    }

    /// True if a select matches an object to which it applies, or an object of any kind with images.
    fn matches_any(&self, matcher: &Matcher) -> bool {
        let mut with_images = self.facts.images.keys().filter_map(|id| self.model.object(*id));
        self.model.objects().iter().any(|object| matcher.matches_object(object))
            || with_images.any(|object| matcher.matches(&object.meta))
    }

    /// Records that the config selects no object.
    fn nothing_selected(&mut self) {
        let nothing = NothingSelected { accepted_by: "failOn: Never", ..NothingSelected::default() };
        self.plan.missed.nothing_selected = Some(nothing);
    }

    /// Reports packages that no rule matches, and a config without effect.
    fn report_packages_without_rule(&mut self) {
        for id in self.packages.clone() {
            let Some(package) = self.facts.packages.get(&id) else { continue };
            let source = super::crossplane::qualified(&package.source, self.unqualified);
            let name = ImageRef::split(&source).name;
            if self.rules.of_package(name).is_some() || self.rules.is_mirrored(name) {
                continue;
            }
            // The code that adds the registry reports names without a registry.
            if ImageRef::split(&source).is_unqualified() {
                continue;
            }
            let label = self.display_name(id);
            if ImageRef::read(name).is_err() {
                // An invalid package name is an error, unless it contains a placeholder.
                if !is_final(&source) {
                    let message =
                        format!("{label} is not changed: `{name}` is not a name of a package, or is filled in later");
                    self.add_finding(Severity::Warning, rule::PACKAGE_SOURCE, message, Some(id));
                }
                continue;
            }
            if self.rules.equals_rule_source(name) {
                let message = format!(
                    "{label} is not changed: {name} is the `from` of a rule, and a rule matches only names below its \
                     `from`. Write the prefix above it"
                );
                self.add_finding(Severity::Error, rule::PACKAGE_SOURCE, message, Some(id));
                continue;
            }
            // Docker Hub has two names, and Crossplane compares text.
            let other = self.rules.image_in_mirror(name).is_some();
            let (severity, reason) = if self.rules.matches_ignoring_case(name) {
                (
                    Severity::Warning,
                    "; a rule has this name with other upper and lower case letters, and Crossplane compares names as they are written",
                )
            } else if other {
                (
                    Severity::Warning,
                    "; the rule for Docker Hub has another spelling of its name, and Crossplane compares names as they \
                     are written. Add a rule for this spelling",
                )
            } else {
                (Severity::Info, "")
            };
            let message = format!("{label} is not changed: no rule has a `from` above {name}{reason}");
            self.add_finding(severity, rule::PACKAGE_SOURCE, message, Some(id));
        }
        let runs_it = |template: &PodTemplate| template.containers.iter().any(|one| is_crossplane(template, one));
        let has_core = self.model.workloads().any(|(_, _, template)| runs_it(template));
        let has_package =
            !self.packages.is_empty() || !core_packages::packages(self.model, self.facts, Some(self.rules)).is_empty();
        if !has_package && self.rules.select.is_empty() && !has_core {
            let chart = self.facts.core_charts.keys().next().copied();
            let message = match chart {
                Some(id) => format!(
                    "{} installs Crossplane's core by its chart, which is not rendered here, and the input holds no package, so nothing is \
                     moved. Add the output of the script that `hostnet charts` prints",
                    self.display_name(id)
                ),
                None => "the input holds neither a package nor Crossplane's core, so nothing is moved".to_owned(),
            };
            self.add_finding(Severity::Warning, rule::UNMATCHED, message, chart);
            self.nothing_selected();
        }
    }

    /// Reports that the pull secret has to exist in the core's namespace.
    fn pull_secret(&mut self) {
        let spec = &self.rules.config.mirror.spec;
        let Some(name) = spec.pull_secret.as_deref() else { return };
        let namespace = spec.crossplane.namespace.clone().or_else(|| core::namespace(self.model));
        let secrets = self.model.objects().iter().map(|object| &object.meta);
        let namespaces: Vec<Option<&str>> = secrets
            .filter(|meta| meta.gvk.group.is_empty() && meta.gvk.kind == "Secret" && meta.name == name)
            .map(|meta| meta.namespace.as_deref())
            .collect();
        if namespaces.is_empty() || namespaces.contains(&namespace.as_deref()) || namespace.is_none() {
            return;
        }
        let message = format!(
            "Secret {name} is in namespace {}, and Crossplane's core looks for it in its own namespace, {}: create it \
             there too",
            namespaces.iter().flatten().min().unwrap_or(&"default"),
            namespace.unwrap_or_default()
        );
        self.add_finding(Severity::Warning, rule::PACKAGE_SOURCE, message, None);
    }

    fn report_unknown_version(&mut self) {
        if !self.packages.is_empty() {
            let features: &[&str] = if self.style == Style::ImageConfig { &[IMAGE_REWRITES_SINCE] } else { &[] };
            self.plan.findings.extend(self.core.assumed(features));
        }
    }
}
