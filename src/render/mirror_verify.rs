//! The output of `hostnet mirror verify`.

use crate::xpkg::{PackageVerdict, Verdict};
use krm::shown;

/// One paragraph per package, with the results of Crossplane's releases and the reasons. Releases with equal results
/// share a line.
pub fn text(all: &[PackageVerdict]) -> String {
    all.iter().map(package_text).collect::<Vec<_>>().join("\n")
}

/// The paragraph of one package.
fn package_text(judged: &PackageVerdict) -> String {
    let mut text = format!("{}", shown(&judged.source));
    if let Some(kind) = &judged.kind {
        text.push_str(&format!(" ({kind})"));
    }
    text.push('\n');
    if let Some(digest) = &judged.digest {
        text.push_str(&format!("  digest: {}\n", shown(digest)));
    }
    for group in judged.verdicts.chunk_by(|a, b| a.message == b.message) {
        let names: Vec<&str> = group.iter().map(|verdict| verdict.crossplane.as_str()).collect();
        let message = match group.first().and_then(|verdict| verdict.message.as_deref()) {
            None => "installs".to_owned(),
            Some(message) => format!("refuses: {}", shown(message.trim_end())),
        };
        text.push_str(&format!("  Crossplane {}: {message}\n", names.join(", ")));
    }
    if judged.verdicts.is_empty() && judged.digest.is_some() {
        text.push_str("  is there\n");
    }
    for finding in &judged.findings {
        text.push_str(&format!("  {}: {}\n", finding.severity.as_str(), shown(finding.message.trim_end())));
    }
    for needed in &judged.depends_on {
        text.push_str(&format!("  needs: {} {}\n", shown(&needed.package), shown(&needed.version)));
    }
    text
}

/// A list of objects, one for each package.
pub fn json(all: &[PackageVerdict]) -> serde_json::Value {
    let verdict = |verdict: &Verdict| serde_json::json!({"crossplane": verdict.crossplane, "installs": verdict.message.is_none(), "said": verdict.message});
    let one = |judged: &PackageVerdict| {
        let findings: Vec<serde_json::Value> = judged
            .findings
            .iter()
            .map(|finding| {
                serde_json::json!({"severity": finding.severity.as_str(), "about": finding.about.as_str(), "message": finding.message})
            })
            .collect();
        let needs: Vec<String> = judged
            .depends_on
            .iter()
            .map(|dependency| format!("{} {}", dependency.package, dependency.version))
            .collect();
        let platforms = judged.platforms.as_ref().map(|all| all.iter().map(ToString::to_string).collect::<Vec<_>>());
        serde_json::json!({
            "source": judged.source, "digest": judged.digest, "kind": judged.kind, "dependsOn": needs, "platforms": platforms,
            "verdicts": judged.verdicts.iter().map(verdict).collect::<Vec<_>>(), "findings": findings,
        })
    };
    all.iter().map(one).collect()
}
