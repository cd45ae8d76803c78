//! The output of `hostnet mirror verify`.

use crate::xpkg::{PackageReport, ReleaseResult};
use krm::escape_line;

/// One paragraph per package, with the results of Crossplane's releases and the reasons. Releases with equal results
/// share a line.
pub fn text(all: &[PackageReport]) -> String {
    all.iter().map(package_text).collect::<Vec<_>>().join("\n")
}

/// The paragraph of one package.
fn package_text(report: &PackageReport) -> String {
    let mut text = format!("{}", escape_line(&report.source));
    if let Some(kind) = &report.kind {
        text.push_str(&format!(" ({kind})"));
    }
    text.push('\n');
    if let Some(digest) = &report.digest {
        text.push_str(&format!("  digest: {}\n", escape_line(digest)));
    }
    for group in report.release_results.chunk_by(|a, b| a.message == b.message) {
        let names: Vec<&str> = group.iter().map(|release_result| release_result.crossplane.as_str()).collect();
        let message = match group.first().and_then(|release_result| release_result.message.as_deref()) {
            None => "installs".to_owned(),
            Some(message) => format!("refuses: {}", escape_line(message.trim_end())),
        };
        text.push_str(&format!("  Crossplane {}: {message}\n", names.join(", ")));
    }
    if report.release_results.is_empty() && report.digest.is_some() {
        text.push_str("  is there\n");
    }
    for finding in &report.findings {
        text.push_str(&format!("  {}: {}\n", finding.severity.as_str(), escape_line(finding.message.trim_end())));
    }
    for needed in &report.depends_on {
        text.push_str(&format!("  needs: {} {}\n", escape_line(&needed.package), escape_line(&needed.version)));
    }
    text
}

/// A list of objects, one for each package.
pub fn json(all: &[PackageReport]) -> serde_json::Value {
    let release_result = |release_result: &ReleaseResult| serde_json::json!({"crossplane": release_result.crossplane, "installs": release_result.message.is_none(), "said": release_result.message});
    let one = |report: &PackageReport| {
        let findings: Vec<serde_json::Value> = report
            .findings
            .iter()
            .map(|finding| {
                serde_json::json!({"severity": finding.severity.as_str(), "about": finding.about.as_str(), "message": finding.message})
            })
            .collect();
        let needs: Vec<String> = report
            .depends_on
            .iter()
            .map(|dependency| format!("{} {}", dependency.package, dependency.version))
            .collect();
        let platforms = report.platforms.as_ref().map(|all| all.iter().map(ToString::to_string).collect::<Vec<_>>());
        serde_json::json!({
            "source": report.source, "digest": report.digest, "kind": report.kind, "dependsOn": needs, "platforms": platforms,
            "verdicts": report.release_results.iter().map(release_result).collect::<Vec<_>>(), "findings": findings,
        })
    };
    all.iter().map(one).collect()
}
