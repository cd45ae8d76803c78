//! Crossplane's packages: what a selected one runs as, and what gives it a runtime config of its own.
//!
//! Crossplane makes a package's Deployment of a `DeploymentRuntimeConfig`, so that is what moves. To the rules a package is
//! a workload: its pod template is the runtime config's, with the ports that Crossplane declares by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kube_core::GroupVersionKind;

use super::draft::Draft;
use super::runtime_config::{self, By, Named};
use super::version::Core;
use super::{controller_config, dependencies};
use crate::api::{Functions, MissingRuntimeConfig, PortChoice, Ports};
use crate::catalog::PackageKind;
use crate::model::facts::package::{self, DEFAULT};
use crate::model::facts::{ControllerConfig, ImageConfig, Package};
use crate::model::pod::PodTemplate;
use crate::model::text::{Labels, image_parts};
use crate::model::{Facts, Meta, Model, ObjectId};
use crate::plan::{Change, Content, Edit, Finding};
use crate::rule::{self, Severity};
use crate::yaml::{self, Path, Tree, Value};

/// Where the pod template of a runtime config is.
const TEMPLATE: &str = "spec.deploymentTemplate.spec.template";

/// What runtime configs that are made here are called: this and the package's name.
const PREFIX: &str = "hostnet-";

/// The longest name of an object (a DNS subdomain).
const LONGEST_NAME: usize = 253;

/// A package that a target matches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SelectedPackage<'c> {
    pub(crate) id: ObjectId,
    pub(crate) ports: &'c Ports,
    pub(crate) strict: bool,
}

impl SelectedPackage<'_> {
    /// How bad it is when the package cannot be moved.
    fn severity(self) -> Severity {
        if self.strict { Severity::Error } else { Severity::Warning }
    }
}

/// On which terms a config kind asks for runtime configs.
#[derive(Debug)]
pub(crate) struct Terms<'c> {
    /// The version of Crossplane that the config gives.
    pub(crate) version: Option<&'c str>,
    /// What a runtime config is that is not in the input.
    pub(crate) missing: MissingRuntimeConfig,
    /// What becomes of packages' networks; none when they stay as they are.
    pub(crate) moves: Option<Moves>,
}

/// What a kind that moves packages to the host network says of them.
#[derive(Debug)]
pub(crate) struct Moves {
    /// Where functions run.
    pub(crate) functions: Functions,
    /// The variables to read, whatever they hold.
    pub(crate) variables: Vec<String>,
}

/// What a package runs as.
#[derive(Debug)]
pub(crate) struct Runtime {
    /// The object that holds its pod template: a runtime config of the input, or one that is new.
    pub(crate) document: ObjectId,
    pub(crate) template: PodTemplate,
    /// What the object holds, with the container that runs the package.
    pub(crate) value: Value,
    /// Whether ports may be declared in it.
    pub(crate) may_declare: bool,
    /// What gives the package a runtime config of its own.
    pub(crate) edits: Vec<Edit>,
    /// What is to be said if the package changes.
    pub(crate) findings: Vec<Finding>,
    /// The ControllerConfig that became a part of it.
    converted: Option<ObjectId>,
}

/// What the packages run as that targets match.
#[derive(Debug, Default)]
pub(crate) struct Runtimes {
    by_package: BTreeMap<ObjectId, Runtime>,
    /// What packages run as that no target matches.
    others: BTreeMap<ObjectId, PodTemplate>,
    /// The objects that are new, if the packages that they are made for move.
    pub(crate) new: Vec<Meta>,
}

impl Runtimes {
    /// Finds out for all packages that targets match; what cannot be is a finding.
    pub(crate) fn of(
        model: &Model,
        terms: &Terms<'_>,
        matched: &[SelectedPackage<'_>],
        findings: &mut Vec<Finding>,
    ) -> Self {
        let core = Core::find(model, terms.version);
        let others = others(model, &core, matched);
        let mut runtimes = Self { others, ..Self::default() };
        if matched.is_empty() {
            return runtimes;
        }
        let users = runtime_config::users(model, &core);
        let taken = model.objects().iter().map(|object| &object.meta).filter(|meta| meta.gvk.group == package::GROUP);
        let names = taken
            .filter(|meta| meta.name.starts_with(PREFIX))
            .map(|meta| ((meta.gvk.kind.clone(), meta.name.clone()), None));
        let chosen = matched.iter().filter_map(|matched| match &model.object(matched.id)?.facts {
            Facts::Package(package) => Some(runtime_config::named(model, &core, package).name),
            _ => None,
        });
        let mut maker = Maker {
            model,
            terms,
            chosen: runtime_config::counted(chosen),
            core,
            users,
            new: Vec::new(),
            names: names.collect(),
            findings,
            if_moved: Vec::new(),
        };
        for matched in matched {
            let Some(object) = model.object(matched.id) else { continue };
            let Facts::Package(package) = &object.facts else { continue };
            if let Some(runtime) = maker.runtime(*matched, &object.meta, package) {
                runtimes.by_package.insert(matched.id, runtime);
            }
        }
        if maker.core.said_by.is_none() && !runtimes.by_package.is_empty() && terms.moves.is_some() {
            let message = "nothing in the input says which version of Crossplane runs the packages, so the newest is taken; \
                           say it with `crossplane: {version: v2.0.2}` in the spec";
            maker.findings.push(Finding::new(Severity::Info, rule::CROSSPLANE_VERSION, message));
        }
        runtimes.new = maker.new;
        let moving = runtimes.by_package.keys().copied();
        let what = if terms.moves.is_some() { "stay on the pod network" } else { "get no proxy variables" };
        findings.extend(dependencies::absent(model, moving, what));
        runtimes
    }

    /// What packages run as that no target matches: some hold ports of their node.
    pub(crate) fn others(&self) -> impl Iterator<Item = (ObjectId, &PodTemplate)> {
        self.others.iter().map(|(id, template)| (*id, template))
    }

    /// What a package runs as, when it can be moved.
    pub(crate) fn get(&self, package: ObjectId) -> Option<&Runtime> {
        self.by_package.get(&package)
    }

    /// What is said of the packages that move.
    pub(crate) fn findings(&self, moving: &BTreeSet<ObjectId>) -> impl Iterator<Item = &Finding> {
        let kept = self.by_package.iter().filter(|(package, _)| moving.contains(package));
        kept.flat_map(|(_, runtime)| &runtime.findings)
    }

    /// The package that an object is made for.
    pub(crate) fn package_of(&self, document: ObjectId) -> Option<ObjectId> {
        self.by_package.iter().find(|(_, runtime)| runtime.document == document).map(|(package, _)| *package)
    }

    /// The edits that make room for the packages that move: runtime configs, references, and ControllerConfigs that no
    /// package of the input needs any more.
    pub(crate) fn edits(&self, model: &Model, moving: &BTreeSet<ObjectId>) -> Vec<Edit> {
        let kept = self.by_package.iter().filter(|(package, _)| moving.contains(package));
        let mut edits: Vec<Edit> = kept.clone().flat_map(|(_, runtime)| runtime.edits.iter().cloned()).collect();
        let converted: BTreeSet<ObjectId> = kept.filter_map(|(_, runtime)| runtime.converted).collect();
        for id in converted {
            let Some(object) = model.object(id) else { continue };
            let uses = |package: &Package| package.controller_config.as_deref() == Some(&object.meta.name);
            if model.packages().all(|(package, _, facts)| !uses(facts) || moving.contains(&package)) {
                let message = format!("{} goes: no package of the input has it any more", object.meta);
                let change = Change::RemoveDocument;
                edits.push(Edit { object: id, path: Path::root(), change, rule: rule::CONTROLLER_CONFIG, message });
            }
        }
        edits
    }
}

fn others(model: &Model, core: &Core, matched: &[SelectedPackage<'_>]) -> BTreeMap<ObjectId, PodTemplate> {
    let matched: BTreeSet<ObjectId> = matched.iter().map(|matched| matched.id).collect();
    let others = model.packages().filter(|(id, ..)| !matched.contains(id));
    let templates = others.filter_map(|(id, meta, package)| {
        let (_, value) = model.runtime_config(runtime_config::named(model, core, package).name)?;
        let mut draft = Draft::new(id, value.clone(), meta.to_string());
        container(&mut draft);
        Some((id, template(&draft, meta, package, &[])?))
    });
    templates.collect()
}

/// Makes the runtimes of packages, one after the other.
struct Maker<'m, 'f> {
    model: &'m Model,
    terms: &'m Terms<'m>,
    core: Core,
    /// How many packages have each runtime config.
    users: BTreeMap<&'m str, usize>,
    /// How many of those that targets match.
    chosen: BTreeMap<&'m str, usize>,
    new: Vec<Meta>,
    /// Kind and name of what is there or was made, as far as new objects might be called so, and the package that it was made
    /// for.
    names: BTreeMap<(String, String), Option<&'m Meta>>,
    findings: &'f mut Vec<Finding>,
    /// What is to be said of the package in hand if it moves.
    if_moved: Vec<Finding>,
}

/// What a package's runtime config is made of.
enum Base<'m> {
    /// It is the package's own already.
    Own(ObjectId, &'m Value),
    /// Others have it too: a copy.
    Copy(ObjectId, &'m Value),
    /// Nothing: it is new, and stands behind this object.
    New(ObjectId),
}

impl<'m> Maker<'m, '_> {
    fn runtime(&mut self, matched: SelectedPackage<'_>, meta: &'m Meta, package: &'m Package) -> Option<Runtime> {
        self.if_moved.clear();
        let may_declare = self.may_move(matched, meta, package)?;
        let named = runtime_config::named(self.model, &self.core, package);
        // Who keeps the network takes what a ControllerConfig says as it is.
        let controller_config =
            if self.terms.moves.is_some() { self.controller_config(matched, meta, package)? } else { None };
        let base = self.base(matched, meta, package, named, controller_config)?;
        let mut edits = Vec::new();
        let mut draft = self.draft(matched, meta, &base, named, &mut edits)?;
        let container = container(&mut draft);
        let mut own = Draft::new(matched.id, package.object.clone(), meta.to_string());
        let spec = Path::root().key("spec");
        let mut converted = None;
        if let Some((id, config, name)) = controller_config {
            converted = Some(id);
            if config.has_comments {
                let message = format!(
                    "{meta}: comments of ControllerConfig {name} are not carried over to DeploymentRuntimeConfig {}; do by \
                     hand for those that are worth it",
                    draft.name()
                );
                self.warn(id, rule::CONTROLLER_CONFIG, message);
            }
            let declared = package_ports(package.kind);
            let declared = if may_declare { &[][..] } else { &declared };
            let laid = controller_config::lay_over(&config.object, &mut draft, &container, name, declared);
            own.remove(
                &spec.key("controllerConfigRef"),
                rule::CONTROLLER_CONFIG,
                "goes: its place takes the runtime config",
            );
            self.pulled(matched, meta, laid.package, &mut own, name);
            for variable in laid.overruled {
                let message = format!(
                    "{meta}: ControllerConfig {name} sets the variable {variable}, which Crossplane sets too: it won there, and \
                     in a runtime config Crossplane's wins. Take it out if nobody needs it"
                );
                self.warn(id, rule::CONTROLLER_CONFIG, message);
            }
        }
        if !may_declare
            && self.terms.moves.is_some()
            && let Some(port) = doubled(&draft, &container, package.kind)
        {
            let message = format!(
                "{meta} stays as it is: {} declares ports webhook (9443; of a Function grpc) and metrics (8080) beside those of \
                 a runtime config, and there is port {port} too, so that its Deployment would have a name or a number twice. Take that \
                 port out, or upgrade Crossplane to v1.19.0",
                self.core.call()
            );
            self.say(matched, matched.severity(), rule::CROSSPLANE_VERSION, message);
            return None;
        }
        let variables = self.terms.moves.as_ref().map_or(&[][..], |moves| &moves.variables);
        let template = template(&draft, meta, package, variables)?;
        let document = draft.object;
        if !matches!(base, Base::Own(..)) {
            let name = format!("{PREFIX}{}", meta.name);
            if let By::ImageConfig { id, meta: chooser, config } = named.by {
                edits.push(self.image_config(matched, meta, package, &name, (id, chooser, config))?);
            } else {
                let why = format!("is {name}: a runtime config of its own");
                own.put(&spec.key("runtimeConfigRef").key("name"), Value::Str(name), rule::RUNTIME_CONFIG, &why);
            }
        }
        edits.append(&mut draft.edits);
        edits.append(&mut own.edits);
        let findings = std::mem::take(&mut self.if_moved);
        let value = draft.value;
        Some(Runtime { document, template, value, may_declare, edits, findings, converted })
    }

    /// Whether ports of the package may be declared; none when it cannot be moved at all.
    fn may_move(&mut self, matched: SelectedPackage<'_>, meta: &Meta, package: &Package) -> Option<bool> {
        let functions = self.terms.moves.as_ref().map(|moves| moves.functions);
        if package.kind == PackageKind::Function && functions == Some(Functions::PodNetwork) {
            let message = format!(
                "{meta} stays in the pod network: Crossplane dials port 9443 of a Function's own pod, so on the host network \
                 there can be one on a node. `crossplane: {{functions: OnePerNode}}` in the spec moves it all the same"
            );
            self.say(matched, Severity::Info, rule::FUNCTION, message);
            return None;
        }
        if !self.core.has_runtime_configs() {
            let (cannot, instead) = match functions {
                Some(_) => ("move", ", and a ControllerConfig cannot say `hostNetwork`"),
                None => ("get variables", ""),
            };
            let message = format!(
                "{meta} cannot {cannot}: {} has no DeploymentRuntimeConfig, which came with v1.14.0{instead}. Upgrade Crossplane, or \
                 put the package under `exclude`",
                self.core.call()
            );
            self.say(matched, Severity::Error, rule::CROSSPLANE_VERSION, message);
            return None;
        }
        if self.core.has_ports() {
            return Some(true);
        }
        let version = self.core.call();
        match matched.ports {
            Ports::Map(map) if map.iter().any(|(_, choice)| matches!(choice, PortChoice::Number(_))) => {
                let message = format!(
                    "{meta}: its ports cannot move: {version} adds its own ports beside those of a runtime config; v1.19.0 is \
                     the first to take the runtime config's. Upgrade Crossplane, or write `ports: keep`"
                );
                self.say(matched, Severity::Error, rule::CROSSPLANE_VERSION, message);
                return None;
            }
            Ports::Keep => {}
            Ports::Auto | Ports::Map(_) => {
                let message = format!(
                    "{meta}: keeps its ports: {version} adds its own beside those of a runtime config; v1.19.0 is the first to \
                     take the runtime config's. Only hostNetwork and dnsPolicy can be set"
                );
                self.say(matched, Severity::Warning, rule::CROSSPLANE_VERSION, message);
            }
        }
        Some(false)
    }

    /// The ControllerConfig of a package; the outer none when it cannot be converted.
    #[allow(clippy::option_option, reason = "the question is whether to go on, and with what")]
    fn controller_config(
        &mut self,
        matched: SelectedPackage<'_>,
        meta: &Meta,
        package: &'m Package,
    ) -> Option<Option<(ObjectId, &'m ControllerConfig, &'m str)>> {
        let Some(name) = package.controller_config.as_deref() else { return Some(None) };
        let Some((id, config)) = self.model.controller_config(name) else {
            return self.missing(matched, meta, "ControllerConfig", name, By::Package).then_some(None);
        };
        let unknown = controller_config::unknown_fields(&config.object);
        if !unknown.is_empty() {
            let message = format!(
                "{meta} stays as it is: {} of ControllerConfig {name} has no place in a DeploymentRuntimeConfig and would be \
                 lost. Take it out, or put the package under `exclude`",
                unknown.join(", ")
            );
            self.say(matched, matched.severity(), rule::CONTROLLER_CONFIG, message);
            return None;
        }
        if self.core.lacks_controller_configs() {
            let message = format!(
                "{meta}: {} knows no ControllerConfigs any more and does not read {name}: with the runtime config its settings \
                 hold again",
                self.core.call()
            );
            self.warn(matched.id, rule::CONTROLLER_CONFIG, message);
        }
        Some(Some((id, config, name)))
    }

    fn base(
        &mut self,
        matched: SelectedPackage<'_>,
        meta: &Meta,
        package: &Package,
        named: Named<'m>,
        controller_config: Option<(ObjectId, &ControllerConfig, &str)>,
    ) -> Option<Base<'m>> {
        if let Some((id, value)) = self.model.runtime_config(named.name) {
            let users = self.users.get(named.name);
            // What all of them are to have alike may be said once, for all.
            let only =
                if self.terms.moves.is_some() { users == Some(&1) } else { users == self.chosen.get(named.name) };
            let free = named.name != DEFAULT && !runtime_config::is_of_many(self.model, &self.core, named.name);
            let own = only && free && controller_config.is_none();
            return Some(if own { Base::Own(id, value) } else { Base::Copy(id, value) });
        }
        if named.name != DEFAULT && !self.missing(matched, meta, "DeploymentRuntimeConfig", named.name, named.by) {
            return None;
        }
        if named.name == DEFAULT && package.controller_config.is_none() {
            let message = format!(
                "{meta} names no runtime config, and none called `{DEFAULT}` is in the input: it gets a new one, and what the \
                 cluster's `{DEFAULT}` may hold no longer reaches it. Add that object to the input if it holds anything"
            );
            self.warn(matched.id, rule::RUNTIME_CONFIG, message);
        }
        Some(Base::New(controller_config.map_or(matched.id, |(id, ..)| id)))
    }

    /// The runtime config that the package is to have, as it is before anything moves; a name that is taken is a finding.
    fn draft(
        &mut self,
        matched: SelectedPackage<'_>,
        meta: &'m Meta,
        base: &Base<'m>,
        named: Named<'_>,
        edits: &mut Vec<Edit>,
    ) -> Option<Draft> {
        let name = format!("{PREFIX}{}", meta.name);
        let call = |name: &str| format!("{meta}: DeploymentRuntimeConfig {name}");
        if let Base::Own(id, value) = base {
            return Some(Draft::new(*id, (*value).clone(), call(named.name)));
        }
        if name.len() > LONGEST_NAME {
            let message = format!(
                "{meta} stays as it is: its runtime config would be called {name}, which is longer than the {LONGEST_NAME} characters that \
                 a name may have. Give the package a DeploymentRuntimeConfig of its own, and name it in `runtimeConfigRef`"
            );
            self.say(matched, matched.severity(), rule::RUNTIME_CONFIG, message);
            return None;
        }
        if let Some(taken) = self.names.insert(("DeploymentRuntimeConfig".to_owned(), name.clone()), Some(meta)) {
            // The same package again has what the first one got: that it is there twice is said of both.
            if taken.is_some_and(|other| other.gvk.kind == meta.gvk.kind) {
                return None;
            }
            let why = match taken {
                Some(other) => format!(
                    "{other} gets one of that name in this run. Give one of the two a DeploymentRuntimeConfig of its own, and name \
                     it in its spec.runtimeConfigRef"
                ),
                None => "there is a DeploymentRuntimeConfig of that name. If it is meant, name it in spec.runtimeConfigRef; \
                         else give it another name"
                    .to_owned(),
            };
            let message = format!("{meta} stays as it is: its runtime config would be called {name}, and {why}");
            self.say(matched, matched.severity(), rule::RUNTIME_CONFIG, message);
            return None;
        }
        let beside = match base {
            Base::Copy(of, _) => self.model.object(*of).map_or(meta, |of| &of.meta),
            _ => meta,
        };
        let object = self.add("DeploymentRuntimeConfig", &name, beside);
        let (after, content, value, from) = match base {
            Base::Own(..) => return None,
            Base::Copy(of, value) => {
                (*of, Content::Copy, (*value).clone(), format!("a copy of {}, which is not its alone", named.name))
            }
            Base::New(after) => {
                let value = empty("DeploymentRuntimeConfig", &name, meta, runtime_spec());
                (*after, Content::New(value.clone()), value, "new".to_owned())
            }
        };
        let change = Change::AddDocument { after, content };
        let message = format!("{meta}: DeploymentRuntimeConfig {name} is {from}");
        edits.push(Edit { object, path: Path::root(), change, rule: rule::RUNTIME_CONFIG, message });
        let mut draft = Draft::new(object, value, call(&name));
        draft.put(&Path::dotted("metadata.name"), Value::Str(name), rule::RUNTIME_CONFIG, "is its name");
        Some(draft)
    }

    /// An ImageConfig for this package alone: the one that chose its runtime config is about others too, and wins over what
    /// the package says itself.
    fn image_config(
        &mut self,
        matched: SelectedPackage<'_>,
        meta: &'m Meta,
        package: &Package,
        name: &str,
        (after, chooser, chosen): (ObjectId, &Meta, &ImageConfig),
    ) -> Option<Edit> {
        let source = runtime_config::source(self.model, &package.image);
        let (path, _) = image_parts(&source);
        // With what ends the name, so that no other name begins like it.
        let prefix = source.get(..=path.len()).unwrap_or(&source).to_owned();
        if chosen.is_about_one() {
            let change =
                Change::Set { old: chosen.runtime_config.as_deref().unwrap_or_default().into(), new: name.into() };
            let path = Path::dotted("spec.runtime.configRef.name");
            let message = format!("{chooser}: {path} is {name}: {meta} has a runtime config of its own");
            return Some(Edit { object: after, path, change, rule: rule::RUNTIME_CONFIG, message });
        }
        if chosen.matches(&source).is_none_or(|length| length >= prefix.len()) {
            let message = format!(
                "{meta} stays as it is: {chooser} chooses a runtime config for this and other images, by a prefix that is at least \
                 as long as {prefix}, so that an ImageConfig for this package alone would not win. Shorten that prefix, or give \
                 the package an ImageConfig and a runtime config of its own"
            );
            self.say(matched, matched.severity(), rule::RUNTIME_CONFIG, message);
            return None;
        }
        if self.names.insert(("ImageConfig".to_owned(), name.to_owned()), Some(meta)).is_some() {
            let message = format!(
                "{meta} stays as it is: {chooser} chooses its runtime config, so it needs an ImageConfig of its own, which would be \
                 called {name}, and there is one of that name. Give that one another name"
            );
            self.say(matched, matched.severity(), rule::RUNTIME_CONFIG, message);
            return None;
        }
        let object = self.add("ImageConfig", name, meta);
        let map = |entries: Vec<(&str, Value)>| {
            Value::Map(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
        };
        let spec = map(vec![
            ("matchImages", Value::Seq(vec![map(vec![("type", "Prefix".into()), ("prefix", prefix.into())])])),
            ("runtime", map(vec![("configRef", map(vec![("name", name.into())]))])),
        ]);
        let content = Content::New(empty("ImageConfig", name, meta, spec));
        let message = format!(
            "{meta}: ImageConfig {name} is new: {chooser} chooses the runtime config of this and of other images, whatever the \
             package says"
        );
        let change = Change::AddDocument { after, content };
        Some(Edit { object, path: Path::root(), change, rule: rule::RUNTIME_CONFIG, message })
    }

    /// What a ControllerConfig said about pulling, which is the package's to say.
    fn pulled(
        &mut self,
        matched: SelectedPackage<'_>,
        meta: &Meta,
        fields: Vec<(&'static str, Value)>,
        own: &mut Draft,
        name: &str,
    ) {
        for (field, value) in fields {
            let path = Path::root().key("spec").key(field);
            match own.value.lookup(&path).filter(|old| **old != Value::Null) {
                None => own.put(&path, value, rule::CONTROLLER_CONFIG, &format!("is from ControllerConfig {name}")),
                Some(old) if *old == value => {}
                Some(old) => {
                    let message = format!(
                        "{meta}: spec.{field} is {old}, and ControllerConfig {name} has {value}: the package's holds for its Deployment \
                         too from now on"
                    );
                    self.warn(matched.id, rule::CONTROLLER_CONFIG, message);
                }
            }
        }
    }

    /// Whether to go on without something that the package names and that is not in the input.
    fn missing(&mut self, matched: SelectedPackage<'_>, meta: &Meta, kind: &str, name: &str, by: By<'_>) -> bool {
        let create = self.terms.missing == MissingRuntimeConfig::CreateNew;
        let what = match by {
            By::ImageConfig { meta: chooser, .. } => {
                format!("{meta}: {chooser} chooses {kind} {name} for it, which is not in the input")
            }
            By::Package | By::Nobody => format!("{meta} names {kind} {name}, which is not in the input"),
        };
        if create {
            let message = format!("{what}: a new one takes its place, and what it holds no longer reaches the package");
            self.warn(matched.id, rule::RUNTIME_CONFIG, message);
        } else {
            let message = format!(
                "{what}: what it holds (an IAM role, say) would be lost. Add it to the input, or write `crossplane: \
                 {{missingRuntimeConfig: CreateNew}}` in the spec"
            );
            self.say(matched, Severity::Error, rule::RUNTIME_CONFIG, message);
        }
        create
    }

    fn say(&mut self, matched: SelectedPackage<'_>, severity: Severity, rule: crate::rule::Rule, message: String) {
        self.findings.push(Finding::new(severity, rule, message).on(matched.id));
    }

    /// A warning about an object, for the case that the package moves.
    fn warn(&mut self, object: ObjectId, rule: crate::rule::Rule, message: String) {
        self.if_moved.push(Finding::new(Severity::Warning, rule, message).on(object));
    }

    /// The id of a new object.
    fn add(&mut self, kind: &str, name: &str, beside: &Meta) -> ObjectId {
        self.new.push(Meta {
            gvk: Arc::new(GroupVersionKind::gvk(package::GROUP, "v1beta1", kind)),
            name: name.to_owned(),
            namespace: beside.namespace.clone(),
            labels: Labels::default(),
            annotations: Labels::default(),
        });
        self.model.objects().len() + self.new.len() - 1
    }
}

/// A new object for a package. What is written as the package's namespace is its own too: it means nothing to a cluster, but
/// kustomize, which wrote it, renames references within a namespace only.
fn empty(kind: &str, name: &str, package: &Meta, spec: Value) -> Value {
    let mut metadata = vec![("name".to_owned(), name.into())];
    metadata.extend(package.namespace.as_deref().map(|namespace| ("namespace".to_owned(), namespace.into())));
    let metadata = Value::Map(metadata);
    Value::Map(vec![
        ("apiVersion".to_owned(), format!("{}/v1beta1", package::GROUP).into()),
        ("kind".to_owned(), kind.into()),
        ("metadata".to_owned(), metadata),
        ("spec".to_owned(), spec),
    ])
}

/// The least that a runtime config's schema takes, with the container to say something of.
fn runtime_spec() -> Value {
    let map = |key: &str, value: Value| Value::Map(vec![(key.to_owned(), value)]);
    let container = map("name", package::CONTAINER.into());
    let template = map("spec", map("containers", Value::Seq(vec![container])));
    let deployment =
        Value::Map(vec![("selector".to_owned(), Value::Map(Vec::new())), ("template".to_owned(), template)]);
    map("deploymentTemplate", map("spec", deployment))
}

/// The path of the container that runs the package; what is missing on the way is added.
fn container(draft: &mut Draft) -> Path {
    let deployment = Path::dotted("spec.deploymentTemplate.spec");
    if draft.value.lookup(&deployment).is_none_or(|spec| *spec == Value::Null) {
        draft.put(
            &deployment.key("selector"),
            Value::Map(Vec::new()),
            rule::RUNTIME_CONFIG,
            "is what its schema wants",
        );
    }
    let list = Path::dotted(TEMPLATE).key("spec").key("containers");
    let is_it = |value: &Value| value.get("name") == Some(&Value::from(package::CONTAINER));
    let position = match draft.value.lookup(&list) {
        Some(Value::Seq(items)) => items.iter().position(is_it),
        _ => None,
    };
    let index = position.unwrap_or_else(|| draft.length(&list));
    if position.is_none() {
        let container = Value::Map(vec![("name".to_owned(), package::CONTAINER.into())]);
        draft.append(&list, vec![container], rule::RUNTIME_CONFIG, "is the container that runs the package");
    }
    list.named_item(index, Some(package::CONTAINER))
}

/// The pod template of a runtime config as Crossplane completes it: the package's image, and ports by name. The `variables` are read whatever they hold.
fn template(draft: &Draft, meta: &Meta, package: &Package, variables: &[String]) -> Option<PodTemplate> {
    let text = yaml::document(&draft.value);
    let tree = Tree::parse(&text).ok()?;
    let mut template = PodTemplate::of(tree.root(0)?, &Path::dotted(TEMPLATE), Some(variables))?;
    template.labels = template.labels.with(package.kind.label(), &meta.name);
    let container = template.containers.iter_mut().find(|container| container.name == package::CONTAINER)?;
    if container.image.is_empty() {
        container.image.clone_from(&package.image);
    }
    if let Some(rollout) = &mut template.rollout {
        rollout.replicas = rollout.replicas.or(Some(1));
    }
    for (name, number) in package_ports(package.kind) {
        container.imply(name, number);
    }
    Some(template)
}

/// The ports that Crossplane declares.
fn package_ports(kind: PackageKind) -> [(&'static str, u16); 2] {
    let called = match kind {
        PackageKind::Provider => "webhook",
        PackageKind::Function => "grpc",
    };
    [(called, 9443), ("metrics", 8080)]
}

/// A declared port that has the name or the number of one that Crossplane declares beside it.
fn doubled(draft: &Draft, container: &Path, kind: PackageKind) -> Option<String> {
    let Some(Value::Seq(ports)) = draft.value.lookup(&container.key("ports")) else { return None };
    let is_doubled = |port: &&Value| {
        package_ports(kind).into_iter().any(|(name, number)| {
            let tcp = port.get("protocol").is_none_or(|protocol| *protocol == "TCP".into());
            port.get("name") == Some(&name.into())
                || tcp && port.get("containerPort") == Some(&Value::Int(number.into()))
        })
    };
    ports.iter().find(is_doubled).map(|port| {
        let number = port.get("containerPort").map(ToString::to_string).unwrap_or_default();
        match port.get("name") {
            Some(name) => format!("{name} ({number})"),
            None => number,
        }
    })
}
