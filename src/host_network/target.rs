//! Targets and the workloads that they match.

mod report;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::called::{self, Called};
use super::hooks;
use super::workload::Workload;
use crate::api::{Bind, ConfigError, HostNetworkConfig, Ports, Target, unknown_name};
use crate::catalog::{self, KnownSetting, PackageKind, Program};
use crate::crossplane::{Runtimes, SelectedPackage};
use crate::model::listener::{BindHint, HintedBy, Hints, ports, program_of};
use crate::model::pod::PodTemplate;
use crate::model::{Meta, Model, Object, ObjectId, WorkloadId};
use crate::plan::{Finding, Matcher, NothingSelected, Plan, listed, misread};
use crate::rule::{self, Severity};
use crate::version::ProgramVersion;
use lossless_yaml::Path;

/// Maximum number of workloads in a message.
const NAMED: usize = 5;

/// Compiled targets of a config.
#[derive(Debug)]
pub struct Targets<'c> {
    pub(super) config: &'c HostNetworkConfig,
    compiled: Vec<Compiled<'c>>,
    /// Variables that `bind` names.
    variables: Vec<String>,
    exclude: Vec<Matcher>,
}

/// Objects that targets match, in reading order.
#[derive(Debug)]
pub(super) struct MatchedObjects {
    /// Objects of each target.
    pub(super) by_target: Vec<Vec<ObjectId>>,
    /// Hooks and Jobs without a port that a broad select leaves unchanged.
    pub(super) hooks: Vec<ObjectId>,
}

#[derive(Debug)]
struct Compiled<'c> {
    target: &'c Target,
    matcher: Matcher,
    hints: Hints,
}

impl<'c> Targets<'c> {
    /// Compiles the targets of a config. Fails on invalid regular expressions, selectors and versions, and on unknown
    /// programs.
    pub fn compile(config: &'c HostNetworkConfig) -> Result<Self, ConfigError> {
        let spec = &config.host_network.spec;
        let programs: Arc<[Arc<Program>]> = spec.programs.iter().cloned().map(Arc::new).collect();
        let at = |list: &'static str, index: usize| Path::root().key("spec").key(list).item(index);
        let targets = spec.targets.iter().enumerate().map(|(index, target)| {
            let path = at("targets", index);
            let matcher = Matcher::new(&target.select, config, &path.key("select"))?;
            let program = program(target, &programs, config, &path)?;
            let hints =
                Hints { program, programs: Arc::clone(&programs), bind: bind_hints(target), ..Hints::default() };
            Ok(Compiled { target, matcher, hints })
        });
        if let Some(version) = spec.crossplane.version.as_deref()
            && !ProgramVersion::read(version).is_known()
        {
            let path = Path::dotted("spec.crossplane.version");
            return Err(config.error_at(&path, format!("`{version}` is not a version: expected one such as `v2.0.2`")));
        }
        let exclude = spec.exclude.iter().enumerate();
        let exclude = exclude.map(|(index, select)| Matcher::new(select, config, &at("exclude", index)));
        Ok(Self {
            config,
            compiled: targets.collect::<Result<_, _>>()?,
            variables: bound(config),
            exclude: exclude.collect::<Result<_, _>>()?,
        })
    }

    /// Variables to read from an object with this identity, whatever their value; `None` if no target can match the
    /// object. The content of the object decides whether it is selected.
    pub fn variables_to_read(&self, meta: &Meta) -> Option<&[String]> {
        self.compiled.iter().any(|target| target.matcher.matches(meta)).then_some(&self.variables)
    }

    /// Variables that `bind` names; they are read with any value.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// True if a target matches an object with this identity and `exclude` does not, provided that the API server calls
    /// the object.
    pub fn may_match(&self, meta: &Meta) -> bool {
        let matches = |matcher: &Matcher| matcher.matches(meta) && matcher.matches_call(true);
        self.compiled.iter().any(|target| matches(&target.matcher)) && !self.exclude.iter().any(matches)
    }

    /// True if targets without matches are reported.
    pub fn reports_unmatched(&self) -> bool {
        self.config.host_network.spec.unmatched.severity().is_some()
    }

    /// True if a select uses `calledByApiServer`.
    pub fn uses_called_by_api_server(&self) -> bool {
        self.matchers().any(|matcher| matcher.called.is_some())
    }

    /// Matchers of all targets and of `exclude`.
    fn matchers(&self) -> impl Iterator<Item = &Matcher> {
        self.compiled.iter().map(|target| &target.matcher).chain(&self.exclude)
    }

    /// True if a select has `calledByApiServer: true`: all calls are followed, and calls without a known workload are
    /// reported.
    pub(super) fn requires_called_by_api_server(&self) -> bool {
        self.matchers().any(|matcher| matcher.called == Some(true))
    }

    /// True if `exclude` matches an object.
    pub(super) fn exclude(&self, model: &Model, id: ObjectId) -> bool {
        let is_called = || called::called(model).contains_key(&id);
        let Some(object) = model.object(id) else { return false };
        let mut matching = self.exclude.iter().filter(|matcher| matcher.matches(&object.meta));
        matching.any(|matcher| matcher.called.is_none() || matcher.matches_call(is_called()))
    }

    /// Matches objects with targets, in reading order: the first target that does not skip an object gets it.
    pub(super) fn matching(&self, model: &Model, plan: &mut Plan) -> MatchedObjects {
        let findings = &mut plan.findings;
        let mut matched: Vec<Vec<ObjectId>> = vec![Vec::new(); self.compiled.len()];
        let called = if self.uses_called_by_api_server() { called::called(model) } else { Called::new() };
        let mut left = Vec::new();
        for (id, object) in model.objects().iter().enumerate() {
            let is_called = called.contains_key(&id);
            let excluded =
                || self.exclude.iter().any(|matcher| matcher.matches(&object.meta) && matcher.matches_call(is_called));
            let targets = self.compiled.iter().zip(&mut matched);
            let mut targets =
                targets.filter(|(target, _)| target.matcher.matches_if_called(object, is_called)).peekable();
            if targets.peek().is_none() || object.meta.is_local_config() || excluded() {
                continue;
            }
            match targets.find(|(target, _)| !target.skips(model, object)) {
                Some((_, ids)) => ids.push(id),
                None => left.push(id),
            }
        }
        findings.extend(hooks::report_hooks(model, &left));
        let is_unmatched = |(index, ids): &(usize, &Vec<ObjectId>)| {
            ids.is_empty() && self.matched(model, *index, &called).next().is_none()
        };
        let unmatched: Vec<usize> = matched.iter().enumerate().filter(is_unmatched).map(|(index, _)| index).collect();
        let mut may_register = Vec::new();
        if self.requires_called_by_api_server() {
            let by_call = self.compiled.iter().zip(&matched).filter(|(target, _)| target.matcher.called == Some(true));
            let ids: Vec<ObjectId> = by_call.flat_map(|(_, ids)| ids.iter().copied()).collect();
            // A target that matches nothing may be meant for a workload whose call the input does not show.
            let calls =
                |index: &usize| self.compiled.get(*index).is_some_and(|target| target.matcher.called == Some(true));
            let misses = self.reports_unmatched() && unmatched.iter().any(calls);
            let severity = if misses { Severity::Warning } else { Severity::Info };
            may_register = called::report_calls(model, &called, &ids, severity, findings);
        }
        for (index, ids) in matched.iter().enumerate() {
            self.report_unmoved_objects(model, index, ids, &called, findings);
            if let Some(target) = self.compiled.get(index).filter(|_| !unmatched.contains(&index)) {
                let place = || self.config.place_of(&Path::dotted("spec.targets").item(index).key("select"));
                findings.extend(misread::report_target(model, &target.matcher, &target.target.select, place));
            }
        }
        let exclude = &self.config.host_network.spec.exclude;
        findings.extend(misread::report_excludes(model, self.config, exclude));
        if unmatched.len() == matched.len() && self.reports_unmatched() {
            let by_call = self.requires_called_by_api_server();
            plan.missed.nothing_selected =
                Some(NothingSelected { by_call, may_register, accepted_by: "unmatched: Ignore" });
        }
        MatchedObjects { by_target: matched, hooks: left }
    }

    /// Objects that the select of a target matches, including objects that belong to an earlier
    /// target.
    fn matched<'m>(
        &'m self,
        model: &'m Model,
        index: usize,
        called: &'m Called,
    ) -> impl Iterator<Item = (ObjectId, &'m Object)> {
        let target = self.compiled.get(index);
        model.objects().iter().enumerate().filter(move |(id, object)| {
            target.is_some_and(|target| target.matcher.matches_if_called(object, called.contains_key(id)))
        })
    }

    /// Packages among the matched objects.
    pub(super) fn packages(&self, model: &Model, matched: &[Vec<ObjectId>]) -> Vec<SelectedPackage<'c>> {
        let mut packages = Vec::new();
        for (target, ids) in self.compiled.iter().zip(matched) {
            let is_package = |id: &&ObjectId| model.object(**id).is_some_and(|object| object.package().is_some());
            let strict = target.is_strict(model, ids);
            let ports = &target.target.ports;
            let is_function = |id: &ObjectId| {
                model
                    .object(*id)
                    .is_some_and(|object| PackageKind::from_meta(&object.meta) == Some(PackageKind::Function))
            };
            let only_functions = ids.iter().all(is_function);
            packages.extend(ids.iter().filter(is_package).map(|&id| SelectedPackage {
                id,
                ports,
                strict,
                only_functions,
            }));
        }
        packages
    }

    /// Workloads among the matched objects, and packages with their runtime, in reading order.
    pub(super) fn select<'m>(
        &'m self,
        model: &'m Model,
        matched: &[Vec<ObjectId>],
        runtimes: &'m Runtimes,
        findings: &mut Vec<Finding>,
    ) -> Vec<Workload<'m>> {
        let mut selected = Vec::new();
        for (index, (target, ids)) in self.compiled.iter().zip(matched).enumerate() {
            let (strict, named) = (target.is_strict(model, ids), target.names_single_object(model, ids));
            let hints = target.hints(model, ids, runtimes);
            let before = selected.len();
            for &owner in ids {
                let Some(object) = model.object(owner) else { continue };
                let own = object.templates().iter().enumerate();
                let own =
                    own.map(|(template, pod_template)| (WorkloadId { object: owner, template }, pod_template, true));
                let runtime = runtimes
                    .get(owner)
                    .map(|runtime| (WorkloadId::first(runtime.document), &runtime.template, runtime.may_declare));
                for (id, template, may_declare) in own.chain(runtime) {
                    if Self::report_if_skipped_unless_named(model, target, owner, template, findings) {
                        continue;
                    }
                    let known = ports(model, &object.meta, template, &hints);
                    let program = |container| program_of(container, &object.meta, &hints).map(|(program, _)| program);
                    selected.push(Workload {
                        id,
                        owner,
                        meta: &object.meta,
                        template,
                        listeners: known.listeners,
                        guesses: known.guesses,
                        programs: template.containers.iter().map(program).collect(),
                        target: index,
                        of_target: target.target,
                        is_broad: false,
                        strict,
                        named,
                        may_declare,
                    });
                }
            }
            findings.extend(self.unused_program(index, selected.get(before..).unwrap_or_default()));
        }
        let owners: BTreeSet<_> = selected.iter().map(|workload| (workload.target, workload.owner)).collect();
        for workload in &mut selected {
            workload.is_broad = owners.range((workload.target, 0)..(workload.target + 1, 0)).nth(1).is_some();
        }
        selected.sort_by_key(|workload| workload.id);
        selected
    }

    /// Warns if no container runs the program that a target names.
    fn unused_program(&self, index: usize, selected: &[Workload<'_>]) -> Option<Finding> {
        let Target { program: Some(named), .. } = selected.first()?.of_target else { return None };
        let name = named.split('@').next().unwrap_or_default();
        let mut programs = selected.iter().flat_map(|workload| workload.programs.iter().flatten());
        if programs.any(|program| program.name == name) {
            return None;
        }
        let message = format!(
            "{}: `program: {named}` has no effect: by image and command no container of {} runs it",
            self.config.place_of(&Path::dotted("spec.targets").item(index).key("program")),
            listed(selected, NAMED)
        );
        Some(Finding::new(Severity::Warning, rule::PORT_SETTING, message))
    }

    /// Reports a workload with a program (`alone: true` in the catalogue) that moves only if the name pattern of the
    /// select matches this workload and no other; true if the workload is skipped.
    fn report_if_skipped_unless_named(
        model: &Model,
        target: &Compiled<'_>,
        id: ObjectId,
        template: &PodTemplate,
        findings: &mut Vec<Finding>,
    ) -> bool {
        let Some(object) = model.object(id) else { return false };
        let alone = template.running().find_map(|(_, container)| {
            let (program, _) = program_of(container, &object.meta, &target.hints)?;
            program.alone.then_some(program)
        });
        let Some(program) = alone else { return false };
        let names = |meta: &Meta| target.matcher.names(&meta.name);
        let others = model.workloads().any(|(other, object, _)| other.object != id && names(&object.meta));
        if names(&object.meta) && !others {
            return false;
        }
        let fixed: Vec<String> = program
            .listeners
            .iter()
            .filter(|listener| listener.fixed)
            .map(|listener| format!("{} {}", listener.role, listener.default.unwrap_or_default()))
            .collect();
        let message = format!(
            "{} stays on the pod network: the ports of {} cannot be set ({}), and nothing in the cluster calls it. A select whose \
             name matches only this object moves it anyway",
            object.meta,
            program.name,
            fixed.join(", ")
        );
        findings.push(Finding::new(Severity::Warning, rule::PROGRAM_ALONE, message).on_object(id));
        true
    }
}

impl Compiled<'_> {
    /// Hints of the target; `is_program_shown` is true if the image of a container of these objects shows the target's
    /// program.
    fn hints(&self, model: &Model, ids: &[ObjectId], runtimes: &Runtimes) -> Hints {
        let Some((named, _)) = &self.hints.program else { return self.hints.clone() };
        let by_image = Hints { program: None, ..self.hints.clone() };
        let shows = |id: &ObjectId| {
            let Some(object) = model.object(*id) else { return false };
            let runtime = runtimes.get(*id).map(|runtime| &runtime.template);
            let mut containers = object.templates().iter().chain(runtime).flat_map(|template| &template.containers);
            containers.any(|container| {
                program_of(container, &object.meta, &by_image).is_some_and(|(program, _)| program.name == named.name)
            })
        };
        Hints { is_program_shown: ids.iter().any(shows), ..self.hints.clone() }
    }

    /// True if the target skips an object that it matches.
    fn skips(&self, model: &Model, object: &Object) -> bool {
        hooks::skips(model, &self.matcher, &self.hints, object)
    }

    /// True if a change that cannot be made stops the run: the target sets numbers, or matches only
    /// one object.
    fn is_strict(&self, model: &Model, ids: &[ObjectId]) -> bool {
        self.sets_port_numbers() || Self::exactly_one_can_move(model, ids)
    }

    /// True if the target names one object without a pattern, or sets numbers: a certain failure is then an error, else
    /// a warning.
    fn names_single_object(&self, model: &Model, ids: &[ObjectId]) -> bool {
        let is_plain = |name: &String| name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
        self.sets_port_numbers()
            || (self.target.select.name.as_ref().is_some_and(is_plain) && Self::exactly_one_can_move(model, ids))
    }

    /// True if `ports` of the target is a mapping with entries.
    fn sets_port_numbers(&self) -> bool {
        matches!(&self.target.ports, Ports::Map(map) if !map.is_empty())
    }

    /// True if exactly one of the objects can move.
    fn exactly_one_can_move(model: &Model, ids: &[ObjectId]) -> bool {
        let moves = |id: &&ObjectId| model.object(**id).is_some_and(|o| o.has_template() || o.package().is_some());
        ids.iter().filter(moves).count() == 1
    }
}

/// Program of a target, `NAME` or `NAME@VERSION`: from the config, else from the catalogue.
fn program(
    target: &Target,
    programs: &[Arc<Program>],
    config: &HostNetworkConfig,
    path: &Path,
) -> Result<Option<(Arc<Program>, ProgramVersion)>, ConfigError> {
    let Some(text) = &target.program else { return Ok(None) };
    let (name, version) = match text.split_once('@') {
        Some((name, version)) => (name, ProgramVersion::read_release(version)),
        None => (text.as_str(), ProgramVersion::unknown()),
    };
    if let Some((_, given)) = text.split_once('@')
        && !version.is_known()
    {
        let message = format!(
            "`{given}` is not a version that can be compared: expected one such as `v1.2.3` or `edge-25.8.5`. Without one, write \
             `program: {name}`, and `bind` for flags"
        );
        return Err(config.error_at(&path.key("program"), message));
    }
    let own = programs.iter().find(|program| program.name == name).cloned();
    let Some(program) = own.or_else(|| catalog::program(name)) else {
        let mut known: Vec<&str> = programs.iter().map(|program| program.name.as_str()).collect();
        known.extend(catalog::program_names());
        let message = unknown_name("program", name, &known);
        return Err(config.error_at(&path.key("program"), message));
    };
    Ok(Some((program, version)))
}

/// Converts the entries of `bind` to hints for the search for listeners.
fn bind_hints(target: &Target) -> Vec<BindHint> {
    let hints = target.bind.iter().map(|bind| BindHint {
        container: bind.container.clone(),
        port: bind.port.clone(),
        number: bind.number.map(std::num::NonZeroU16::get),
        set_by: set_by(bind),
    });
    hints.collect()
}

/// Setting that an entry of `bind` names.
fn set_by(bind: &Bind) -> HintedBy {
    let value = bind.value.clone().unwrap_or_else(|| "{port}".to_owned());
    match (&bind.annotation, &bind.file, &bind.key) {
        _ if bind.fixed => HintedBy::Nothing,
        (Some(annotation), ..) => HintedBy::Annotation(annotation.clone(), value),
        (None, Some(path), Some(key)) => HintedBy::File { path: path.clone(), key: key.clone() },
        _ => {
            let known = KnownSetting { arg: bind.arg.clone(), env: bind.env.clone(), ..KnownSetting::default() };
            HintedBy::Setting(known, value)
        }
    }
}

/// Variables that `bind` names.
pub(super) fn bound(config: &HostNetworkConfig) -> Vec<String> {
    let binds = config.host_network.spec.targets.iter().flat_map(|target| &target.bind);
    binds.filter_map(|bind| bind.env.clone()).collect()
}
