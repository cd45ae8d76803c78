//! Compares `kustomize build` with the function to `kustomize build | hostnet apply`, for layouts with renames, objects
//! that refer to a workload, all kinds of configs, and every form of a function. The objects are equal, or the build
//! fails and names the object.

pub(super) mod bench;
mod layouts;
mod objects;
mod renamed;
mod trees;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use bench::{Bench, Form, Outcome};
use layouts::{LAYOUTS, Layout};
use objects::{REFERRERS, Referrer};

use crate::cases::host;

/// Rows with expected differences because of kustomize: a layout, the referrers (empty for all), and the reason. The
/// numbers are those in docs/kustomize-hides.md.
const EXEMPT: [(&str, &[&str], &str); 2] = [
    ("patch above", &[], "1: a patch of a level above the function comes later, and sets the number back"),
    ("caller above", &[], "2: the caller is a file of a level above the function, which does not see it"),
];

/// Cluster-scoped objects of two overlays that have no prefix: kustomize rejects the duplicate name.
const UNBUILDABLE: [&str; 2] = ["conversion", "api-service"];

/// Rows that fail: a layout, the referrer (empty for all), and the part of the message that names the object.
const FAILS: [(&str, &str, &str); 7] = [
    ("an idle Service of the former name", "conversion", "CustomResourceDefinition things.example.com"),
    ("one name in two namespaces", "proxy of packages", "Provider two/two-a-s3"),
    ("one name in two namespaces", "provider with a runtime config", "Provider two/two-a-s3"),
    ("one name in two namespaces", "two providers of one runtime config", "Provider two/two-a-s3"),
    ("one name in two namespaces", "mirror", "Provider two/two-a-s3"),
    ("one name in two namespaces", "controller config", "Provider two/two-a-s3"),
    ("var of a port", "", "Deployment system/a-hook"),
];

/// A row of the matrix.
#[derive(Clone, Copy)]
struct Row {
    layout: &'static Layout,
    referrer: &'static Referrer,
    form: Form,
}

impl Row {
    fn name(&self) -> String {
        format!("{} × {} × {:?}", self.layout.name, self.referrer.name, self.form)
    }

    fn exempt(&self) -> bool {
        EXEMPT.iter().any(|(layout, referrers, _)| {
            *layout == self.layout.name && (referrers.is_empty() || referrers.contains(&self.referrer.name))
        })
    }
}

/// Returns every layout with every referrer. The forms alternate, so that each layout and each referrer is tested with
/// each form.
fn rows(has_helm: bool) -> Vec<Row> {
    let pairs = LAYOUTS
        .iter()
        .enumerate()
        .flat_map(|(at, layout)| REFERRERS.iter().enumerate().map(move |(of, referrer)| (at + of, layout, referrer)));
    let forms = |(turn, layout, referrer): (usize, &'static Layout, &'static Referrer)| {
        let form = Form::ALL[turn % Form::ALL.len()];
        // Every pair is tested with the exec plugin, which most people use.
        let second = (form != Form::Plugin).then_some(Form::Plugin);
        [Some(form), second].into_iter().flatten().map(move |form| Row { layout, referrer, form })
    };
    let builds = |row: &Row| !(row.layout.twice && UNBUILDABLE.contains(&row.referrer.name));
    // kustomize renders charts with helm; v5.5 in kubectl cannot call helm v4.
    let renders = |row: &Row| !row.layout.name.starts_with("a chart") || has_helm && row.form != Form::KubectlPlugin;
    pairs.flat_map(forms).filter(builds).filter(renders).collect()
}

#[test]
fn a_build_with_the_function_equals_the_build_through_a_pipe() {
    let (Some(kustomize), Some(kubectl)) = (host("kustomize"), host("kubectl")) else { return };
    let bench = Bench::new(kustomize, kubectl);
    let rows = rows(bench.helm.is_some());
    let (next, faults) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let (equal, moved) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let fault = match bench.compare(row.layout, row.referrer, row.form) {
                        Outcome::Equal { changed } => {
                            equal.fetch_add(1, Ordering::Relaxed);
                            moved.fetch_add(usize::from(changed), Ordering::Relaxed);
                            continue;
                        }
                        Outcome::Refused { message, by_pipe } => {
                            let fails = FAILS.iter().find(|(layout, referrer, _)| {
                                *layout == row.layout.name && (referrer.is_empty() || *referrer == row.referrer.name)
                            });
                            match fails {
                                Some((.., part)) if message.contains(part) => continue,
                                _ => format!("fails, as the pipe: {by_pipe}:\n{message}"),
                            }
                        }
                        Outcome::Differs(difference) => format!("differs:\n{difference}"),
                        Outcome::NotBuilt(message) => {
                            format!("kustomize cannot build it without the function:\n{message}")
                        }
                    };
                    if !row.exempt() {
                        faults.lock().unwrap().push(format!("== {}: {fault}", row.name()));
                    }
                }
            });
        }
    });
    let mut faults = faults.into_inner().unwrap();
    faults.sort();
    let (equal, moved) = (equal.into_inner(), moved.into_inner());
    assert!(
        faults.is_empty(),
        "{} of {} rows differ, {equal} are equal\n{}",
        faults.len(),
        rows.len(),
        faults.join("\n")
    );
    assert!(moved * 10 > rows.len() * 9, "only {moved} of {} rows change anything", rows.len());
}
