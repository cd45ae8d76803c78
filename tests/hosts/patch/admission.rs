//! `--as admission`: policies for objects that operators create, the order in which to update the objects, and objects
//! without a policy.

use crate::patch::build::Bench;

const CONFIG: &str = "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, spec: {targets: [{select: {name: web}, ports: {http: 20080}}]}}";

const BASE: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: 'example.org/web:v1', args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 8080}]}
";

/// Returns the kinds of the documents, in order.
fn kinds(policies: &str) -> Vec<&str> {
    policies.lines().filter_map(|line| line.strip_prefix("kind: ")).collect()
}

const POLICY: [&str; 2] = ["MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"];
const GUARD: [&str; 2] = ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"];

/// Services come first, and the output contains the command that updates each existing object.
#[test]
fn services_come_before_workloads() {
    let policies = Bench::new(CONFIG, BASE).made(&["patch", "--as", "admission", "all.yaml"]);
    assert_eq!(kinds(&policies), [POLICY, POLICY].concat());
    let place = |text: &str| policies.find(text).unwrap_or_else(|| panic!("{text}: {policies}"));
    assert!(place("name: web.shop.service.hostnet.dev\n") < place("name: web.shop.deployment.hostnet.dev\n"));
    let first = place("#   kubectl -n shop annotate --overwrite service web hostnet.dev/written=\"$(date +%s)\"\n");
    assert!(first < place("#   kubectl -n shop annotate --overwrite deployment.v1.apps web hostnet.dev/written="));
    // Old pods do not listen on the number that the Service gets.
    let config = CONFIG.replace("{http: 20080}", "auto");
    let unnamed = BASE.replace("{name: http, containerPort: 8080}", "{containerPort: 8080}");
    let policies = Bench::new(&config, &unnamed).made(&["patch", "--as", "admission", "all.yaml"]);
    let place = |text: &str| policies.find(text).unwrap_or_else(|| panic!("{text}: {policies}"));
    assert!(place("overwrite deployment.v1.apps web ") < place("overwrite service web "), "{policies}");
    assert!(policies.contains("# They need Kubernetes v1.36 or later.\n"));
    assert!(policies.contains("apiVersion: admissionregistration.k8s.io/v1\n"));
}

#[test]
fn the_older_version_names_the_flags_that_it_needs() {
    let bench = Bench::new(CONFIG, BASE);
    let policies = bench.made(&["patch", "--as", "admission", "--api-version", "v1beta1", "all.yaml"]);
    assert!(policies.contains("apiVersion: admissionregistration.k8s.io/v1beta1\n"));
    assert!(policies.contains("--feature-gates=MutatingAdmissionPolicy=true"));
    for flag in [&["--api-version", "v1beta1"][..], &["--with-guard"]] {
        let (code, _, log) = bench.hostnet(&[&["patch", "--as", "component"], flag, &["all.yaml"]].concat());
        assert_eq!(code, Some(2), "{log}");
        assert!(log.contains("--api-version and --with-guard are for `--as admission`"), "{log}");
    }
}

#[test]
fn a_guard_follows_each_policy() {
    let bench = Bench::new(CONFIG, BASE);
    for (flag, action) in [("--with-guard", "[Warn, Audit]"), ("--with-guard=deny", "[Deny]")] {
        let policies = bench.made(&["patch", "--as", "admission", flag, "all.yaml"]);
        assert_eq!(kinds(&policies), [POLICY, GUARD, POLICY, GUARD].concat());
        assert_eq!(policies.matches(&format!("  validationActions: {action}\n")).count(), 2, "{policies}");
    }
}

/// An object that Flux applies must be changed in its source, so it gets no policy. An object with Flux' labels and an
/// owner gets one.
#[test]
fn objects_with_a_source_have_no_policy() {
    let labels = "labels: {kustomize.toolkit.fluxcd.io/name: apps, kustomize.toolkit.fluxcd.io/namespace: flux-system}";
    let base = BASE.replacen("namespace: shop}", &format!("namespace: shop, {labels}}}"), 1);
    let (code, policies, log) = Bench::new(CONFIG, &base).hostnet(&["patch", "--as", "admission", "all.yaml"]);
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(kinds(&policies), POLICY);
    let warning = "Deployment shop/web: Flux (Kustomization flux-system/apps) applies it, so no policy is printed";
    assert!(log.contains(warning), "{log}");
    let owner = "ownerReferences: [{apiVersion: example.org/v1, kind: Shop, name: shop, controller: true}]";
    let base = base.replacen(labels, &format!("{labels}, {owner}"), 1);
    let policies = Bench::new(CONFIG, &base).made(&["patch", "--as", "admission", "all.yaml"]);
    assert_eq!(kinds(&policies), [POLICY, POLICY].concat());
}

/// A Pod follows the template of its workload. It is counted if the workload is in the input, else reported.
#[test]
fn objects_without_a_policy_are_counted_or_reported() {
    let owner = "ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-7d4b9c, controller: true}]";
    let pod = format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: web-7d4b9c-x2x4z, namespace: shop, labels: {{app: web}}, {owner}}}\nspec:\n  \
         containers:\n  - {{name: web, image: 'example.org/web:v1', args: [--listen=:8080], ports: [{{name: http, containerPort: 8080}}]}}\n"
    );
    let config = CONFIG.replace("{name: web}, ports: {http: 20080}", "{name: 'web.*'}, ports: auto");
    let made = |base: &str| Bench::new(&config, base).hostnet(&["patch", "--as", "admission", "all.yaml"]);
    let (code, policies, log) = made(&format!("{BASE}---\n{pod}"));
    assert_eq!((code, kinds(&policies)), (Some(0), [POLICY, POLICY].concat()), "{log}");
    assert!(log.contains("2 objects with a policy, 1 that workloads make, 0 warnings"), "{log}");
    let service = BASE.split("---\n").nth(1).unwrap();
    let (code, _, log) = made(&format!("{service}---\n{pod}"));
    assert_eq!(code, Some(0), "{log}");
    let warning =
        "Pod shop/web-7d4b9c-x2x4z: a ReplicaSet creates it from a template of its own and is not in the input";
    assert!(log.contains(warning), "{log}");
}

/// Objects that differ only in their names share a policy.
#[test]
fn equal_objects_share_a_policy() {
    let service = BASE.split("---\n").nth(1).unwrap().replace("name: web,", "name: other,");
    let policies =
        Bench::new(CONFIG, &format!("{BASE}---\n{service}")).made(&["patch", "--as", "admission", "all.yaml"]);
    assert_eq!(kinds(&policies), [POLICY, POLICY].concat());
    assert!(policies.contains("      resourceNames: [\"other\", \"web\"]\n"), "{policies}");
    for name in ["web", "other"] {
        let next =
            format!("#   kubectl -n shop annotate --overwrite service {name} hostnet.dev/written=\"$(date +%s)\"\n");
        assert!(policies.contains(&next), "{policies}");
    }
}

/// The API server rejects changes of an existing Job's pods, so its policy only affects new Jobs.
#[test]
fn policies_of_jobs_only_affect_new_jobs() {
    let job = BASE.replace("apps/v1", "batch/v1").replace("kind: Deployment", "kind: Job");
    let policies = Bench::new(CONFIG, &job).made(&["patch", "--as", "admission", "all.yaml"]);
    assert!(policies.contains("      operations: [CREATE]\n"), "{policies}");
    assert!(policies.contains("#   Job shop/web changes when it is created anew\n"), "{policies}");
    assert_eq!(policies.matches("operations: [CREATE, UPDATE]\n").count(), 1, "{policies}");
}

#[test]
fn objects_that_no_policy_can_match_are_errors() {
    for (base, why) in [
        (BASE.replace(", namespace: shop", ""), "a policy needs its namespace"),
        (BASE.replacen("namespace: shop", "namespace: 'a b'", 1), "the API server refuses this name"),
        (format!("{BASE}---\n{BASE}"), "more than once"),
    ] {
        let (code, out, log) = Bench::new(CONFIG, &base).hostnet(&["patch", "--as", "admission", "all.yaml"]);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{log}");
        assert!(log.contains(why), "{log}");
    }
}

/// The input contains the changes of an earlier policy. A new policy would contain only the remaining changes, and
/// would replace the complete one.
#[test]
fn objects_that_a_policy_has_changed_get_no_new_policy() {
    let config = CONFIG.replace("{http: 20080}", "auto");
    let metrics = ", args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]";
    let half = BASE.replace("    spec:\n      containers", "    spec:\n      hostNetwork: true\n      dnsPolicy: ClusterFirstWithHostNet\n      containers").replace(
        metrics,
        ", args: [--listen=:20080, --metrics-bind-address=:8080], ports: [{name: http, containerPort: 20080, hostPort: 20080}, {name: metrics, containerPort: 8080}]",
    );
    let other = BASE.split("---\n").next().unwrap().replace("web", "other");
    let both = CONFIG.replace("{name: web}, ports: {http: 20080}", "{kind: Deployment}, ports: auto");
    let (code, out, log) =
        Bench::new(&both, &format!("{half}---\n{other}")).hostnet(&["patch", "--as", "admission", "all.yaml"]);
    assert_eq!((code, out.as_str()), (Some(1), ""), "{log}");
    let why = "Deployment shop/web: it is on the host network with a number of `ports: auto` already";
    assert!(log.contains(why), "{log}");
    let policy = |name: &str| {
        format!(
            "{BASE}---\napiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {{name: {name}}}\n"
        )
    };
    let made = |base: &str| Bench::new(&config, base).hostnet(&["patch", "--as", "admission", "all.yaml"]);
    let (code, out, log) = made(&policy("web.shop.deployment.hostnet.dev"));
    assert_eq!((code, out.as_str()), (Some(1), ""), "{log}");
    assert!(log.contains("the input already has the changes of this policy"), "{log}");
    let (code, out, log) = made(&policy("db.shop.deployment.hostnet.dev"));
    assert_eq!((code, kinds(&out).len()), (Some(0), 4), "{log}");
    assert!(log.contains("MutatingAdmissionPolicy db.shop.deployment.hostnet.dev: it is not printed again"), "{log}");
    let (code, _, log) = made(&policy("db.example.org"));
    assert!(code == Some(0) && !log.contains("printed again"), "{log}");
}

/// If the Pods of one controller have different numbers, no policy can match the next Pod by its generated name.
#[test]
fn generated_pods_that_differ_have_no_policy() {
    let pod = |end: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web-{end}\n  generateName: web-\n  namespace: shop\n  ownerReferences: [{{apiVersion: \
             example.org/v1, kind: Shop, name: shop, controller: true}}]\nspec:\n  containers:\n  - {{name: web, image: 'example.org/web:v1', args: \
             [--listen=:8080], ports: [{{name: http, containerPort: 8080}}]}}\n"
        )
    };
    let config = CONFIG.replace("{name: web}, ports: {http: 20080}", "{kind: Pod}, ports: auto");
    for (base, code) in [(pod("x2x4z"), Some(0)), (format!("{}---\n{}", pod("x2x4z"), pod("b7c9d")), Some(1))] {
        let (found, _, log) = Bench::new(&config, &base).hostnet(&["patch", "--as", "admission", "all.yaml"]);
        assert_eq!(found, code, "{log}");
        let why = "its name is generated, and other objects of its controller change differently";
        assert_eq!(log.contains(why), code == Some(1), "{log}");
    }
}
