//! Requests of `hostnet mirror verify` to a registry: tokens, redirects, limits. `verify.rs` compares the verdicts with
//! Crossplane.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use super::verify_text::package;
use crate::support::{run, text};

/// A request: method and path, and its headers in lower case.
pub(super) struct Request {
    pub(super) line: String,
    pub(super) headers: BTreeMap<String, String>,
}

/// Answers requests on the loopback interface until the test ends, and records them as `METHOD PATH AUTHORIZATION`.
pub(super) fn serve(answer: impl Fn(&Request) -> Vec<u8> + Send + Sync + 'static) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = Arc::clone(&asked);
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (answer, kept) = (Arc::clone(&answer), Arc::clone(&kept));
            std::thread::spawn(move || {
                let stream: TcpStream = stream.unwrap();
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
                let Some(line) = lines.next() else { return };
                let headers = lines.take_while(|line| !line.is_empty());
                let headers = headers.filter_map(|line| {
                    let (name, value) = line.split_once(": ")?;
                    Some((name.to_lowercase(), value.to_owned()))
                });
                let request =
                    Request { line: line.trim_end_matches(" HTTP/1.1").to_owned(), headers: headers.collect() };
                let who = request.headers.get("authorization").map_or("", String::as_str);
                kept.lock().unwrap().push(format!("{} {who}", request.line).trim_end().to_owned());
                let _ = (&stream).write_all(&answer(&request));
            });
        }
    });
    (host, asked)
}

pub(super) fn response(status: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let mut all = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n", body.len())
        .into_bytes();
    all.extend(body);
    all
}

/// The blobs of a layout, and the digest of its manifest.
pub(super) fn blobs(folder: &Path) -> (BTreeMap<String, Vec<u8>>, String) {
    let index: serde_json::Value = serde_json::from_slice(&std::fs::read(folder.join("index.json")).unwrap()).unwrap();
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let entry = entry.unwrap();
        (format!("sha256:{}", entry.file_name().to_str().unwrap()), std::fs::read(entry.path()).unwrap())
    };
    let all = std::fs::read_dir(folder.join("blobs/sha256")).unwrap().map(read).collect();
    (all, index["manifests"][0]["digest"].as_str().unwrap().to_owned())
}

fn verify(arguments: &[&str], source: &str) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hostnet"));
    let output =
        run(command.args(["mirror", "verify"]).args(arguments).arg(source).env("DOCKER_CONFIG", "/nowhere"), b"");
    (output.status.code(), format!("{}{}", text(&output.stdout), text(&output.stderr)))
}

#[test]
fn a_token_is_fetched_and_stays_with_the_registry() {
    let folder = tempfile::tempdir().unwrap();
    package().lay(folder.path());
    let (all, manifest) = blobs(folder.path());
    let (storage, stored) = {
        let all = all.clone();
        serve(move |request| {
            let digest = request.line.rsplit('/').next().unwrap_or_default();
            all.get(digest).map_or_else(|| response("404 Not Found", &[], b""), |bytes| response("200 OK", &[], bytes))
        })
    };
    let (host, asked) = serve(move |request| {
        let own = request.headers.get("host").cloned().unwrap_or_default();
        let who = request.headers.get("authorization").map_or("", String::as_str);
        let path = request.line.split(' ').nth(1).unwrap_or_default();
        if path.starts_with("/token?") {
            return match who {
                "Basic bWU6c2VjcmV0" => response("200 OK", &[], br#"{"token": "t1"}"#),
                _ => response("401 Unauthorized", &[], b""),
            };
        }
        if who != "Bearer t1" {
            let challenge = format!("Bearer realm=\"http://{own}/token\",service=\"a b\"");
            return response("401 Unauthorized", &[("WWW-Authenticate", &challenge)], b"");
        }
        match path.strip_prefix("/v2/o/p/blobs/") {
            Some(digest) => {
                response("307 Temporary Redirect", &[("Location", &format!("http://{storage}/{digest}"))], b"")
            }
            None => {
                response("200 OK", &[("Content-Type", "application/vnd.oci.image.manifest.v1+json")], &all[&manifest])
            }
        }
    });
    let (code, log) = verify(&["--user", "me:secret"], &format!("{host}/o/p:v1"));
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("v2.2 and later: installs"), "{log}");
    let asked = asked.lock().unwrap().clone();
    assert!(
        asked.contains(&"GET /token?scope=repository:o/p:pull&service=a%20b Basic bWU6c2VjcmV0".to_owned()),
        "{asked:#?}"
    );
    assert_eq!(asked.iter().filter(|line| line.contains("/token")).count(), 1, "{asked:#?}");
    let stored = stored.lock().unwrap().clone();
    assert!(!stored.is_empty() && stored.iter().all(|line| !line.contains("Bearer")), "{stored:#?}");
    assert!(
        asked.iter().chain(stored.iter()).all(|line| line.starts_with("GET ") || line.starts_with("HEAD ")),
        "{asked:#?}"
    );
    let (code, log) = verify(&["--user", "me:wrong"], &format!("{host}/o/p:v1"));
    assert_eq!(code, Some(1));
    assert!(log.contains("error: not read: ") && log.contains("401 Unauthorized"), "{log}");
}

#[test]
fn the_size_of_manifests_is_limited() {
    let (host, _) = serve(|request| match request.line.contains("manifests") {
        true => response("200 OK", &[], &vec![b' '; 6 << 20]),
        false => response("200 OK", &[], b""),
    });
    let (code, log) = verify(&[], &format!("{host}/o/p:v1"));
    assert_eq!(code, Some(1));
    assert!(log.contains("the manifest has more than 4194304 bytes"), "{log}");
}

#[test]
fn an_unreachable_registry_gives_no_verdict() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (code, log) = verify(&[], &format!("{closed}/o/p:v1"));
    assert_eq!(code, Some(1));
    assert!(log.starts_with(&format!("{closed}/o/p:v1\n  error: not read: Get \"https://{closed}/v2/\": ")), "{log}");
}

#[test]
fn certificates_are_read_from_the_file_of_ca() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("none.pem");
    std::fs::write(&file, "nothing").unwrap();
    let (code, log) = verify(&["--ca", file.to_str().unwrap()], "registry.example.com/o/p:v1");
    assert_eq!((code, log), (Some(1), format!("error: {}: it holds no certificate in PEM\n", file.display())));
}

/// The layer with the content is requested once, for all releases; other layers only get HEAD requests.
#[test]
fn only_layers_that_crossplane_reads_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let layers = package().lay(folder.path());
    let digest = |at: usize| format!("sha256:{}", layers[at].file_name().unwrap().to_str().unwrap());
    let (program, base) = (digest(0), digest(1));
    let (mut all, manifest) = blobs(folder.path());
    // A layer of one gigabyte, which is not read.
    let text = String::from_utf8(all[&manifest].clone()).unwrap();
    let size = all[&program].len();
    let text = text.replace(&format!("\"size\":{size}"), "\"size\":1073741824");
    assert!(text.contains("1073741824"), "{text}");
    all.insert(manifest.clone(), text.into_bytes());
    let sent = Arc::new(Mutex::new(0));
    let count = Arc::clone(&sent);
    let (host, asked) = serve(move |request| {
        let is_head = request.line.starts_with("HEAD ");
        let path = request.line.split(' ').nth(1).unwrap_or_default();
        let body = match path.rsplit('/').next().unwrap_or_default() {
            "" => Vec::new(),
            "v1" => all[&manifest].clone(),
            digest => all.get(digest).cloned().unwrap_or_default(),
        };
        *count.lock().unwrap() += if is_head { 0 } else { body.len() };
        let media = ("Content-Type", "application/vnd.oci.image.manifest.v1+json");
        if is_head { response("200 OK", &[media], b"") } else { response("200 OK", &[media], &body) }
    });
    let (code, log) = verify(&["--strict"], &format!("{host}/o/p:v1"));
    assert_eq!(code, Some(0), "{log}");
    let asked = asked.lock().unwrap().clone();
    let gets = |digest: &str| asked.iter().filter(|line| line.starts_with("GET ") && line.contains(digest)).count();
    assert_eq!((gets(&program), gets(&base)), (0, 1), "{asked:#?}");
    assert!(*sent.lock().unwrap() < (1 << 30) / 100, "{asked:#?}");
}

#[test]
fn an_image_of_ten_thousand_layers_is_refused() {
    let layer = |at: usize| {
        let digest = oci::digest_of(at.to_string().as_bytes());
        serde_json::json!({"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", "digest": digest, "size": 1})
    };
    let layers: Vec<serde_json::Value> = (0..10_000).map(layer).collect();
    let manifest =
        serde_json::json!({"schemaVersion": 2, "config": layer(0), "layers": layers}).to_string().into_bytes();
    let (host, asked) = serve(move |_| {
        response("200 OK", &[("Content-Type", "application/vnd.oci.image.manifest.v1+json")], &manifest)
    });
    let (code, log) = verify(&[], &format!("{host}/o/p:v1"));
    assert_eq!(code, Some(1));
    assert!(log.contains("the image has 10000 layers; more than 1000 are not read"), "{log}");
    assert!(asked.lock().unwrap().len() < 10);
}

/// A digest is part of a URL, and must not lead to another path.
#[test]
fn a_digest_that_is_a_path_is_not_requested() {
    let base = serde_json::json!({"digest": "sha256:../../../other?x=", "size": 1, "annotations": {"io.crossplane.xpkg": "base"}});
    let manifest = serde_json::json!({"schemaVersion": 2, "config": base, "layers": [base]}).to_string().into_bytes();
    let (host, asked) = serve(move |_| {
        response("200 OK", &[("Content-Type", "application/vnd.oci.image.manifest.v1+json")], &manifest)
    });
    let (code, log) = verify(&[], &format!("{host}/o/p:v1"));
    assert_eq!(code, Some(1));
    assert!(log.contains("found non-hex character in hash: ."), "{log}");
    let asked = asked.lock().unwrap().clone();
    assert!(asked.iter().all(|line| !line.contains("other")), "{asked:#?}");
}

/// A list of tags with an endless number of pages.
#[test]
fn the_number_of_tag_pages_is_limited() {
    let folder = tempfile::tempdir().unwrap();
    let needs = "apiVersion: meta.pkg.crossplane.io/v1\nkind: Configuration\nmetadata: {name: c}\nspec: {dependsOn: [{provider: a.io/o/needed, version: '>=v1'}]}\n";
    super::verify_text::package_of(needs).lay(folder.path());
    let (all, manifest) = blobs(folder.path());
    let pages = Arc::new(Mutex::new(0));
    let count = Arc::clone(&pages);
    let (host, _) = serve(move |request| {
        let path = request.line.split(' ').nth(1).unwrap_or_default();
        if path.contains("/tags/list") {
            *count.lock().unwrap() += 1;
            let link = format!("</v2/o/needed/tags/list?last=v{}&n=1>; rel=\"next\"", count.lock().unwrap());
            return response("200 OK", &[("Link", &link)], br#"{"tags": ["latest"]}"#);
        }
        let body = match path.rsplit('/').next().unwrap_or_default() {
            "" => return response("200 OK", &[], b""),
            "v1" => all[&manifest].clone(),
            digest => all.get(digest).cloned().unwrap_or_default(),
        };
        response("200 OK", &[("Content-Type", "application/vnd.oci.image.manifest.v1+json")], &body)
    });
    let config = format!(
        "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {{name: m}}\nspec: {{rules: [{{from: a.io, to: '{host}'}}]}}\n"
    );
    std::fs::write(folder.path().join("mirror.yaml"), config).unwrap();
    let manifests = folder.path().join("manifests.yaml");
    std::fs::write(&manifests, super::package("Configuration", "c", "a.io/o/c:v1")).unwrap();
    let (code, log) = verify(&["-c", folder.path().join("mirror.yaml").to_str().unwrap()], manifests.to_str().unwrap());
    assert_eq!(code, Some(1));
    assert!(log.contains("the list of its tags has no end"), "{log}");
    assert_eq!(*pages.lock().unwrap(), 100);
}

/// A registry that accepts the connection and never answers.
#[test]
fn a_registry_that_stalls_times_out() {
    if !crate::support::runs_slow_tests("a registry that stalls") {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap();
    let kept: Arc<Mutex<Vec<TcpStream>>> = Arc::default();
    std::thread::spawn(move || listener.incoming().for_each(|stream| kept.lock().unwrap().push(stream.unwrap())));
    let start = std::time::Instant::now();
    let (code, log) = verify(&[], &format!("{host}/o/p:v1"));
    assert_eq!(code, Some(1), "{log}");
    assert!(start.elapsed().as_secs() < 120, "{log}");
}

/// A certificate of an authority that only `--ca` names.
#[test]
fn certificates_of_registries_are_verified() {
    let Some(program) = crate::support::find_program("xpkg-registry") else {
        return crate::support::not_run("xpkg-registry is missing (`make tools` builds it with Go)");
    };
    let folder = tempfile::tempdir().unwrap();
    let ca = folder.path().join("ca.pem");
    let registry = super::verify::Registry::start_with(
        &program,
        &[
            "-only",
            "annotated",
            "-tls",
            ca.to_str().unwrap(),
            "-layouts",
            folder.path().join("layouts").to_str().unwrap(),
        ],
    );
    let source = format!("{}/p/annotated:v1.0.0", registry.host);
    let (code, log) = verify(&["--ca", ca.to_str().unwrap(), "--strict"], &source);
    assert_eq!(code, Some(0), "{log}");
    let (code, log) = verify(&[], &source);
    assert_eq!(code, Some(1));
    assert!(log.contains("tls: failed to verify certificate: x509: certificate signed by unknown authority"), "{log}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_hostnet"));
    command.args(["mirror", "verify", &source]).env("SSL_CERT_FILE", "/nowhere").env("SSL_CERT_DIR", "/nowhere");
    let output = run(&mut command, b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("give a file of them with `--ca FILE`"), "{}", text(&output.stderr));
}

/// A self-signed certificate, as made by `openssl req -x509`.
#[test]
fn a_self_signed_certificate_of_the_file_is_trusted() {
    let Some(program) = crate::support::find_program("openssl") else {
        return crate::support::not_run("openssl is missing");
    };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for name in ["own", "other"] {
        let mut command = Command::new(&program);
        command.args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
        ]);
        command.args(["-subj", "/CN=registry", "-addext", "subjectAltName=IP:127.0.0.1"]);
        command.args(["-keyout", &path(&format!("{name}.key")), "-out", &path(&format!("{name}.pem"))]);
        let output = run(&mut command, b"");
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let host = format!("127.0.0.1:{port}");
    let mut command = Command::new(&program);
    // The server answers every path with its page, and answers to HEAD never end.
    command.args(["s_server", "-accept", &host, "-www", "-quiet", "-cert", &path("own.pem"), "-key", &path("own.key")]);
    let mut server = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
    for _ in 0..100 {
        if TcpStream::connect(&host).is_ok() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let reported = |ca: &str| verify(&["--time-limit", "2", "--ca", &path(ca)], &format!("{host}/o/p:v1")).1;
    let (own, other) = (reported("own.pem"), reported("other.pem"));
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(own.contains(&format!("https://{host}/v2/o/p/manifests/v1")) && !own.contains("x509"), "{own}");
    assert!(other.contains("x509: certificate signed by unknown authority"), "{other}");
}

/// An unreachable registry, and a missing file, do not affect the verdicts of other sources.
#[test]
fn each_source_has_a_verdict() {
    let folder = tempfile::tempdir().unwrap();
    package().lay(&folder.path().join("mirror"));
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let run = crate::support::run::hostnet(
        folder.path(),
        &["mirror", "verify", &format!("{closed}/o/p:v1"), "oci:nothing", "oci:mirror", "-o", "json"],
        b"",
    );
    let rows: serde_json::Value = serde_json::from_str(&run.text()).unwrap();
    let about = |at: usize| rows[at]["findings"][0]["about"].as_str().unwrap_or_default().to_owned();
    assert_eq!((run.code, about(0), about(1)), (Some(1), "no-answer".to_owned(), "no-answer".to_owned()));
    assert_eq!(rows[2]["verdicts"][0]["installs"], true);
}

/// From v2.0.0 on `spec.package` refuses such a name; earlier releases accept any name.
#[test]
fn the_name_of_a_source_is_validated_for_the_release() {
    let folder = tempfile::tempdir().unwrap();
    package().lay(folder.path());
    let (all, manifest) = blobs(folder.path());
    let (host, _) = serve(move |request| {
        let path = request.line.split(' ').nth(1).unwrap_or_default();
        let digest = path.rsplit('/').next().unwrap_or_default();
        match (path.contains("/manifests/"), all.get(digest)) {
            (true, _) => {
                let headers = [("Content-Type", "application/vnd.oci.image.manifest.v1+json")];
                response("200 OK", &headers, &all[&manifest])
            }
            (false, Some(bytes)) => response("200 OK", &[], bytes),
            (false, None) => response("200 OK", &[], b""),
        }
    });
    let local = host.replace("127.0.0.1", "localhost");
    let reported = |version: &str, source: &str| {
        let (code, log) = verify(&["--crossplane", version], source);
        (code, log.contains("must be a fully qualified image name"))
    };
    for (version, source, want) in [
        ("v2.3.4", format!("{host}/o/p:v1"), (Some(0), false)),
        ("v2.3.4", format!("{host}/o/p@{}", blobs(folder.path()).1), (Some(0), false)),
        ("v2.3.4", format!("{host}/o/p"), (Some(1), true)),
        ("v2.3.4", format!("{local}/o/p:v1"), (Some(1), true)),
        ("v1.20.11", format!("{local}/o/p"), (Some(0), false)),
    ] {
        assert_eq!(reported(version, &source), want, "{version} {source}");
    }
}
