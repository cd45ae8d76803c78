//! Output of `hostnet catalog`: a table of programs, or entries for `programs` of a config.

use std::fmt::Write as _;

use super::ports::aligned;
use crate::catalog::{Listener, NOT_COVERED, NotCovered, Program, Source, programs};

/// Maximum number of images per program in the table; the entry lists all.
const MAX_SHOWN_IMAGES: usize = 2;

/// Table of all programs: name, images, listeners, and the setting of each port.
pub fn table() -> String {
    let mut rows = Vec::new();
    for (_, program) in programs() {
        let images = if program.images.is_empty() { "(scaffold)".to_owned() } else { images(&program) };
        let mut head = [program.name.clone(), images];
        for listener in &program.listeners {
            let [name, images] = std::mem::take(&mut head);
            let port = listener.default.map_or_else(|| "-".to_owned(), |port| port.to_string());
            rows.push([name, images, format!("{} {port}", listener.role), set_by(listener)]);
        }
        // A program without listeners also gets a row.
        let [name, images] = head;
        if !name.is_empty() {
            rows.push([name, images, "none".to_owned(), String::new()]);
        }
    }
    aligned(&["NAME", "IMAGES", "LISTENER", "SET BY"], rows.into_iter())
}

/// Images of a program, for the table.
fn images(program: &Program) -> String {
    let mut text = program.package.map_or_else(String::new, |kind| format!("{kind:?} "));
    text += &program.images.iter().take(MAX_SHOWN_IMAGES).map(String::as_str).collect::<Vec<_>>().join(" or ");
    if program.images.len() > MAX_SHOWN_IMAGES {
        let _ = write!(text, " or {} more", program.images.len() - MAX_SHOWN_IMAGES);
    }
    for word in &program.command {
        let _ = write!(text, " {word}");
    }
    text
}

/// Settings of a listener's port number, for the table.
fn set_by(listener: &Listener) -> String {
    if listener.phantom {
        return "no process listens".to_owned();
    }
    if listener.settings.is_empty() {
        return "fixed".to_owned();
    }
    let ways = listener.settings.iter().map(|known| match &known.config {
        Some(field) => format!("{field} of its config file"),
        None => known.name().to_owned(),
    });
    ways.collect::<Vec<_>>().join(" or ")
}

/// Entries of a program or a project, followed by its programs that are not covered; `None` for an unknown name.
pub fn entries(name: &str) -> Option<String> {
    let of_project = |source: &Source| source.project == name;
    let project = programs().any(|(source, _)| of_project(source));
    let sources: Vec<&Source> = programs()
        .map(|(source, _)| source)
        .filter(|source| if project { of_project(source) } else { source.name == name })
        .collect();
    let project = sources.first().map_or(name, |source| source.project);
    let left_out: Vec<&NotCovered> = NOT_COVERED.iter().filter(|row| row.project == project).collect();
    if sources.is_empty() && left_out.is_empty() {
        return None;
    }
    let mut text = sources.first().map(|source| source.head.to_owned()).unwrap_or_default();
    for source in sources {
        text.push_str(source.yaml);
    }
    if !left_out.is_empty() {
        let _ = writeln!(text, "# Not covered:");
    }
    for row in left_out {
        let _ = writeln!(text, "# {} ({}): {}", row.program, row.role, row.why);
    }
    Some(text)
}

/// All names that [`entries`] accepts: programs and projects.
pub fn names() -> Vec<&'static str> {
    let known = programs().flat_map(|(source, _)| [source.name, source.project]);
    let mut names: Vec<&str> = known.chain(NOT_COVERED.iter().map(|row| row.project)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_can_be_copied_into_a_config() {
        for (source, program) in programs() {
            let text = entries(source.name).unwrap();
            let read: Vec<Program> = serde_saphyr::from_str(&text).unwrap();
            assert!(read.iter().any(|copy| format!("{copy:?}") == format!("{program:?}")), "{text}");
        }
    }

    #[test]
    fn the_table_has_every_listener() {
        let listeners: usize = programs().map(|(_, program)| program.listeners.len().max(1)).sum();
        assert_eq!(table().lines().count(), listeners + 1);
        let row = "kube-rbac-proxy";
        let line = table().lines().find(|line| line.starts_with(row)).map(str::to_owned).unwrap();
        assert_eq!(line.split_whitespace().collect::<Vec<_>>(), [row, row, "metrics", "-", "--secure-listen-address"]);
    }

    #[test]
    fn uncovered_programs_are_listed_with_a_reason() {
        let text = entries("argo-rollouts").unwrap();
        assert!(text.starts_with("# https://github.com/argoproj/argo-rollouts"), "{text}");
        assert!(
            text.contains("# Not covered:\n# argo-rollouts-dashboard (other): The manifest declares 3100"),
            "{text}"
        );
        assert!(entries("controller-runtime").is_some_and(|text| text.starts_with("# Not covered:")));
        assert_eq!(entries("unheard-of"), None);
    }
}
