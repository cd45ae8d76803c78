//! Any bytes as an archive and as a layer of a package: two runs give the same verdict, and a package that installs has
//! a `package.yaml`.

use std::io::Write as _;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use hostnet::rule::Severity;
use hostnet::xpkg::{CheckOptions, Depth, ERAS, PackageReport, check_package, package_yaml};
use oci::{Budget, Source};
use serde_json::json;

/// Time limit of one archive.
const TIME: Duration = Duration::from_secs(10);

pub fn archives(data: &[u8]) {
    let Some((form, bytes)) = data.split_first() else { return };
    let archive = match form % 5 {
        0 => bytes.to_vec(),
        form => {
            let (is_packed, is_annotated) = (form % 2 == 0, form > 2);
            package(&if is_packed { packed(bytes) } else { bytes.to_vec() }, is_annotated)
        }
    };
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&archive).unwrap();
    let path = file.path();
    let sources = [
        Source::DockerArchive { path: path.into(), is_package: true },
        Source::DockerArchive { path: path.into(), is_package: false },
        Source::Layout { path: path.into(), is_archive: true, wanted: None },
    ];
    for source in sources {
        for version in [None].into_iter().chain(ERAS.iter().map(|era| Some(era.last))) {
            let judged = judged(&source, version);
            assert_eq!(judged, self::judged(&source, version), "it is judged otherwise");
        }
    }
}

/// The result for one source; `None` if the source cannot be opened.
fn judged(source: &Source, version: Option<&str>) -> Option<PackageReport> {
    let budget = Budget::new(TIME);
    let store = source.open("source", &budget).ok().flatten()?;
    let judged =
        check_package(store.as_ref(), CheckOptions { version, kind: None, is_resolved: true, depth: Depth::Full });
    assert_eq!(budget.limit_or_incomplete_reason(), None, "it takes as long as the whole run may");
    let installs = judged.release_results.iter().all(|verdict| verdict.message.is_none());
    if let Some(version) = version
        && installs
        && !judged.release_results.is_empty()
    {
        assert!(package_yaml(store.as_ref(), version).is_some(), "{judged:?}");
    }
    let is_refused = !installs || judged.findings.iter().any(|finding| finding.severity == Severity::Error);
    assert!(is_refused || !judged.release_results.is_empty(), "there is no verdict");
    Some(judged)
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

/// A package as `crossplane xpkg build` writes it, with one layer.
fn package(layer: &[u8], is_annotated: bool) -> Vec<u8> {
    let label = if is_annotated { json!({"io.crossplane.xpkg:layer": "base"}) } else { json!({}) };
    let config =
        json!({"config": {"Labels": label}, "rootfs": {"type": "layers", "diff_ids": ["sha256:00"]}}).to_string();
    let manifest = json!([{"Config": "config", "RepoTags": null, "Layers": ["layer"]}]).to_string();
    let mut archive = tar::Builder::new(Vec::new());
    for (name, content) in [("config", config.as_bytes()), ("manifest.json", manifest.as_bytes()), ("layer", layer)] {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, content).unwrap();
    }
    archive.into_inner().unwrap()
}
