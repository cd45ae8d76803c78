//! Containers of the corpora that the API server calls: their program is in the catalog, or `catalog/not-covered.yaml`
//! gives the reason.

use std::collections::BTreeSet;

use hostnet::catalog::NOT_COVERED;

use super::table::Measures;

/// Returns called containers that are in neither file, each with its place.
pub(super) fn without_a_row(corpora: &[Measures]) -> BTreeSet<String> {
    let units = corpora.iter().flat_map(|(_, units)| units);
    let rows = units.flat_map(|unit| unit.rows.iter().map(move |row| (unit, row)));
    let called = rows.filter(|(_, row)| row.is_called() && row.is_unknown && !row.is_guess);
    let unexplained = called.filter(|(_, row)| {
        let workload = row.workload.rsplit('/').next().unwrap_or_default();
        let names = |program: &str| program == row.container || program == workload;
        let serves = |roles: &str| roles.split(['+', ',']).any(|role| matches!(role.trim(), "webhook" | "apiservice"));
        !NOT_COVERED.iter().any(|known| names(known.program) && serves(known.role))
    });
    unexplained
        .map(|(unit, row)| format!("{}: {}, container {}, {}", unit.name, row.workload, row.container, row.from))
        .collect()
}
