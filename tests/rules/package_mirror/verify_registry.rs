//! How `hostnet mirror verify` asks a registry: tokens, redirects, bounds. What it says of images is compared with Crossplane elsewhere.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use super::verify_text::package;
use crate::support::{run, text};

/// A request: method and path, and its headers in small letters.
struct Request {
    line: String,
    headers: BTreeMap<String, String>,
}

/// Answers requests on the loopback interface until the test ends, and keeps them: `METHOD PATH AUTHORIZATION`.
fn serve(answer: impl Fn(&Request) -> Vec<u8> + Send + Sync + 'static) -> (String, Arc<Mutex<Vec<String>>>) {
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

fn response(status: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let mut all = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n", body.len())
        .into_bytes();
    all.extend(body);
    all
}

/// The blobs of a layout, and its manifest.
fn blobs(folder: &Path) -> (BTreeMap<String, Vec<u8>>, String) {
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
    let (code, said) = verify(&["--user", "me:secret"], &format!("{host}/o/p:v1"));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("v2.2 and later: installs"), "{said}");
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
    let (code, said) = verify(&["--user", "me:wrong"], &format!("{host}/o/p:v1"));
    assert_eq!(code, Some(1));
    assert!(said.starts_with("error: ") && said.contains("401 Unauthorized"), "{said}");
}

#[test]
fn a_manifest_without_an_end_is_not_read_to_it() {
    let (host, _) = serve(|request| match request.line.contains("manifests") {
        true => response("200 OK", &[], &vec![b' '; 6 << 20]),
        false => response("200 OK", &[], b""),
    });
    let (code, said) = verify(&[], &format!("{host}/o/p:v1"));
    assert_eq!(code, Some(1));
    assert!(said.contains("the manifest has more than 4194304 bytes"), "{said}");
}

#[test]
fn a_registry_that_nobody_reaches_says_nothing_of_the_package() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (code, said) = verify(&[], &format!("{closed}/o/p:v1"));
    assert_eq!(code, Some(1));
    assert!(said.starts_with(&format!("error: {closed}/o/p:v1: Get \"https://{closed}/v2/\": ")), "{said}");
}

#[test]
fn certificates_are_read_from_the_file_that_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("none.pem");
    std::fs::write(&file, "nothing").unwrap();
    let (code, said) = verify(&["--ca", file.to_str().unwrap()], "registry.example.com/o/p:v1");
    assert_eq!((code, said), (Some(1), format!("error: {}: it holds no certificate in PEM\n", file.display())));
}
