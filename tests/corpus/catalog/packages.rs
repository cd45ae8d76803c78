//! Programs of widely used packages, with package names from public manifests and mirrors.

use hostnet::catalog::{PackageKind, Program, programs, programs_of_image};
use hostnet::version::ProgramVersion;
use oci::name::ImageRef;

/// Returns the program whose image shares the longest part with a package; `None` if no program matches.
fn program_of(image: &str, kind: PackageKind) -> Option<String> {
    let path = ImageRef::split(image).name;
    let mut found: Vec<_> = programs_of_image(path, Some(kind)).collect();
    found.sort_by_key(|(shared, _)| *shared);
    let (shared, program) = found.pop()?;
    assert!(found.last().is_none_or(|(next, _)| *next < shared), "{image}: two programs");
    Some(program.name.clone())
}

fn provider(image: &str) -> Option<String> {
    program_of(image, PackageKind::Provider)
}

#[test]
fn a_member_of_a_family_is_known_wherever_it_is_mirrored() {
    for (image, program) in [
        ("xpkg.upbound.io/upbound/provider-aws-s3:v2.5.3", "provider-upjet-aws"),
        ("xpkg.crossplane.io/crossplane-contrib/provider-aws-ec2:v1.22.0", "provider-upjet-aws"),
        ("123456789012.dkr.ecr.eu-west-1.amazonaws.com/mirror/provider-aws-rds@sha256:0a", "provider-upjet-aws"),
        ("example.com/upbound/provider-aws-${family}:${version}", "provider-upjet-aws"),
        ("xpkg.upbound.io/upbound/provider-family-aws:v2.5.3", "provider-family-aws"),
        ("xpkg.upbound.io/upbound/provider-azure-storage:v2.4.0", "provider-upjet-azure"),
        ("xpkg.upbound.io/upbound/provider-family-azure:v2.2.0", "provider-family-azure"),
        ("xpkg.upbound.io/upbound/provider-gcp-gke:v2.5.0", "provider-upjet-gcp"),
        ("xpkg.upbound.io/upbound/provider-family-gcp:v2.5.0", "provider-family-gcp"),
        ("xpkg.upbound.io/upbound/provider-gcp-beta-compute:v0.2.0", "provider-upjet-gcp-beta"),
        ("xpkg.upbound.io/upbound/provider-gcp-beta:v0.2.0", "provider-upjet-gcp-beta"),
        ("crossplane-contrib/provider-kubernetes:v0.9.0", "provider-kubernetes"),
        ("crossplane/provider-helm:v0.3.6", "provider-helm"),
        ("ghcr.io/crossplane-contrib/provider-sql:v0.15.0", "provider-sql"),
        ("xpkg.upbound.io/upbound/provider-terraform:v0.2.0", "provider-terraform"),
    ] {
        assert_eq!(provider(image).as_deref(), Some(program), "{image}");
    }
}

#[test]
fn packages_with_one_name_are_distinguished_by_their_organisation() {
    assert_eq!(provider("xpkg.upbound.io/upbound/provider-aws:v1.2.1").as_deref(), Some("provider-upjet-aws"));
    assert_eq!(provider("xpkg.upbound.io/crossplane-contrib/provider-aws:v0.43.1").as_deref(), Some("provider-aws"));
    assert_eq!(provider("crossplane/provider-aws:v0.29.0").as_deref(), Some("provider-aws"));
    assert_eq!(provider("registry.example.com/mirror/provider-aws:v1.2.1"), None, "either of them");
}

#[test]
fn similar_names_are_other_packages() {
    for image in [
        "xpkg.upbound.io/upbound/provider-azuread-applications:v2.0.0",
        "xpkg.upbound.io/upbound/provider-azuread:v2.0.0",
        "xpkg.upbound.io/upbound/provider-family-azuread:v2.0.0",
        "xpkg.upbound.io/crossplane-contrib/provider-jet-aws:v0.4.0",
        "xpkg.upbound.io/upbound/my-provider-aws-s3:v1.0.0",
        "xpkg.upbound.io/upbound/provider-aws-s3/extra:v1.0.0",
    ] {
        assert_eq!(provider(image), None, "{image}");
    }
}

#[test]
fn kinds_and_containers_are_distinguished() {
    let image = "xpkg.crossplane.io/crossplane-contrib/function-auto-ready";
    assert_eq!(program_of(image, PackageKind::Function).as_deref(), Some("function-auto-ready"));
    assert_eq!(provider(image), None);
    assert_eq!(programs_of_image(image, None).count(), 0, "a container of this image is not a package");
    assert_eq!(programs_of_image("crossplane/crossplane", Some(PackageKind::Provider)).count(), 0);
}

#[test]
fn a_family_member_installs_its_family() {
    let for_packages = || programs().map(|(_, program)| program).filter(|program| program.package.is_some());
    for program in for_packages() {
        for name in &program.dependencies {
            let known = for_packages().any(|other| other.images.contains(name));
            assert!(known, "{}: no program has the image {name}", program.name);
        }
    }
    let of_upjet = for_packages().filter(|program| !program.dependencies.is_empty());
    let families: Vec<_> = of_upjet.map(|program| (program.name.clone(), program.dependencies.join(","))).collect();
    let family = |cloud: &str| (format!("provider-upjet-{cloud}"), format!("provider-family-{cloud}"));
    assert_eq!(families, ["aws", "azure", "gcp"].map(family));
}

/// Crossplane declares `webhook` and `metrics` for a provider, `grpc` and `metrics` for a function, and dials a
/// function on 9443.
#[test]
fn every_package_has_the_listeners_that_crossplane_declares() {
    for (_, program) in programs().filter(|(_, program)| program.package.is_some()) {
        let names: &[&str] = match program.package {
            Some(PackageKind::Function) => &["grpc", "metrics"],
            _ => &["webhook", "metrics"],
        };
        for (name, number) in names.iter().zip([9443, 8080]) {
            let row = program.listeners.iter().find(|row| row.names.iter().any(|known| known == name));
            assert_eq!(row.and_then(|row| row.default), Some(number), "{} {name}", program.name);
            assert!(*name != "grpc" || row.is_some_and(|row| row.fixed), "{}: core dials 9443", program.name);
        }
    }
}

#[test]
fn a_port_moves_since_the_version_with_the_variable() {
    let has = |name: &str, role: &str, version: &str| {
        let program: Program = (*hostnet::catalog::program(name).unwrap()).clone();
        let row = program.listeners.iter().find(|row| row.role == role).unwrap();
        row.settings.first().and_then(|known| ProgramVersion::read(version).has(known.since.as_deref()?))
    };
    assert_eq!(has("provider-upjet-aws", "webhook", "v1.21.1"), Some(false));
    assert_eq!(has("provider-upjet-aws", "webhook", "v1.22.0"), Some(true));
    assert_eq!(has("provider-upjet-aws", "health", "v2.1.0"), Some(false));
    assert_eq!(has("provider-upjet-azure", "metrics", "v1.13.0"), Some(false));
    assert_eq!(has("provider-upjet-gcp", "metrics", "v2.0.0"), Some(true));
    assert_eq!(has("provider-helm", "health", "v1.3.0"), Some(false));
    assert_eq!(has("provider-sql", "metrics", "v0.15.0"), Some(true));
    assert_eq!(has("provider-kubernetes", "webhook", "v1.2.1"), Some(false));
    assert_eq!(has("provider-kubernetes", "webhook", "v1.3.0"), Some(true));
}
