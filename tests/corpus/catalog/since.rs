//! The page of proven releases, `docs/since.md`, against the catalogue.

use hostnet::catalog::programs;

#[test]
fn every_release_that_the_page_proves_is_the_catalogues() {
    let page = include_str!("../../../docs/since.md");
    let mut proven = 0;
    let mut wrong = Vec::new();
    for line in page.lines() {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let &[project, name, setting, first, ..] = cells.as_slice() else { continue };
        let Some(setting) = setting.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) else { continue };
        proven += 1;
        let same = programs()
            .filter(|(source, program)| source.project == project && program.name == name)
            .flat_map(|(_, program)| program.listeners.clone())
            .flat_map(|row| row.tell)
            .any(|tell| tell.name() == setting && tell.since.as_deref() == Some(first));
        if !same {
            wrong.push(line);
        }
    }
    assert!(proven > 200, "the page has {proven} rows");
    assert!(wrong.is_empty(), "another release than in catalog/programs:\n{}", wrong.join("\n"));
}
