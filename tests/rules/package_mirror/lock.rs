//! Crossplane's lock after a config is applied, for generated sets of packages: Crossplane's own resolver and revision
//! dependency manager report an image with two packages, or a missing dependency, exactly if the run reports it too.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::{Value, json};

use super::{run_all, stream};
use crate::support::dice::Dice;
use crate::support::{find_program, not_run, run, text};

/// Number of packages in a set.
const PACKAGES: usize = 6;

/// A set of packages that depend on each other, and objects that install some of the packages.
struct Set {
    kinds: Vec<&'static str>,
    /// The dependencies of each package.
    needs: Vec<Vec<usize>>,
    /// True for packages below the `from` of the rule.
    mirrored: Vec<bool>,
    objects: Vec<Object>,
    unqualified: Unqualified,
    /// Dependencies with a name without registry.
    raw_needs: BTreeSet<(usize, usize)>,
}

/// The packages that are in the default registry, so that objects and dependencies may omit the registry.
#[derive(Clone, Copy, PartialEq)]
enum Unqualified {
    Nothing,
    /// Packages below the `from` of the rule.
    Mirrored,
    /// Packages outside the `from` of the rule.
    Others,
}

/// The default registry of v1.20.
const DEFAULT: &str = "xpkg.crossplane.io";

struct Object {
    package: usize,
    /// True if the object uses the name in the mirror.
    by_mirror: bool,
    skips: bool,
    /// True if the object uses a name without registry.
    is_raw: bool,
}

impl Set {
    fn new(dice: &mut Dice, unqualified: Unqualified) -> Self {
        let mut set = Self {
            kinds: Vec::new(),
            needs: Vec::new(),
            mirrored: Vec::new(),
            objects: Vec::new(),
            unqualified,
            raw_needs: BTreeSet::new(),
        };
        for at in 0..PACKAGES {
            set.kinds.push(["Provider", "Configuration", "Function"][usize::try_from(dice.roll(3)).unwrap()]);
            set.needs.push((0..at).filter(|_| dice.one_in(3)).collect());
            set.mirrored.push(!dice.one_in(3));
            let asked = dice.roll(4);
            if asked == 0 {
                continue;
            }
            let by_mirror = set.mirrored[at] && dice.one_in(3);
            let is_raw = set.is_default(at) && !by_mirror && dice.one_in(2);
            set.objects.push(Object { package: at, by_mirror, skips: dice.one_in(8), is_raw });
            if set.mirrored[at] && dice.one_in(12) {
                set.objects.push(Object { package: at, by_mirror: !by_mirror, skips: false, is_raw: false });
            }
        }
        if unqualified != Unqualified::Nothing {
            let needs = set.needs.iter().enumerate().flat_map(|(at, all)| all.iter().map(move |needed| (at, *needed)));
            set.raw_needs = needs.filter(|(_, needed)| set.is_default(*needed) && dice.one_in(2)).collect();
        }
        set
    }

    /// True if the package is in the default registry.
    fn is_default(&self, at: usize) -> bool {
        match self.unqualified {
            Unqualified::Nothing => false,
            Unqualified::Mirrored => self.mirrored[at],
            Unqualified::Others => !self.mirrored[at],
        }
    }

    /// The `from` of the rule.
    fn from(&self) -> &'static str {
        if self.unqualified == Unqualified::Mirrored { DEFAULT } else { "a.example" }
    }

    /// The name of a package, with registry.
    fn name(&self, at: usize) -> String {
        let registry = match self.mirrored[at] {
            true => self.from(),
            false if self.is_default(at) => DEFAULT,
            false => "b.example",
        };
        format!("{registry}/o/p{at}")
    }

    /// The name that a package uses for a dependency.
    fn needed_name(&self, at: usize, needed: usize) -> String {
        if self.raw_needs.contains(&(at, needed)) { format!("o/p{needed}") } else { self.name(needed) }
    }

    fn name_in_mirror(at: usize) -> String {
        format!("m.example/a/o/p{at}")
    }

    fn manifests(&self) -> String {
        let object = |(index, object): (usize, &Object)| {
            let name = match object.by_mirror {
                true => Self::name_in_mirror(object.package),
                false if object.is_raw => format!("o/p{}", object.package),
                false => self.name(object.package),
            };
            let skips = if object.skips { ", skipDependencyResolution: true" } else { "" };
            format!(
                "apiVersion: pkg.crossplane.io/v1\nkind: {}\nmetadata: {{name: x{index}}}\nspec: {{package: '{name}:v1.0.0'{skips}}}\n",
                self.kinds[object.package]
            )
        };
        stream(&self.objects.iter().enumerate().map(object).collect::<Vec<_>>())
    }

    /// The spec, with a record of every package.
    fn spec(&self, more: &str) -> String {
        let record = |at: usize| {
            let needs = self.needs[at].iter().map(|needed| format!("'{} >=v1.0.0'", self.needed_name(at, *needed)));
            let needs = needs.collect::<Vec<_>>().join(", ");
            format!("'{}:v1.0.0': {{kind: {}, dependsOn: [{needs}]}}", self.name(at), self.kinds[at])
        };
        let records = (0..PACKAGES).map(record).collect::<Vec<_>>().join(", ");
        format!("{more}, rules: [{{from: {}, to: m.example/a}}], packages: {{{records}}}", self.from())
    }

    /// The content of the registries.
    fn served(&self) -> BTreeMap<String, String> {
        let mut served = BTreeMap::new();
        for at in 0..PACKAGES {
            let needs = self.needs[at].iter().map(|needed| {
                format!(
                    "{{{}: {}, version: '>=v1.0.0'}}",
                    self.kinds[*needed].to_lowercase(),
                    self.needed_name(at, *needed)
                )
            });
            let content = super::verify_config::meta(self.kinds[at], &format!("p{at}"), &needs.collect::<Vec<_>>());
            served.insert(format!("{}:v1.0.0", self.name(at)), content.clone());
            if self.mirrored[at] {
                served.insert(format!("{}:v1.0.0", Self::name_in_mirror(at)), content);
            }
        }
        served
    }

    /// The manifests after a run that reports nothing: with an ImageConfig for the rule, or with renamed packages.
    fn changed(&self, is_rewrite: bool) -> String {
        let is_default = self.unqualified == Unqualified::Mirrored;
        if is_rewrite {
            let renamed = self.manifests().replace(&format!("'{}/", self.from()), "'m.example/a/");
            return if is_default { renamed.replace("'o/p", "'m.example/a/o/p") } else { renamed };
        }
        let rule = super::image_config("rule", &format!("{}/", self.from()), "rewriteImage: {prefix: m.example/a/}");
        let qualified = format!("'{DEFAULT}/o/p");
        let manifests = if is_default { self.manifests().replace("'o/p", &qualified) } else { self.manifests() };
        stream(&[manifests, rule])
    }
}

/// Faults of the set in Crossplane's answer.
fn faults(answer: &Value, is_rewrite: bool, unqualified: Unqualified) -> Vec<String> {
    let mut faults = Vec::new();
    let mut by_image: BTreeMap<&str, &str> = BTreeMap::new();
    for package in answer["packages"].as_array().unwrap() {
        let mut words = package.as_str().unwrap().split(' ').skip(1);
        let (source, pulled) = (words.next().unwrap(), words.next().unwrap());
        let image = pulled.rsplit_once('/').unwrap().1;
        if let Some(other) = by_image.insert(image, source) {
            faults.push(format!("{source} and {other} are one package"));
        }
        let is_raw = unqualified == Unqualified::Mirrored && pulled.starts_with(DEFAULT);
        if is_rewrite && pulled.starts_with("a.example/") || is_raw {
            faults.push(format!("{pulled} is pulled from its first registry"));
        }
    }
    faults.extend(answer["said"].as_object().unwrap().iter().map(|(name, log)| format!("{name}: {log}")));
    faults.extend(Some(answer["resolver"].to_string()).filter(|log| log != "\"\""));
    faults
}

fn judged(program: &str, is_rewrite: bool, specs: &[&str], unqualified: Unqualified, count: u64) {
    let Some(path) = find_program(program) else {
        return not_run(&format!("{program} is missing (`make tools` builds it with Go)"));
    };
    let mut dice = Dice::new(count);
    let mut cases = Vec::new();
    let mut lines = String::new();
    for at in 0..count {
        let set = Set::new(&mut dice, unqualified);
        let spec = set.spec(specs[usize::try_from(at).unwrap() % specs.len()]);
        let manifests = set.manifests();
        let (output, ran) = run_all(&spec, &manifests);
        let messages: Vec<String> = ran
            .results
            .iter()
            .filter(|finding| !finding.is_change && finding.rule == "package-dependency")
            .map(ToString::to_string)
            .collect();
        assert!(messages.iter().all(|message| !message.contains("not known")), "all needs are recorded: {messages:?}");
        let mut objects = if ran.failed() { set.changed(is_rewrite) } else { output };
        if unqualified != Unqualified::Nothing {
            // The referee has no default registry.
            let default = super::image_config("default", "o/", &format!("rewriteImage: {{prefix: {DEFAULT}/o/}}"));
            objects = format!("{objects}---\n{default}");
        }
        lines.push_str(&format!("{}\n", json!({"served": set.served(), "objects": objects})));
        cases.push((spec, manifests, objects, messages));
    }
    let answers = run(Command::new(path).arg("sets"), lines.as_bytes());
    assert!(answers.status.success(), "{}", text(&answers.stderr));
    let answers = text(&answers.stdout);
    assert_eq!(answers.lines().count(), cases.len());
    let mut refused = 0;
    for (answer, (spec, manifests, objects, messages)) in answers.lines().zip(&cases) {
        let answer: Value = serde_json::from_str(answer).unwrap();
        let faults = faults(&answer, is_rewrite, unqualified);
        assert_eq!(
            messages.is_empty(),
            faults.is_empty(),
            "{program}: {messages:#?}, and Crossplane: {faults:#?}\n{spec}\n{manifests}\nafter the change:\n{objects}\n{answer:#}"
        );
        refused += usize::from(!messages.is_empty());
    }
    assert!(refused > cases.len() / 10 && refused < cases.len() * 9 / 10, "{refused} of {} are reported", cases.len());
}

#[test]
fn image_configs_in_the_newest_release() {
    judged("resolver", false, &["crossplane: {version: v2.3.4}"], Unqualified::Nothing, 160);
}

#[test]
fn image_configs_in_the_last_release_of_v1() {
    judged("xpkg-v1.20.11", false, &["crossplane: {version: v1.20.11}"], Unqualified::Nothing, 100);
}

/// Names without registry, of packages that match the rule and of packages that do not.
#[test]
fn names_without_registry() {
    let rewrite = [
        "style: Rewrite, crossplane: {version: v1.20.11}",
        "style: Rewrite, dependencies: Skip, crossplane: {version: v1.20.11}",
    ];
    for unqualified in [Unqualified::Mirrored, Unqualified::Others] {
        judged("xpkg-v1.20.11", false, &["crossplane: {version: v1.20.11}"], unqualified, 100);
        judged("xpkg-v1.20.11", true, &rewrite, unqualified, 100);
    }
}

#[test]
fn renamed_packages() {
    let specs = [
        "style: Rewrite, crossplane: {version: v1.16.0}",
        "style: Rewrite, dependencies: Skip, crossplane: {version: v1.16.0}",
    ];
    judged("xpkg-v1.20.11", true, &specs, Unqualified::Nothing, 240);
}
