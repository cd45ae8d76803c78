//! `kind: HostNetworkCheck`: loads objects, runs the rules, builds the report. Changes nothing.

mod baseline;
mod finding_objects;
mod origins;
mod policy;
mod port_map;
mod read;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use baseline::compare;
use finding_objects::FindingObjects;
pub use origins::set_source_places;
pub use policy::policies;
pub use port_map::port_map;
use read::CheckedModel;

use super::duplicate_keys;
use super::{kustomize, kustomize_names, places};

use crate::api::{
    AnyConfig, ApiServer, CheckConfig, ConfigError, Day, HOST_NETWORK, HOST_NETWORK_CHECK, HostNetworkCheckSpec,
    HostNetworkConfig, HostNetworkSpec, Select,
};
use crate::check::{self, CheckContext, Finding, PackagePods, Settings};
use crate::judge::suppress::{Suppressed, Suppressions};
use crate::model::pod::PodTemplate;
use crate::model::{Meta, Model, Object, ObjectId};
use crate::plan::{FindingSummary, Matcher, unmatched};
use crate::render::ResourceRef;
use crate::render::check::{Entry, Location, Report, fingerprint};
use crate::rule::{self, Rule, Severity};
use krm::{Input, ReadError, escape_line};
use lossless_yaml::Path;

/// Config kinds of a check.
pub const KINDS: [&str; 2] = [HOST_NETWORK_CHECK, HOST_NETWORK];

/// Configs of a check.
#[derive(Debug, Clone, Default)]
pub struct Configs {
    /// Selected objects and severities; without it all objects are checked with the rules' own severities.
    pub check: Option<CheckConfig>,
    /// Ports of nodes, shared ports, programs, and kinds with pod templates.
    pub host_network: Option<HostNetworkConfig>,
    /// Network of the API server; overrides `spec.apiServer` of the check.
    pub api_server: Option<ApiServer>,
    /// Version of OpenKruise, such as `v1.8.4`; overrides `spec.versions.openkruise` of the check.
    pub openkruise: Option<String>,
    /// Names of container ports in patches of kustomizations; the patches themselves are not read.
    pub patched_ports: BTreeSet<String>,
}

impl Configs {
    /// Spec of the check, or the default spec, with the values that override it.
    fn spec(&self) -> HostNetworkCheckSpec {
        let mut spec = self.check.as_ref().map(|config| config.check.spec.clone()).unwrap_or_default();
        spec.api_server = self.api_server.unwrap_or(spec.api_server);
        spec.versions.openkruise = self.openkruise.clone().or(spec.versions.openkruise);
        spec
    }

    /// Adds the configs in a text: at most one of each kind.
    pub fn add(&mut self, text: &str, origin: &str) -> Result<(), ConfigError> {
        self.add_configs(AnyConfig::read_all(text, origin, 1)?)
    }

    /// Adds the `functionConfig` from a function host.
    pub fn add_function_config(&mut self, text: &str) -> Result<(), ConfigError> {
        self.add_configs(AnyConfig::all_from_host(text)?)
    }

    /// Adds the configs that a check uses: at most one of each kind.
    fn add_configs(&mut self, configs: Vec<AnyConfig>) -> Result<(), ConfigError> {
        let twice = |kind: &str, place: String| {
            let message = format!("a second {kind}; keep one of them");
            Err(ConfigError::new(place, message))
        };
        let kind = Path::root().key("kind");
        let other = match configs.as_slice() {
            [AnyConfig::Proxy(config)] => Some((config.place_of(&kind), "ProxyEnvironment", "hostnet proxy check")),
            [AnyConfig::Mirror(config)] => Some((config.place_of(&kind), "PackageMirror", "hostnet apply")),
            _ => None,
        };
        if let Some((place, kind, takes)) = other {
            return Err(ConfigError::new(place, format!("`check` does not use {kind}; `{takes}` does")));
        }
        for config in configs {
            match config {
                AnyConfig::Check(config) if self.check.is_none() => self.check = Some(*config),
                AnyConfig::Check(config) => return twice("HostNetworkCheck", config.place_of(&kind)),
                AnyConfig::HostNetwork(config) if self.host_network.is_none() => self.host_network = Some(*config),
                AnyConfig::HostNetwork(config) => return twice("HostNetwork", config.place_of(&kind)),
                // Other kinds may share the file and do not affect a check.
                AnyConfig::Proxy(_) | AnyConfig::Mirror(_) => {}
            }
        }
        Ok(())
    }
}

/// Compiles the selects in a list of the config.
fn matchers(list: &[Select], key: &'static str, config: &CheckConfig) -> Result<Vec<Matcher>, ConfigError> {
    let path = Path::dotted("spec").key(key);
    list.iter().enumerate().map(|(index, select)| Matcher::new(select, config, &path.item(index))).collect()
}

/// Checks inputs that belong together. `unread` are files that are not text; suppressions that end before `today` do
/// not apply.
///
/// Documents that cannot be read become findings; the other documents are checked.
pub fn run(inputs: &mut [Input], unread: Vec<ReadError>, configs: &Configs, today: Day) -> Result<Report, ConfigError> {
    let spec = &configs.spec();
    let (select, exclude) = match &configs.check {
        Some(config) => (matchers(&spec.select, "select", config)?, matchers(&spec.exclude, "exclude", config)?),
        None => (Vec::new(), Vec::new()),
    };
    let mut suppressions = match &configs.check {
        Some(config) => Suppressions::from_config(&spec.suppress, config, today)?,
        None => Suppressions::default(),
    };
    if let Some(config) = &configs.host_network {
        suppressions.add_for_other_run_kind(&config.host_network.spec.suppress, config, today)?;
    }
    let host_network = configs.host_network.as_ref().map(|config| &config.host_network.spec);
    let loaded = CheckedModel::load(inputs, unread, host_network);
    let runs = |id: &str| spec.rules.get(id).is_none_or(|given| given.severity().is_some());
    let called = if select.iter().chain(&exclude).any(|one| one.called.is_some()) {
        check::called(&loaded.model)
    } else {
        BTreeMap::new()
    };
    suppressions.index_model(&loaded.model);
    let mut settings = settings(spec, host_network);
    let packages = PackagePods::new(&loaded.model, &loaded.facts, &loaded.inputs, &settings);
    let finding_objects = FindingObjects::new(&loaded.model, &packages);
    let mut accepted = suppressions.suppressible_objects(&loaded.model, rule::PORT_CONFLICT.id);
    let by_package = packages.iter().filter(|pods| pods.packages.iter().any(|id| accepted.contains(id)));
    let by_package: Vec<ObjectId> = by_package.map(|pods| pods.config).collect();
    accepted.extend(by_package);
    settings.accepted = Some(&accepted);
    settings.patched_ports = Some(&configs.patched_ports);
    let is_checked = (0..loaded.model.objects().len()).map(|id| {
        let one_of = |list: &[Matcher]| {
            let is_match = |(id, meta): (ObjectId, &Meta)| {
                list.iter().any(|one| one.matches(meta) && one.matches_call(called.contains_key(&id)))
            };
            finding_objects.of_object(id).any(is_match)
        };
        (select.is_empty() || one_of(&select)) && !one_of(&exclude)
    });
    let is_checked: Vec<bool> = is_checked.collect();
    let selects_nothing = !select.is_empty() && {
        let called = |id: ObjectId| called.contains_key(&id);
        let one_of = |id, meta| select.iter().any(|one| one.matches(meta) && one.matches_call(called(id)));
        !loaded.model.objects().iter().enumerate().any(|(id, object)| one_of(id, &object.meta))
    };
    let metas = loaded.model.objects().iter().map(|object| &object.meta);
    let is_silent_build = selects_nothing && kustomize::is_build(inputs, metas);
    let mut findings = findings(&loaded, &packages, &is_checked, settings, runs);
    findings.extend(former_names(&loaded, &packages));
    findings.retain(|finding| {
        let mut objects = finding.object.into_iter().chain(finding.other.as_ref().map(|(id, _)| *id)).peekable();
        objects.peek().is_none() || objects.any(|id| is_checked.get(id) == Some(&true))
    });
    for finding in &mut findings {
        apply_severity(finding, spec);
    }
    let accepted = findings.iter().map(|finding| suppressions.accepts(finding, &finding_objects.for_finding(finding)));
    let accepted = accepted.collect();
    let mut entries = entries(inputs, &loaded, findings, accepted);
    entries.extend(loaded.errors.iter().map(unread_entry));
    let unused = suppressions.unused(true).into_iter();
    entries.extend(
        unused.map(|(place, message)| {
            plain(Severity::Warning, rule::UNUSED_IGNORE, &message, Some(Location::read(&place)))
        }),
    );
    if let Some(config) = &configs.check {
        entries.extend(doubtful_selects(config, &loaded.model, selects_nothing && !is_silent_build));
    }
    if let Some(config) = configs.check.as_ref().filter(|_| is_silent_build) {
        let message = kustomize::nothing_checked_message(&config.check.metadata.name);
        entries.push(plain(Severity::Error, rule::UNMATCHED, &message, None));
    }
    if runs(rule::UNUSED_IGNORE.id) {
        let mut unused = suppressions.unused_annotations(&loaded.model);
        for finding in &mut unused {
            apply_severity(finding, spec);
        }
        let none = vec![None; unused.len()];
        entries.extend(self::entries(inputs, &loaded, unused, none));
    }
    for entry in &mut entries {
        entry.fails = entry.suppressed.is_none() && spec.fail_on.fails(entry.severity);
    }
    entries.sort_by(|a, b| {
        (a.severity, &a.place, &a.object, &a.message).cmp(&(b.severity, &b.place, &b.object, &b.message))
    });
    entries.dedup();
    fingerprint(&mut entries);
    let rules: Vec<Rule> = rule::checked().filter(|rule| runs(rule.id)).copied().collect();
    let workloads: BTreeSet<ObjectId> = loaded.model.workloads().map(|workload| workload.0.object).collect();
    let selected = workloads.iter().filter(|id| is_checked.get(**id) == Some(&true)).count();
    let (objects, workloads) = (loaded.model.objects().len(), workloads.len());
    Ok(Report { entries, rules, objects, workloads, selected: Some(selected), ..Report::default() })
}

/// Warnings about texts in the selects of the config that the user most likely meant differently and, if `select`
/// matches nothing, about each of its entries.
fn doubtful_selects(config: &CheckConfig, model: &Model, selects_nothing: bool) -> Vec<Entry> {
    let spec = &config.check.spec;
    let lists = [("select", &spec.select, selects_nothing), ("exclude", &spec.exclude, false)].into_iter();
    let found = lists.flat_map(|(list, selects, is_unmet)| {
        let of_entry = move |(index, select)| unmatched::of_check(model, config, (list, index, select), !is_unmet);
        selects.iter().enumerate().filter_map(of_entry)
    });
    found
        .map(|(place, message)| plain(Severity::Warning, rule::UNMATCHED, &message, Some(Location::read(&place))))
        .collect()
}

/// Applies the config's severity to a finding. Severity info is kept.
fn apply_severity(finding: &mut Finding, spec: &HostNetworkCheckSpec) {
    if finding.severity == Severity::Info {
        return;
    }
    if let Some(severity) = spec.rules.get(finding.rule.id).and_then(|given| given.severity()) {
        finding.severity = severity;
    }
}

/// Collects the settings of rules from the configs.
fn settings<'c>(spec: &'c HostNetworkCheckSpec, host_network: Option<&'c HostNetworkSpec>) -> Settings<'c> {
    Settings {
        api_server: spec.api_server,
        versions: &spec.versions,
        nodes: spec.nodes.as_ref().or_else(|| host_network?.nodes.as_ref()),
        reserved: host_network.map_or(&[], |spec| &spec.reserved),
        host_network,
        accepted: None,
        programs: host_network.map_or(&[], |spec| &spec.programs),
        patched_ports: None,
    }
}

/// Findings of all rules that `runs` accepts.
fn findings(
    loaded: &CheckedModel,
    packages: &[PackagePods],
    is_checked: &[bool],
    settings: Settings<'_>,
    runs: impl Fn(&str) -> bool,
) -> Vec<Finding> {
    let context = CheckContext::new(&loaded.model, packages, &loaded.facts, &loaded.inputs, is_checked, settings);
    let mut findings = check::run(&context, &runs);
    if runs(rule::DUPLICATE_KEY.id) {
        let found = duplicate_keys::findings(&loaded.duplicates, &loaded.model, |_| Severity::Warning);
        findings.extend(found.into_iter().map(|finding| finding.at(Path::root())));
    }
    findings
}

/// Findings about references by former names that kustomize updates only with a row in `configurations`, if they
/// concern pods on the host network, packages, or workloads that the API server calls.
fn former_names(loaded: &CheckedModel, packages: &[PackagePods]) -> Vec<Finding> {
    if loaded.view.former.is_empty() {
        return Vec::new();
    }
    let on_host = |(_, object): &(usize, &Object)| object.templates().iter().any(PodTemplate::on_host_network);
    let on_host = loaded.model.objects().iter().enumerate().filter(on_host).map(|(id, _)| id);
    let package_objects = packages.iter().flat_map(|pods| pods.packages.iter().copied().chain([pods.config]));
    let concerned = on_host.chain(package_objects).chain(check::called(&loaded.model).into_keys());
    kustomize_names::former_names(&loaded.view, &loaded.model, concerned.collect())
}

/// Converts findings to report entries with locations.
fn entries(
    inputs: &[Input],
    loaded: &CheckedModel,
    findings: Vec<Finding>,
    accepted: Vec<Option<Suppressed>>,
) -> Vec<Entry> {
    let root = Path::root();
    let own = findings.iter().filter_map(|finding| Some((finding.object?, finding.path.as_ref().unwrap_or(&root))));
    let others = findings.iter().filter_map(|finding| finding.other.as_ref()).map(|(id, path)| (*id, path));
    let requests: Vec<(ObjectId, &Path)> = own.chain(others).collect();
    let places = places::locations(inputs, &loaded.firsts, &requests);
    let mut references = References { loaded, known: BTreeMap::new() };
    let count = findings.iter().filter(|finding| finding.object.is_some()).count();
    let (own, others) = places.split_at_checked(count).unwrap_or((&places, &[]));
    let (mut own, mut others) = (own.iter().cloned(), others.iter().cloned());
    let mut entries = Vec::with_capacity(findings.len());
    for (finding, suppressed) in findings.into_iter().zip(accepted) {
        let source = finding.object.and_then(|id| loaded.source(id));
        let place = finding.object.and_then(|_| own.next().flatten());
        let other = finding.other.and_then(|(id, _)| {
            let place = others.next().flatten();
            Some((references.get(id)?, place))
        });
        let place = place.map(|place| Location { position: finding.position.or(place.position), ..place });
        entries.push(Entry {
            object: finding.object.and_then(|id| references.get(id)),
            path: finding.path,
            source,
            other,
            suppressed,
            ports: finding.ports,
            brief: finding.brief.map(|brief| *brief),
            ..plain(finding.severity, finding.rule, &finding.message, place)
        });
    }
    entries
}

/// Object references, shared between the findings of an object.
struct References<'l> {
    loaded: &'l CheckedModel,
    known: BTreeMap<ObjectId, Arc<ResourceRef>>,
}

impl References<'_> {
    fn get(&mut self, id: ObjectId) -> Option<Arc<ResourceRef>> {
        let meta = &self.loaded.model.object(id)?.meta;
        Some(Arc::clone(self.known.entry(id).or_insert_with(|| Arc::new(meta.into()))))
    }
}

/// Entry without an object, such as for an unreadable input or the config.
fn plain(severity: Severity, rule: Rule, message: &str, place: Option<Location>) -> Entry {
    Entry { place, ..Entry::new(severity, rule, escape_line(message).into_owned()) }
}

fn unread_entry((file, error): &(Option<String>, ReadError)) -> Entry {
    let place = Location { file: file.clone().filter(|file| !file.is_empty()), position: error.position };
    let subject = if error.place.is_empty() { String::new() } else { format!("{}: ", error.place) };
    let message = format!("{subject}{}. It was not checked", error.message.trim_end_matches('.'));
    let brief = FindingSummary {
        fix: "correct this: it cannot be read and was not checked".to_owned(),
        detail: escape_line(&error.message).into_owned(),
        ..FindingSummary::default()
    };
    Entry {
        brief: Some(brief),
        ..plain(
            Severity::Error,
            rule::DOCUMENT,
            &message,
            Some(place).filter(|place| place.file.is_some() || place.position.is_some()),
        )
    }
}
