//! Crossplane's lock once a config is applied, over generated sets of packages: Crossplane's own resolver and its dependency manager of revisions
//! install what a run leaves, and find two packages of one image, or none for a need, exactly where the run reports it.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::{Value, json};

use super::{run_all, stream};
use crate::support::dice::Dice;
use crate::support::{find_program, not_run, run, text};

/// Packages of a set.
const PACKAGES: usize = 6;

/// A set of packages that need each other, and the objects that ask for some of them.
struct Set {
    kinds: Vec<&'static str>,
    /// The packages that each needs.
    needs: Vec<Vec<usize>>,
    /// True for packages below the `from` of the rule.
    mirrored: Vec<bool>,
    objects: Vec<Object>,
}

struct Object {
    package: usize,
    /// True for the name in the mirror.
    by_mirror: bool,
    skips: bool,
}

impl Set {
    fn new(dice: &mut Dice) -> Self {
        let mut set = Self { kinds: Vec::new(), needs: Vec::new(), mirrored: Vec::new(), objects: Vec::new() };
        for at in 0..PACKAGES {
            set.kinds.push(["Provider", "Configuration", "Function"][usize::try_from(dice.roll(3)).unwrap()]);
            set.needs.push((0..at).filter(|_| dice.one_in(3)).collect());
            set.mirrored.push(!dice.one_in(3));
            let asked = dice.roll(4);
            if asked == 0 {
                continue;
            }
            let by_mirror = set.mirrored[at] && dice.one_in(3);
            set.objects.push(Object { package: at, by_mirror, skips: dice.one_in(8) });
            if set.mirrored[at] && dice.one_in(12) {
                set.objects.push(Object { package: at, by_mirror: !by_mirror, skips: false });
            }
        }
        set
    }

    /// The name that other packages know it by.
    fn name(&self, at: usize) -> String {
        format!("{}/o/p{at}", if self.mirrored[at] { "a.example" } else { "b.example" })
    }

    fn name_in_mirror(at: usize) -> String {
        format!("m.example/a/o/p{at}")
    }

    fn manifests(&self) -> String {
        let object = |(index, own): (usize, &Object)| {
            let name = if own.by_mirror { Self::name_in_mirror(own.package) } else { self.name(own.package) };
            let skips = if own.skips { ", skipDependencyResolution: true" } else { "" };
            format!(
                "apiVersion: pkg.crossplane.io/v1\nkind: {}\nmetadata: {{name: x{index}}}\nspec: {{package: '{name}:v1.0.0'{skips}}}\n",
                self.kinds[own.package]
            )
        };
        stream(&self.objects.iter().enumerate().map(object).collect::<Vec<_>>())
    }

    /// What is recorded of all packages.
    fn spec(&self, more: &str) -> String {
        let record = |at: usize| {
            let needs = self.needs[at].iter().map(|needed| format!("'{} >=v1.0.0'", self.name(*needed)));
            let needs = needs.collect::<Vec<_>>().join(", ");
            format!("'{}:v1.0.0': {{kind: {}, dependsOn: [{needs}]}}", self.name(at), self.kinds[at])
        };
        let records = (0..PACKAGES).map(record).collect::<Vec<_>>().join(", ");
        format!("{more}, rules: [{{from: a.example, to: m.example/a}}], packages: {{{records}}}")
    }

    /// What registries serve.
    fn served(&self) -> BTreeMap<String, String> {
        let mut served = BTreeMap::new();
        for at in 0..PACKAGES {
            let needs = self.needs[at].iter().map(|needed| {
                format!("{{{}: {}, version: '>=v1.0.0'}}", self.kinds[*needed].to_lowercase(), self.name(*needed))
            });
            let content = super::verify_config::meta(self.kinds[at], &format!("p{at}"), &needs.collect::<Vec<_>>());
            served.insert(format!("{}:v1.0.0", self.name(at)), content.clone());
            if self.mirrored[at] {
                served.insert(format!("{}:v1.0.0", Self::name_in_mirror(at)), content);
            }
        }
        served
    }

    /// The manifests after a change that reports nothing: ImageConfigs for the rule, or the packages renamed.
    fn changed(&self, is_rewrite: bool) -> String {
        if is_rewrite {
            return self.manifests().replace("'a.example/", "'m.example/a/");
        }
        let rule = super::image_config("rule", "a.example/", "rewriteImage: {prefix: m.example/a/}");
        stream(&[self.manifests(), rule])
    }
}

/// The faults that Crossplane has with a set in the end.
fn faults(answer: &Value, is_rewrite: bool) -> Vec<String> {
    let mut faults = Vec::new();
    let mut by_image: BTreeMap<&str, &str> = BTreeMap::new();
    for own in answer["packages"].as_array().unwrap() {
        let mut words = own.as_str().unwrap().split(' ').skip(1);
        let (source, pulled) = (words.next().unwrap(), words.next().unwrap());
        let image = pulled.rsplit_once('/').unwrap().1;
        if let Some(other) = by_image.insert(image, source) {
            faults.push(format!("{source} and {other} are one package"));
        }
        if is_rewrite && pulled.starts_with("a.example/") {
            faults.push(format!("{pulled} is pulled from its first registry"));
        }
    }
    faults.extend(answer["said"].as_object().unwrap().iter().map(|(name, said)| format!("{name}: {said}")));
    faults.extend(Some(answer["resolver"].to_string()).filter(|said| said != "\"\""));
    faults
}

fn judged(program: &str, arguments: &[&str], is_rewrite: bool, specs: &[&str], count: u64) {
    let Some(path) = find_program(program) else {
        return not_run(&format!("{program} is missing (`make tools` builds it with Go)"));
    };
    let mut dice = Dice::new(count);
    let mut cases = Vec::new();
    let mut lines = String::new();
    for at in 0..count {
        let set = Set::new(&mut dice);
        let spec = set.spec(specs[usize::try_from(at).unwrap() % specs.len()]);
        let manifests = set.manifests();
        let (output, ran) = run_all(&spec, &manifests);
        let told: Vec<String> = ran
            .results
            .iter()
            .filter(|own| !own.is_change && own.rule == "package-dependency")
            .map(ToString::to_string)
            .collect();
        assert!(told.iter().all(|own| !own.contains("not known")), "all needs are recorded: {told:?}");
        let objects = if ran.failed() { set.changed(is_rewrite) } else { output };
        lines.push_str(&format!("{}\n", json!({"served": set.served(), "objects": objects})));
        cases.push((spec, manifests, objects, told));
    }
    let answers = run(Command::new(path).args(arguments), lines.as_bytes());
    assert!(answers.status.success(), "{}", text(&answers.stderr));
    let answers = text(&answers.stdout);
    assert_eq!(answers.lines().count(), cases.len());
    let mut refused = 0;
    for (answer, (spec, manifests, objects, told)) in answers.lines().zip(&cases) {
        let answer: Value = serde_json::from_str(answer).unwrap();
        let faults = faults(&answer, is_rewrite);
        assert_eq!(
            told.is_empty(),
            faults.is_empty(),
            "{program}: {told:#?}, and Crossplane: {faults:#?}\n{spec}\n{manifests}\nafter the change:\n{objects}\n{answer:#}"
        );
        refused += usize::from(!told.is_empty());
    }
    assert!(refused > cases.len() / 10 && refused < cases.len() * 9 / 10, "{refused} of {} are reported", cases.len());
}

#[test]
fn image_configs_in_the_newest_release() {
    judged("resolver", &["sets"], false, &["crossplane: {version: v2.3.4}"], 160);
}

#[test]
fn image_configs_in_the_last_release_of_v1() {
    judged("xpkg-v1.20.11", &["sets"], false, &["crossplane: {version: v1.20.11}"], 100);
}

#[test]
fn renamed_packages() {
    let specs = [
        "style: Rewrite, crossplane: {version: v1.16.0}",
        "style: Rewrite, dependencies: Skip, crossplane: {version: v1.16.0}",
    ];
    judged("xpkg-v1.20.11", &["sets"], true, &specs, 240);
}
