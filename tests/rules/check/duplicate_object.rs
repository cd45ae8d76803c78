//! Rule `duplicate-object`.

use super::{on_host, report_of, said};
use hostnet::kinds::check::Configs;
use insta::assert_snapshot;

#[test]
fn one_object_twice_with_different_content() {
    assert_snapshot!(said("duplicate-object", &[on_host("web", ""), on_host("web", "args: [x]")].concat()), @"error: a.yaml:9:1: Deployment shop/web is in the input more than once, with different content: which of them the cluster ends up with is undefined. Remove one");
}

#[test]
fn equal_content_and_other_names_are_not_said() {
    assert_eq!(said("duplicate-object", &[on_host("web", ""), on_host("web", "")].concat()), "");
    let seen = on_host("web", "").replace("---\n", "status: {replicas: 1}\n---\n");
    assert_eq!(said("duplicate-object", &[on_host("web", ""), seen].concat()), "");
    assert_eq!(said("duplicate-object", &[on_host("web", ""), on_host("api", "args: [x]")].concat()), "");
}

#[test]
fn across_files_it_is_a_warning() {
    let files = [on_host("web", ""), on_host("web", "args: [x]")];
    let report = report_of(&Configs::default(), &[("base.yaml", &files[0]), ("overlay.yaml", &files[1])]);
    let found = report.entries.iter().find(|entry| entry.rule.id == "duplicate-object").unwrap();
    let other = found.other.as_ref().and_then(|(_, place)| place.as_ref()).unwrap();
    assert_eq!((found.severity.as_str(), other.file.as_deref()), ("warning", Some("base.yaml")));
    // Once for all that two files have in common.
    let both = |arguments: &str| [on_host("web", arguments), on_host("api", arguments)].concat();
    let files = [both(""), both("args: [x]")];
    let report = report_of(&Configs::default(), &[("base.yaml", &files[0]), ("overlay.yaml", &files[1])]);
    let found: Vec<&str> =
        report.entries.iter().filter(|e| e.rule.id == "duplicate-object").map(|e| e.message.as_str()).collect();
    assert_snapshot!(found.join("\n"), @"Deployment shop/web and 1 more object are in two files with different content: a base and its overlay, or two clusters. Check what is rendered for one cluster at a time");
}
