//! Registries that try to get the password of another host, or send endless answers.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::verify_config::meta;
use super::verify_registry::{blobs, response, serve};
use super::verify_text::package_of;
use crate::support::{run, text};

const MANIFEST: (&str, &str) = ("Content-Type", "application/vnd.oci.image.manifest.v1+json");
const INDEX: (&str, &str) = ("Content-Type", "application/vnd.oci.image.index.v1+json");

/// `me:secret`
const SECRET: &str = "Basic bWU6c2VjcmV0";

/// Writes a package as an OCI layout.
pub(super) fn layout(folder: &Path, content: &str) {
    package_of(content).lay(folder);
}

type Asked = Arc<Mutex<Vec<String>>>;

/// Blobs by digest, and the digest of the manifest.
type Held = (BTreeMap<String, Vec<u8>>, String);

/// Makes a challenge for a host.
type Challenge = Box<dyn Fn(&str) -> String + Send + Sync>;

fn path(line: &str) -> &str {
    line.split(' ').nth(1).unwrap_or_default()
}

/// Answer of a registry that has one image for every name and tag.
pub(super) fn answer(all: &BTreeMap<String, Vec<u8>>, manifest: &str, line: &str) -> Vec<u8> {
    match path(line) {
        path if path.contains("/tags/list") => response("200 OK", &[], br#"{"tags": ["v1.0.0"]}"#),
        path if path.contains("/blobs/") => {
            let digest = path.rsplit('/').next().unwrap_or_default();
            all.get(digest).map_or_else(|| response("404 Not Found", &[], b""), |bytes| response("200 OK", &[], bytes))
        }
        path if path.contains("/manifests/") => response("200 OK", &[MANIFEST], &all[manifest]),
        _ => response("200 OK", &[], b""),
    }
}

/// A registry with one image, for every name and tag.
pub(super) fn registry_of(folder: &Path) -> (String, Asked) {
    let (all, manifest) = blobs(folder);
    serve(move |request| answer(&all, &manifest, &request.line))
}

/// A registry whose package `pN` needs `pN+1`.
pub(super) fn endless(folder: &Path) -> (String, Asked) {
    let made: Mutex<BTreeMap<String, Held>> = Mutex::default();
    let folder = folder.to_owned();
    serve(move |request| {
        let own = request.headers.get("host").cloned().unwrap_or_default();
        let Some(name) = path(&request.line).split('/').find(|part| part.starts_with('p') && part.len() > 1) else {
            return response("200 OK", &[], b"");
        };
        let mut made = made.lock().unwrap();
        let (all, manifest) = made.entry(name.to_owned()).or_insert_with(|| {
            let number: usize = name.trim_start_matches('p').parse().unwrap_or_default();
            let needs = format!("{{provider: '{own}/o/p{}', version: '>=v1.0.0'}}", number + 1);
            let at = folder.join(name);
            layout(&at, &meta("Provider", name, &[needs]));
            blobs(&at)
        });
        answer(all, manifest, &request.line)
    })
}

/// Starts a registry that requires authentication, with this challenge.
fn asking(folder: &Path, challenge: impl Fn(&str) -> String + Send + Sync + 'static) -> (String, Asked) {
    let (all, manifest) = blobs(folder);
    serve(move |request| {
        let own = request.headers.get("host").cloned().unwrap_or_default();
        let is_token = path(&request.line).starts_with("/token");
        match request.headers.get("authorization") {
            _ if is_token => response("200 OK", &[], br#"{"token": "t1"}"#),
            None => response("401 Unauthorized", &[("WWW-Authenticate", &challenge(&own))], b""),
            Some(_) => answer(&all, &manifest, &request.line),
        }
    })
}

fn verify(arguments: &[&str], stdin: &[u8]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hostnet"));
    command.args(["mirror", "verify"]).args(arguments).env("DOCKER_CONFIG", "/nowhere");
    let output = run(command.env("HOSTNET_PASSWORD", "secret"), stdin);
    (output.status.code(), format!("{}{}", text(&output.stdout), text(&output.stderr)))
}

fn has_secret(asked: &Asked) -> bool {
    asked.lock().unwrap().iter().any(|line| line.contains(SECRET))
}

fn provider() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    layout(folder.path(), &meta("Provider", "a", &[]));
    folder
}

#[test]
fn a_password_is_given_for_a_host() {
    let folder = provider();
    let (host, asked) = asking(folder.path(), |_| "Basic realm=a".to_owned());
    let source = format!("{host}/o/p:v1");
    let with_host = [format!("{host}=me:secret"), format!("{host}=me")];
    for (arguments, stdin) in [
        (&["--user", "me:secret"][..], ""),
        (&["--user", "me"], ""),
        (&["--user", "me", "--password-stdin"], "secret\n"),
        (&["--user", &with_host[0], "--user", "127.0.0.1:1=me:other"], ""),
        (&["--user", &with_host[1], "--password-stdin"], "secret\n"),
    ] {
        asked.lock().unwrap().clear();
        let (code, log) = verify(&[arguments, &[&source]].concat(), stdin.as_bytes());
        assert_eq!(code, Some(0), "{arguments:?} {log}");
        assert!(has_secret(&asked), "{arguments:?}");
    }
    for (arguments, words) in [
        (&["--user", "me:secret", "127.0.0.1:1/o/p:v1"][..], "write `--user HOST=NAME:PASSWORD` for each"),
        (&["--user", "me:secret", "--user", "me:secret"], "given twice for"),
        (&["--user", ":secret"], "not empty"),
        (&["--user", "me:secret", "--password-stdin"], "for a `--user` without a password"),
    ] {
        let (code, log) = verify(&[arguments, &[&source]].concat(), b"");
        assert_eq!(code, Some(1), "{log}");
        assert!(log.contains(words) && !log.contains("secret"), "{log}");
    }
}

/// Challenges that try to send the password to another host, or in another form.
#[test]
fn a_password_goes_to_its_host_alone() {
    let folder = provider();
    let (thief, stolen) = asking(folder.path(), |_| "Basic realm=a".to_owned());
    let at = thief.clone();
    let challenges: [Challenge; 6] = [
        Box::new({
            let at = at.clone();
            move |_| format!("Bearer realm=\"http://127.0.0.1@{at}/token\"")
        }),
        Box::new({
            let at = at.replace("127.0.0.1", "localhost");
            move |_| format!("Bearer realm=\"http://{at}/token\"")
        }),
        Box::new({
            let at = at.clone();
            move |own_host| format!("Bearer realm=\"http://{own_host}@{at}/token\"")
        }),
        Box::new(|_| "Negotiate".to_owned()),
        Box::new(|_| "Digest realm=\"a\", nonce=\"b\"".to_owned()),
        Box::new(|_| "Bearer service=a".to_owned()),
    ];
    for challenge in challenges {
        let (host, asked) = asking(folder.path(), challenge);
        let (code, log) = verify(&["--user", "me:secret", &format!("{host}/o/p:v1")], b"");
        assert_eq!(code, Some(1), "{log}");
        assert!(!has_secret(&asked) && !has_secret(&stolen), "{:#?}", asked.lock().unwrap());
    }
    // A redirect of the first request to a host with its own challenge.
    let to = format!("http://{thief}/v2/");
    let (host, asked) = serve(move |request| match path(&request.line) {
        "/v2/" => response("307 Temporary Redirect", &[("Location", &to)], b""),
        _ => response("404 Not Found", &[], b""),
    });
    let (code, _) = verify(&["--user", "me:secret", &format!("{host}/o/p:v1")], b"");
    assert_eq!(code, Some(1));
    assert!(!has_secret(&asked) && !has_secret(&stolen));
    assert!(!stolen.lock().unwrap().is_empty());
}

/// A package of the mirror needs a package of another registry, and a manifest names a package there.
#[test]
fn a_host_that_a_package_or_a_manifest_names_gets_no_password() {
    let folder = tempfile::tempdir().unwrap();
    layout(&folder.path().join("thief"), &meta("Provider", "a", &[]));
    let (thief, stolen) = asking(&folder.path().join("thief"), |_| "Basic realm=a".to_owned());
    let needs = format!("{{provider: '{thief}/o/a', version: '>=v1.0.0'}}");
    layout(&folder.path().join("mirror"), &meta("Configuration", "c", &[needs]));
    let (host, asked) = asking(&folder.path().join("mirror"), |_| "Basic realm=a".to_owned());
    let config = format!(
        "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {{name: m}}\nspec: {{rules: [{{from: a.io, to: '{host}'}}], crossplane: {{version: v2.3.4}}}}\n"
    );
    let config_at = folder.path().join("mirror.yaml");
    std::fs::write(&config_at, config).unwrap();
    let manifests = folder.path().join("manifests.yaml");
    for source in ["a.io/o/c:v1".to_owned(), format!("{thief}/o/a:v1")] {
        let all = [super::package("Configuration", "c", "a.io/o/c:v1"), super::package("Provider", "x", &source)];
        std::fs::write(&manifests, super::stream(&all)).unwrap();
        let arguments = ["--user", "me:secret", "-c", config_at.to_str().unwrap(), manifests.to_str().unwrap()];
        verify(&arguments, b"");
    }
    assert!(has_secret(&asked));
    assert!(!stolen.lock().unwrap().is_empty() && !has_secret(&stolen), "{:#?}", stolen.lock().unwrap());
}

/// An endless answer that arrives byte by byte.
fn dripping() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            std::thread::spawn(move || {
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let Some(Ok(line)) = lines.next() else { return };
                if path(&line) == "/v2/" {
                    return drop(stream.write_all(&response("200 OK", &[], b"")));
                }
                // The response to HEAD has no body.
                if line.starts_with("HEAD") {
                    return drop(stream.write_all(&response("405 Method Not Allowed", &[], b"")));
                }
                let head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n";
                let mut sent = stream.write_all(head);
                while sent.is_ok() {
                    std::thread::sleep(Duration::from_millis(100));
                    sent = stream.write_all(b" ");
                }
            });
        }
    });
    host.to_string()
}

#[test]
fn a_slow_response_ends_at_the_time_limit_of_the_run() {
    let host = dripping();
    let start = Instant::now();
    let (code, log) = verify(&["--time-limit", "2", &format!("{host}/o/p:v1")], b"");
    assert_eq!(code, Some(1), "{log}");
    assert!(log.contains("error: not read: ") && !log.contains("refuses"), "{log}");
    assert!(start.elapsed() < Duration::from_secs(20), "{log}");
}

/// The other registry is read although the slow one comes first, and the references without a result are named.
#[test]
fn a_slow_registry_leaves_time_for_another() {
    let folder = provider();
    let (slow, (fast, _)) = (dripping(), registry_of(folder.path()));
    let [a, b, c] = [format!("{slow}/o/a:v1"), format!("{slow}/o/b:v1"), format!("{fast}/o/c:v1")];
    let (code, log) = verify(&["--time-limit", "6", &a, &b, &c], b"");
    let shown = log.replace(&slow, "slow").replace(&fast, "fast");
    assert_eq!(code, Some(1), "{log}");
    assert!(!shown.contains("fast/o/c:v1\n  error"), "{shown}");
    let last = "not looked at, because the time was too short: slow/o/a:v1, slow/o/b:v1; with more time: `hostnet mirror verify --time-limit 24 slow/o/a:v1 slow/o/b:v1`\n";
    assert!(shown.ends_with(last), "{shown}");
    // The time limit of one registry is the limit of the run, and its reason is given once.
    let (_, log) = verify(&["--time-limit", "1", &a], b"");
    assert_eq!(log.matches("the run has taken 1 seconds").count(), 1, "{log}");
    let (_, log) = verify(&["--time-limit", "0", &a], b"");
    assert_eq!(log.matches("the run has taken 0 seconds").count(), 1, "{log}");
}

/// A registry that closes every connection: the command sends one request.
#[test]
fn an_unreachable_registry_is_contacted_once() {
    let (host, asked) = serve(|_| Vec::new());
    let (code, log) = verify(&[&format!("{host}/o/p:v1")], b"");
    assert_eq!((code, asked.lock().unwrap().len()), (Some(1), 1), "{log}");
}

#[test]
fn the_number_of_listed_tags_is_limited() {
    let folder = tempfile::tempdir().unwrap();
    let (host, _) = serve(|request| {
        let link = format!("<{}0>; rel=\"next\"", path(&request.line));
        let tags = format!("{{\"tags\": [\"{}\"]}}", "v".repeat(3 << 20));
        match path(&request.line).contains("/tags/list") {
            true => response("200 OK", &[("Link", &link)], tags.as_bytes()),
            false => response("200 OK", &[], b""),
        }
    });
    layout(folder.path(), &meta("Configuration", "c", &["{provider: b.io/o/a, version: '>=v1'}".to_owned()]));
    let (mirror, _) = registry_of(folder.path());
    let config = folder.path().join("mirror.yaml");
    let rules = format!("[{{from: a.io, to: '{mirror}'}}, {{from: b.io, to: '{host}'}}]");
    std::fs::write(
        &config,
        format!(
            "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {{name: m}}\nspec: {{rules: {rules}}}\n"
        ),
    )
    .unwrap();
    let manifests = folder.path().join("manifests.yaml");
    std::fs::write(&manifests, super::package("Configuration", "c", "a.io/o/c:v1")).unwrap();
    let (code, log) = verify(&["-c", config.to_str().unwrap(), manifests.to_str().unwrap()], b"");
    assert_eq!(code, Some(1));
    assert!(log.contains("the list of its tags has more than 16777216 bytes"), "{log}");
}

/// Digests of index entries that Go cannot parse, in the entry of the chosen image or in another entry.
#[test]
fn the_digests_of_an_index_are_read_as_crossplane_does() {
    let folder = provider();
    let (all, manifest) = blobs(folder.path());
    let reported = |digest: &str, platform: &str| {
        let entry = |digest: &str, platform: &str| serde_json::json!({"mediaType": MANIFEST.1, "digest": digest, "size": 1, "platform": {"os": "linux", "architecture": platform}});
        let own = if platform == "amd64" { digest } else { &manifest };
        let entries = [entry(own, "amd64"), entry(digest, "arm64")];
        let index = serde_json::json!({"schemaVersion": 2, "manifests": entries}).to_string().into_bytes();
        let (all, manifest) = (all.clone(), manifest.clone());
        let (host, _) = serve(move |request| match path(&request.line).rsplit('/').next() {
            Some("v1") => response("200 OK", &[INDEX], &index),
            _ => answer(&all, &manifest, &request.line),
        });
        verify(&["--crossplane", "v2.3.4", &format!("{host}/o/p:v1")], b"")
    };
    for (digest, words) in [
        ("latest", "cannot parse hash: \"latest\""),
        ("sha512:00", "unsupported hash: \"sha512\""),
        ("sha256:00", "wrong number of hex digits for sha256: 00"),
        ("sha256:../x", "found non-hex character in hash: ."),
    ] {
        for platform in ["amd64", "arm64"] {
            let (code, log) = reported(digest, platform);
            assert_eq!(code, Some(1), "{log}");
            assert!(log.contains("refuses") && log.contains(words), "{log}");
        }
    }
    let (code, text) = reported(&manifest, "arm64");
    assert_eq!(code, Some(0), "{text}");
}
