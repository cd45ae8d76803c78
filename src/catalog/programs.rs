//! Programs of the catalogue.

use std::sync::{Arc, LazyLock, OnceLock};

use super::data;
use super::matching::{ProgramMatch, best_match};
use super::program::{PackageKind, Program};

/// Program as text, from its file in the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct Source {
    /// Project, the name of the file.
    pub project: &'static str,
    /// Comment at the start of the file: the repository and version that the sources of rows refer to.
    pub head: &'static str,
    /// Name of the program.
    pub name: &'static str,
    /// Suffixes of the image paths.
    pub(super) images: &'static [&'static str],
    /// Kind of the package; `None` for programs of containers.
    pub(super) package: Option<PackageKind>,
    /// JSON of the entry, for `Deserialize`.
    pub(super) json: &'static str,
    /// YAML of the entry, with the sources of its rows.
    pub yaml: &'static str,
}

/// Known listener without a program in the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotCovered {
    /// Project.
    pub project: &'static str,
    /// Program, or a description of the programs.
    pub program: &'static str,
    /// Role of the listener.
    pub role: &'static str,
    /// Reason why the catalogue has no program.
    pub why: &'static str,
}

/// Project whose programs a chart with this name installs.
pub fn project_of_chart(chart: &str) -> Option<&'static str> {
    data::CHARTS.iter().find(|(known, _)| *known == chart).map(|(_, project)| *project)
}

/// Programs of an image (its path without tag and digest), each with the specificity of the match: programs of packages
/// of this kind, or of containers for `None`.
pub fn programs_of_image(
    path: &str,
    package: Option<PackageKind>,
) -> impl Iterator<Item = (ProgramMatch, Arc<Program>)> {
    // An empty path matches no program: skip the search.
    let rows = data::PROGRAMS.iter().enumerate().filter(move |(_, row)| !path.is_empty() && row.package == package);
    rows.filter_map(move |(index, row)| Some((best_match(row.images, path)?, program_at(index)?)))
}

/// Program with this name.
pub fn program(name: &str) -> Option<Arc<Program>> {
    data::PROGRAMS.iter().position(|row| row.name == name).and_then(program_at)
}

/// All programs, sorted by project.
pub fn programs() -> impl Iterator<Item = (&'static Source, Arc<Program>)> {
    data::PROGRAMS.iter().enumerate().filter_map(|(index, row)| Some((row, program_at(index)?)))
}

/// Names of all programs.
pub fn program_names<'n>() -> impl Iterator<Item = &'n str> {
    data::PROGRAMS.iter().map(|row| row.name)
}

/// Scaffolds with a flag or variable of this name, each with the role of the listener whose port it sets.
pub fn scaffolds_with(name: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    data::SCAFFOLDS.iter().filter(move |(_, known, _)| *known == name).map(|(scaffold, _, role)| (*scaffold, *role))
}

/// Scaffolds whose programs read ports from a config file.
pub fn scaffolds_with_file() -> impl Iterator<Item = Arc<Program>> {
    let rows = data::PROGRAMS.iter().enumerate().filter(|(_, row)| row.images.is_empty());
    rows.filter_map(|(index, _)| program_at(index)).filter(|program| program.config.is_some())
}

/// Known listeners without a program in the catalogue, with the reason.
pub static NOT_COVERED: &[NotCovered] = data::NOT_COVERED;

/// Returns the program of a row, parsed on first use.
fn program_at(index: usize) -> Option<Arc<Program>> {
    static PARSED: LazyLock<Vec<OnceLock<Option<Arc<Program>>>>> =
        LazyLock::new(|| data::PROGRAMS.iter().map(|_| OnceLock::new()).collect());
    let row = data::PROGRAMS.get(index)?;
    // Parsing does not fail: a test parses every row.
    PARSED.get(index)?.get_or_init(|| serde_json::from_str(row.json).ok().map(Arc::new)).clone()
}

#[cfg(test)]
mod tests {
    use super::super::{WORDS, check, data};
    use super::*;

    #[test]
    fn every_file_has_the_schema() {
        for row in data::PROGRAMS {
            serde_json::from_str::<Program>(row.json).unwrap_or_else(|error| panic!("{}: {error}", row.name));
            serde_saphyr::from_str::<Vec<Program>>(row.yaml).unwrap_or_else(|error| panic!("{}: {error}", row.name));
        }
    }

    #[test]
    fn charts_install_projects_that_are_known() {
        for (chart, project) in data::CHARTS {
            assert!(data::PROGRAMS.iter().any(|row| row.project == *project), "{chart}: no project {project}");
            assert_eq!(data::CHARTS.iter().filter(|(other, _)| other == chart).count(), 1, "{chart} has one row");
        }
        assert_eq!(project_of_chart("kruise"), Some("openkruise"));
        assert_eq!(project_of_chart("podinfo"), None);
    }

    #[test]
    fn no_row_contradicts_itself() {
        for (row, program) in programs() {
            assert_eq!(check(&program), Vec::<String>::new(), "{}", row.name);
        }
    }

    #[test]
    fn contradictory_rows_are_reported() {
        let wrong = |program: &str, listener: &str| {
            let known = "settings: [{arg: --port}]";
            let text = format!(
                "{{name: web, images: [web], {program} listeners: [{{role: other, names: [http], {listener} {known}}}]}}"
            );
            check(&serde_saphyr::from_str(&text).unwrap()).join("; ")
        };
        assert_eq!(wrong("config: {path: /etc/web.yaml},", "protocol: UDP, disabledBy: [--tls],"), "");
        assert_eq!(wrong("config: {},", ""), "`config` names no file: give `arg`, the flag that names it, or `path`");
        let row = "listener other (http)";
        assert_eq!(wrong("", "protocol: udp,"), format!("{row}: protocol `udp`: one of `TCP`, `UDP` and `SCTP`"));
        let never = "`until: v1.2.0` is not after `since: v1.2.0`: no release has it";
        assert_eq!(wrong("", "since: v1.2.0, until: v1.2.0,"), format!("{row}: {never}"));
        assert_eq!(wrong("", "since: v1.2.0, until: v1.10.0,"), "");
        let dashes = "a flag is written with its dashes and without a value";
        assert_eq!(wrong("", "disabledBy: [tls],"), format!("{row}: `disabledBy: tls`: {dashes}"));
    }

    /// Common image names such as `controller` need the path segment before them, or a word of the command.
    #[test]
    fn no_row_relies_on_a_common_word_alone() {
        for (row, program) in programs().filter(|(_, program)| program.package.is_none() && program.command.is_empty())
        {
            for image in &program.images {
                assert!(!WORDS.common_images.contains(&image.as_str()), "{}: image `{image}` alone", row.name);
            }
        }
    }

    #[test]
    fn no_two_programs_match_equally() {
        let all: Vec<_> = programs().map(|(_, program)| program).collect();
        for (index, program) in all.iter().enumerate() {
            for other in all.iter().skip(index + 1) {
                assert_ne!(program.name, other.name);
                assert!(!program.is_like(other), "{} and {} fit the same container", program.name, other.name);
            }
        }
    }

    #[test]
    fn the_flag_of_two_scaffolds_has_one_role() {
        for (scaffold, name, role) in data::SCAFFOLDS {
            let others = scaffolds_with(name).filter(|(_, other)| other != role).count();
            assert_eq!(others, 0, "{scaffold}: {name} has another role elsewhere");
        }
    }
}
