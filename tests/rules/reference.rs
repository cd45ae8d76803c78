//! Pages generated from the program: the fields of each kind, and the help of each command.
//!
//! `make generated` writes them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::generated::{assert_generated, wrapped};
use crate::support::run::hostnet;
use crate::support::{files_below, project};

/// The page of each kind; the kind's fields are its last section.
const KINDS: [(&str, &str); 4] = [
    ("HostNetwork", "host-network.md"),
    ("HostNetworkCheck", "check.md"),
    ("ProxyEnvironment", "proxy-environment.md"),
    ("PackageMirror", "package-mirror.md"),
];

/// Links from commands to pages with more details.
const MORE: [(&str, &str); 10] = [
    ("apply", "[in a pipe, and in place](../hosts/pipe.md)"),
    ("check", "[check](../check.md)"),
    ("ports", "[hostnet ports](../host-network.md#hostnet-ports)"),
    ("pin", "[assigned, and hostnet pin](../host-network.md#assigned-and-hostnet-pin)"),
    ("patch", "[patches](../patch.md)"),
    ("charts", "[rendered objects](../hosts/flux.md#what-hostnet-charts-renders)"),
    ("proxy", "[proxy variables](../proxy-environment.md)"),
    ("mirror", "[packages from a private registry](../package-mirror.md)"),
    ("catalog", "[the catalogue of programs](../../catalog/README.md)"),
    ("init", "[at the terminal](../terminal.md)"),
];

/// The pages of commands: file, title, and the commands in order.
const GROUPS: [(&str, &str, &[&str]); 4] = [
    ("move", "Commands that move workloads", &["ports", "init", "learn", "apply", "pin", "patch", "charts"]),
    ("check", "Commands that report and explain", &["check", "explain", "catalog"]),
    ("registry", "Commands for proxies and mirrors", &["proxy", "mirror"]),
    ("install", "Commands for the program itself", &["install", "schema", "completions", "man", "version"]),
];

fn printed(arguments: &[&str]) -> String {
    let run = hostnet(project(), arguments, b"");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run.text()
}

/// Compares a page with the generated text, or writes it.
fn assert_page(page: &str, text: &str) {
    assert_generated(&project().join("docs").join(page), text);
}

/// Asserts that a folder contains exactly the wanted pages.
fn assert_pages(folder: &str, mut wanted: BTreeSet<String>) {
    wanted.insert("README.md".to_owned());
    let there = std::fs::read_dir(project().join("docs").join(folder)).unwrap();
    let there: BTreeSet<String> = there.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(there, wanted, "docs/{folder}");
}

fn name_of(reference: &Value) -> Option<&str> {
    reference["$ref"].as_str()?.strip_prefix("#/$defs/")
}

/// Types that a page still has to explain, and types that earlier pages explain, by name with the page.
#[derive(Default)]
struct Types {
    open: Vec<String>,
    elsewhere: BTreeMap<String, &'static str>,
}

/// The accepted values of a field, in words. A type that no other page explains is added to `types`.
fn takes(schema: &Value, types: &mut Types) -> String {
    if let Some(name) = name_of(schema) {
        let page = types.elsewhere.get(name).copied();
        if page.is_none() {
            types.open.push(name.to_owned());
        }
        return format!("[{name}]({}#type-{})", page.unwrap_or_default(), name.to_lowercase());
    }
    for choice in ["oneOf", "anyOf"] {
        if let Some(all) = schema[choice].as_array() {
            let all: Vec<String> =
                all.iter().filter(|one| one["type"] != "null").map(|one| takes(one, types)).collect();
            return all.join(", or ");
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> = values.iter().map(|value| format!("`{}`", value.as_str().unwrap())).collect();
        return values.join(", ");
    }
    if let Some(value) = schema["const"].as_str() {
        return format!("`{value}`");
    }
    let forms = schema["type"].as_array().cloned().unwrap_or_else(|| vec![schema["type"].clone()]);
    let forms: Vec<&str> = forms.iter().filter_map(Value::as_str).filter(|one| *one != "null").collect();
    match forms.as_slice() {
        ["array"] => format!("a list: {}", takes(&schema["items"], types)),
        ["object"] if schema["additionalProperties"].is_object() => {
            format!("a mapping to {}", takes(&schema["additionalProperties"], types))
        }
        ["object"] => "a mapping".to_owned(),
        ["string"] => "text".to_owned(),
        ["boolean"] => "`true` or `false`".to_owned(),
        ["integer"] => match (schema["minimum"].as_u64(), schema["maximum"].as_u64()) {
            (Some(from), Some(to)) if to < u64::from(u32::MAX) => format!("{from} to {to}"),
            (Some(from), _) if from > 0 => format!("a number from {from} on"),
            _ => "a number".to_owned(),
        },
        _ => "anything".to_owned(),
    }
}

/// A text without line breaks.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The fields of a mapping, as a list.
fn fields(schema: &Value, types: &mut Types) -> String {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut text = String::new();
    for (name, field) in schema["properties"].as_object().unwrap() {
        let needed = if required.contains(&name.as_str()) { ", needed" } else { "" };
        let takes = takes(field, types);
        let description = line(field["description"].as_str().unwrap_or_default());
        text.push_str(&wrapped(&format!("- `{name}` ({takes}{needed}): {description}"), "  "));
    }
    text
}

/// A description with its long lines wrapped, except code.
fn prose(text: &str) -> String {
    let mut is_code = false;
    let lines = text.trim().lines().map(|line| {
        is_code ^= line.starts_with("```");
        if is_code { format!("{line}\n") } else { wrapped(line, "") }
    });
    lines.collect::<String>().trim_end().to_owned()
}

/// The heading of the generated section on a kind's page.
const FIELDS: &str = "\n## Fields\n";

/// The fields of a kind, followed by the fields of each type that it refers to. Adds these types to `elsewhere`.
fn fields_section(
    kind: &Value,
    all: &Value,
    file: &'static str,
    elsewhere: &mut BTreeMap<String, &'static str>,
) -> String {
    let mut types = Types { open: Vec::new(), elsewhere: elsewhere.clone() };
    let mut text = format!(
        "{FIELDS}\nWritten from the schema (`hostnet schema`).\n\n{}\n\n{}",
        wrapped(&line(kind["description"].as_str().unwrap()), "").trim_end(),
        fields(kind, &mut types)
    );
    let mut done = BTreeSet::new();
    while !types.open.is_empty() {
        let name = types.open.remove(0);
        if !done.insert(name.clone()) {
            continue;
        }
        let schema = &all["$defs"][&name];
        text.push_str(&format!("\n### Type {name}\n\n{}\n", prose(schema["description"].as_str().unwrap_or_default())));
        let later = std::mem::take(&mut types.open);
        let choices = schema["oneOf"].as_array().into_iter().flatten();
        let is_explained = choices.clone().count() > 0 && choices.clone().all(|one| one["description"].is_string());
        if schema["properties"].is_object() {
            text.push_str(&format!("\n{}", fields(schema, &mut types)));
        } else if !is_explained {
            text.push_str(&format!("\nTakes {}.\n", takes(schema, &mut types)));
        }
        for one in choices {
            if let (Some(value), Some(what)) = (one["const"].as_str(), one["description"].as_str()) {
                text.push_str(&format!("\n{}", wrapped(&format!("- `{value}`: {}", line(what)), "  ").trim_end()));
            }
        }
        if !text.ends_with('\n') {
            text.push('\n');
        }
        types.open.extend(later);
    }
    elsewhere.extend(done.into_iter().map(|name| (name, file)));
    text
}

#[test]
fn the_page_of_each_kind_has_every_field() {
    let schema: Value = serde_json::from_str(&printed(&["schema"])).unwrap();
    let mut explained = BTreeMap::new();
    for (kind, (name, file)) in schema["oneOf"].as_array().unwrap().iter().zip(KINDS) {
        assert_eq!(kind["title"], name);
        let before = explained.clone();
        let text = fields_section(kind, &schema, file, &mut explained);
        let page = std::fs::read_to_string(project().join("docs").join(file)).unwrap();
        let (by_hand, _) = page.split_once(FIELDS).unwrap_or((&page, ""));
        assert_page(file, &format!("{by_hand}{text}"));
        // An independent check: each property that the kind's schema reaches has a row under its definition.
        let mut open = vec![(FIELDS.to_owned(), kind.clone())];
        let mut seen = BTreeSet::new();
        while let Some((heading, schema_of)) = open.pop() {
            let (_, section) = text.split_once(&heading).unwrap_or_else(|| panic!("{file} has no {heading}"));
            let section = section.split("\n### ").next().unwrap();
            for (field, _) in schema_of["properties"].as_object().into_iter().flatten() {
                assert!(section.contains(&format!("\n- `{field}` (")), "{file}: {heading} has no `{field}`");
            }
            let written = schema_of.to_string();
            for reference in written.split("#/$defs/").skip(1) {
                let reference = reference.split('"').next().unwrap();
                if !before.contains_key(reference) && seen.insert(reference.to_owned()) {
                    open.push((format!("\n### Type {reference}\n"), schema["$defs"][reference].clone()));
                }
            }
        }
        assert!(seen.len() > 3, "{name}: {seen:?}");
    }
}

/// The subcommands of a command, in the order of its help.
fn below(help: &str) -> Vec<(String, String)> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let mut found: Vec<(String, String)> = Vec::new();
    for line in lines {
        let (name, what) = line.trim_start_matches("  ").split_once(' ').unwrap_or((line.trim(), ""));
        match found.last_mut().filter(|_| line.starts_with("    ")) {
            Some((_, before)) => before.push_str(&format!(" {}", line.trim())),
            None => found.push((name.to_owned(), what.trim().to_owned())),
        }
    }
    found.retain(|(name, _)| name != "help");
    found
}

/// The help of a command or subcommand, with its heading.
struct Help {
    level: &'static str,
    name: String,
    text: String,
}

impl Help {
    /// The text before the options, the options, and the text after them.
    fn parts(&self) -> (&str, Vec<&str>, &str) {
        let Some((before, rest)) = self.text.split_once("\nOptions:\n") else { return (&self.text, Vec::new(), "") };
        let (options, after) = rest.split_once("\n\nExamples:").unwrap_or((rest, ""));
        (before, options.split("\n\n").collect(), after)
    }

    /// The help as a section of a page, without the options that are `shared`.
    fn section(&self, shared: &[&str]) -> String {
        let (before, options, after) = self.parts();
        // The subcommands have their own sections.
        let before = before.split("\nCommands:\n").next().unwrap();
        let (others, own): (Vec<&str>, Vec<&str>) = options.into_iter().partition(|option| shared.contains(option));
        let mut text = before.to_owned();
        if !own.is_empty() {
            text.push_str(&format!("\nOptions:\n{}\n", own.join("\n\n")));
        }
        if !after.is_empty() {
            text.push_str(&format!("\nExamples:{after}"));
        }
        let more = MORE.iter().find(|(command, _)| *command == self.name);
        let more = more.map_or_else(String::new, |(_, more)| format!("More: {more}.\n\n"));
        let names: Vec<String> = others.iter().map(|option| format!("`{}`", long_name(option))).collect();
        let also = match names.as_slice() {
            [] => String::new(),
            names => format!(
                "\n{}",
                wrapped(&format!("Also {}: [options of several commands](README.md#{SHARED}).", names.join(", ")), "")
            ),
        };
        format!("\n{} hostnet {}\n\n{more}```\n{}\n```\n{also}", self.level, self.name, text.trim_end())
    }
}

/// The anchor of the options that several commands share.
const SHARED: &str = "options-of-several-commands";

/// The long name of an option in a help text.
fn long_name(option: &str) -> &str {
    let (_, rest) = option.split_once("--").unwrap();
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '-').unwrap_or(rest.len());
    option.get(option.len() - rest.len() - 2..option.len() - rest.len() + end).unwrap()
}

/// The help of a command and of its subcommands.
fn helps(name: &str) -> Vec<Help> {
    let own = Help { level: "##", name: name.to_owned(), text: printed(&[name, "--help"]) };
    let inner: Vec<String> = below(&own.text).into_iter().map(|(inner, _)| inner).collect();
    let inner = inner.into_iter().map(|inner| {
        let text = printed(&[name, &inner, "--help"]);
        Help { level: "###", name: format!("{name} {inner}"), text }
    });
    std::iter::once(own).chain(inner).collect()
}

/// The options that at least two commands have with the same text, in order of appearance. If an option has several
/// such texts, the most frequent one is returned.
fn shared_options(helps: &[Help]) -> Vec<&str> {
    let all: Vec<&str> = helps.iter().flat_map(|help| help.parts().1).collect();
    let count = |option: &str| all.iter().filter(|other| **other == option).count();
    let mut shared: Vec<&str> = Vec::new();
    for option in all.iter().copied().filter(|option| count(option) >= 2) {
        match shared.iter_mut().find(|other| long_name(other) == long_name(option)) {
            Some(other) if count(other) < count(option) => *other = option,
            Some(_) => {}
            None => shared.push(option),
        }
    }
    shared
}

#[test]
fn every_command_is_on_one_page() {
    let commands = below(&printed(&["--help"]));
    let known: Vec<&str> = commands.iter().map(|(name, _)| name.as_str()).collect();
    let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(.., names)| names.iter().copied()).collect();
    grouped.sort_unstable();
    let mut sorted = known.clone();
    sorted.sort_unstable();
    assert_eq!(grouped, sorted, "each command is in one group");
    assert!(MORE.iter().all(|(command, _)| known.contains(command)));
    let helps: Vec<Help> = commands.iter().flat_map(|(name, _)| helps(name)).collect();
    let shared = shared_options(&helps);
    assert!(shared.iter().any(|option| long_name(option) == "--quiet"), "{shared:?}");
    let mut index = String::from("# Commands\n\nWritten from `--help`.\n\n| command | |\n|---|---|\n");
    for (name, what) in &commands {
        let (page, ..) = GROUPS.iter().find(|(.., names)| names.contains(&name.as_str())).unwrap();
        index.push_str(&format!("| [{name}]({page}.md#hostnet-{name}) | {what} |\n"));
    }
    index.push_str(&format!(
        "\n## Options of several commands\n\nThe section of a command names those that it has.\n\n```\n{}\n```\n",
        shared.join("\n\n")
    ));
    for (page, title, names) in GROUPS {
        let is_of = |help: &Help, name: &str| help.name.split(' ').next() == Some(name);
        let own = names.iter().flat_map(|name| helps.iter().filter(move |help| is_of(help, name)));
        let sections: String = own.map(|help| help.section(&shared)).collect();
        assert_page(&format!("commands/{page}.md"), &format!("# {title}\n{sections}"));
    }
    assert_page("commands/README.md", &index);
    assert_pages("commands", GROUPS.iter().map(|(page, ..)| format!("{page}.md")).collect());
}

/// Editors with YAML's language server check the configs of the examples, because the first line names the schema.
#[test]
fn every_config_of_the_examples_names_its_schema() {
    let mut count = 0;
    for path in files_below(&project().join("examples")) {
        let text = std::fs::read_to_string(&path).unwrap();
        if !text.lines().any(|line| line.starts_with("apiVersion: hostnet.dev/")) {
            continue;
        }
        count += 1;
        let first = text.lines().next().unwrap();
        let schema =
            first.strip_prefix("# yaml-language-server: $schema=").unwrap_or_else(|| panic!("{path:?}: {first}"));
        let schema = path.with_file_name(schema).canonicalize().unwrap();
        assert_eq!(schema, project().join("docs/schema/hostnetwork.json").canonicalize().unwrap());
    }
    assert!(count > 10, "{count}");
}
