//! Packages whose pods another controller creates: their connections are unknown.

use super::check::{FUNCTIONS, check, core, env};
use super::run;
use crate::support::results::worded;

fn with_runtime(version: &str, runtime: &str, list: &str) -> String {
    core(version, &env(list)).replace("args: [core, start]", &format!("args: [core, start, {runtime}]")) + FUNCTIONS
}

#[test]
fn functions_of_another_controller_are_unknown() {
    for (runtime, external) in [
        ("'--package-runtime=External'", true),
        ("--package-runtime, External", true),
        ("'--package-runtime=Provider=Deployment;Function=External'", true),
        ("'--package-runtime=Provider=External;Function=Deployment'", false),
        ("'--package-runtime=Deployment'", false),
        ("'--package-runtime=External', '--package-runtime=Deployment'", false),
    ] {
        let (log, code) = check(&[], &with_runtime("v2.3.4", runtime, "$(KUBERNETES_SERVICE_HOST),.crossplane.io"));
        assert_eq!(code, Some(i32::from(!external)), "{runtime}: {log}");
        assert_eq!(log.contains("leaves them to another controller"), external, "{runtime}: {log}");
    }
}

#[test]
fn the_variable_of_the_core_sets_the_runtime_too() {
    let of = |variable: &str| {
        let more = format!("{}, {{name: PACKAGE_RUNTIME, {variable}}}", env("$(KUBERNETES_SERVICE_HOST)"));
        check(&[], &(core("v2.3.4", &more) + FUNCTIONS)).1
    };
    assert_eq!(of("value: External"), Some(0));
    assert_eq!(of("value: Deployment"), Some(1));
    assert_eq!(
        of("valueFrom: {secretKeyRef: {name: a, key: b}}"),
        Some(0),
        "an opaque value makes the runtime unknown"
    );
}

#[test]
fn a_core_with_an_external_runtime_needs_no_range_of_pods() {
    let spec = "httpsProxy: 'http://p:3128', case: Upper, targets: [{select: {name: crossplane}}, {select: {kind: Provider|Function}}]";
    let manifest =
        core("v1.19.3", "").replace("[core, start]", "[core, start, --package-runtime=External]") + FUNCTIONS;
    let (output, log) = run(spec, &manifest);
    insta::assert_snapshot!(worded(log), @"
    warning: standard input:6:1: Function function-auto-ready gets no variables: `--package-runtime` of Deployment crossplane-system/crossplane leaves its pods to another controller [runtime-config]
    warning: standard input:11:1: Function function-x gets no variables: `--package-runtime` of Deployment crossplane-system/crossplane leaves its pods to another controller [runtime-config]
    info: Deployment crossplane-system/crossplane: container crossplane: `--package-runtime` of Deployment crossplane-system/crossplane leaves functions to another controller, which chooses their addresses, so it is not known if NO_PROXY excludes them [proxy-reach]
    ");
    assert_eq!(output.matches("HTTPS_PROXY").count(), 1, "{output}");
}

/// Arguments in values of the chart.
#[test]
fn values_of_the_chart_set_the_runtime_too() {
    let spec = "httpsProxy: 'http://p:3128', case: Upper, crossplane: {namespace: crossplane-system}, targets: [{select: {kind: Function}}]";
    let release = |values: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: xp, namespace: crossplane-system}}\nspec: {{chart: {{spec: {{chart: \
             crossplane, version: 2.3.4}}}}, values: {{{values}}}}}\n"
        )
    };
    let of = |values: &str| run(spec, &(release(values) + FUNCTIONS));
    let (output, log) = of("args: ['--package-runtime=External']");
    assert!(log.contains("`--package-runtime` of HelmRelease crossplane-system/xp leaves its pods"), "{log}");
    assert!(!output.contains("HTTPS_PROXY"), "{output}");
    let (output, _) = of("extraEnvVarsCrossplane: {PACKAGE_RUNTIME: External}");
    assert!(!output.contains("HTTPS_PROXY"), "{output}");
    for values in ["args: ['--package-runtime=Deployment']", "rbacManager: {args: ['--package-runtime=External']}"] {
        let (output, log) = of(values);
        assert!(output.contains("HTTPS_PROXY") && !log.contains("leaves its pods"), "{values}: {log}");
    }
}
