//! Mistakes in arguments.

use super::super::{config, deployment};
use super::Mistake;

pub(super) fn all() -> Vec<Mistake> {
    let good = || config("  targets: [{select: {name: web}, ports: {https: 20443}}]\n");
    let calls: &[(&str, &[&str])] = &[
        ("a misspelled command", &["aply", "web.yaml"]),
        ("a misspelled flag", &["apply", "--inplace", "web.yaml"]),
        ("two flags that exclude each other", &["apply", "-c", "hostnet.yaml", "--diff", "--in-place", "web.yaml"]),
        ("a config that is not there", &["apply", "-c", "nope.yaml", "web.yaml"]),
        ("a config that is a folder", &["apply", "-c", "folder", "web.yaml"]),
        ("a path that is not there", &["apply", "-c", "hostnet.yaml", "nope.yaml"]),
        ("a folder without manifests", &["apply", "-c", "hostnet.yaml", "folder"]),
        ("standard input with a path", &["apply", "-c", "hostnet.yaml", "-", "web.yaml"]),
        ("standard input in place", &["apply", "-c", "hostnet.yaml", "--in-place"]),
        ("no config and nothing to find", &["pin", "web.yaml"]),
        ("no config for patches", &["patch", "--as", "flux", "web.yaml"]),
        ("an unknown form of patches", &["patch", "-c", "hostnet.yaml", "--as", "helm", "web.yaml"]),
        ("no form of patches", &["patch", "-c", "hostnet.yaml", "web.yaml"]),
        (
            "resources of a component",
            &["patch", "-c", "hostnet.yaml", "--as", "component", "--resource", "x", "web.yaml"],
        ),
        ("an unknown format", &["ports", "-c", "hostnet.yaml", "-o", "yaml", "web.yaml"]),
        ("an unknown rule", &["explain", "port-seting"]),
        ("a workload without a config", &["explain", "shop/web"]),
        ("a workload that is not there", &["explain", "shop/wbe", "-c", "hostnet.yaml", "web.yaml"]),
        ("an unknown program of the catalogue", &["catalog", "foo"]),
        ("a check without a path", &["check"]),
        ("an unknown shell", &["completions", "csh"]),
        ("init over a file", &["init", "--to", "hostnet.yaml", "hooks.yaml"]),
        ("init where nothing is called", &["init", "--to", "new.yaml", "web.yaml"]),
        ("quiet and verbose", &["apply", "-q", "-v", "-c", "hostnet.yaml", "web.yaml"]),
    ];
    let all = calls.iter().map(|(name, arguments)| {
        let mistake = Mistake::new(name, arguments).file("web.yaml", deployment("web")).file("folder/notes.txt", "");
        let hooks = super::super::called_web();
        // The command would find a config with this name.
        let finds = arguments.contains(&"hostnet.yaml");
        if finds { mistake.file("hostnet.yaml", good()).file("hooks.yaml", hooks) } else { mistake }
    });
    let strict = Mistake::new("warnings with --strict", &["apply", "--strict", "-c", "hostnet.yaml", "web.yaml"])
        .file("hostnet.yaml", config("  targets: [{select: {name: wbe}}]\n"))
        .file("web.yaml", deployment("web"));
    let both = Mistake::new("two configs to be found", &["apply", "--diff", "web.yaml"])
        .file("hostnet.yaml", good())
        .file(".hostnet.yaml", good())
        .file("web.yaml", deployment("web"));
    all.chain([strict, both]).collect()
}
